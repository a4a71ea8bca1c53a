// The libraries: how each comes to this machine, and how its driver is started. None is installed into the repository.

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export type Place = {
  /** Holds what is installed, for the next time. */
  cache: string
  /** Folders with a library that is there already, by the library's name. */
  folders: Partial<Record<string, string | null>>
}

export type Library = {
  name: string
  /** The command of its driver, without the address of the service. Throws `Missing`, with the reason. */
  prepare(place: Place): string[]
}

export class Missing extends Error {}

/** An installation that takes longer is given up. */
const install_ms = 120_000

const driver = (file: string) => resolve(import.meta.dirname, 'drivers', file)

const node = (major: number, name = `stripe-${major}`): Library => ({
  name: `node-${major}`,
  prepare: () => [process.execPath, driver('node.mjs'), import.meta.resolve(name)],
})

const python: Library = {
  name: 'python',
  prepare(place) {
    expectProgram('python3')
    const folder = installed(place, 'python', '16.1.0', (into, version) => {
      const options = ['--quiet', '--no-input', '--disable-pip-version-check', '--timeout', '10', '--retries', '1']
      run('python3', ['-m', 'pip', 'install', ...options, '--target', into, `stripe==${version}`])
    })
    return ['python3', driver('python.py'), folder]
  },
}

const php: Library = {
  name: 'php',
  prepare(place) {
    expectProgram('php')
    const folder = installed(place, 'php', '21.0.0', (into, version) => {
      run('composer', [
        'require',
        '--quiet',
        '--no-interaction',
        `--working-dir=${into}`,
        `stripe/stripe-php:${version}`,
      ])
    })
    return ['php', driver('php.php'), folder]
  },
}

const ruby: Library = {
  name: 'ruby',
  prepare(place) {
    expectProgram('ruby')
    const folder = installed(place, 'ruby', '19.5.0', (into, version) => {
      run('gem', ['install', '--quiet', '--no-document', '--install-dir', into, '--version', version, 'stripe'])
    })
    return ['ruby', driver('ruby.rb'), folder]
  },
}

const go: Library = {
  name: 'go',
  prepare(place) {
    expectProgram('go', 'version')
    const folder = installed(place, 'go', '85.0.0', (into, version) => {
      run('go', ['mod', 'init', 'libraries'], into)
      run('go', ['mod', 'edit', `-require=github.com/stripe/stripe-go/v85@v${version}`], into)
      run('go', ['mod', 'download'], into)
    })
    copyFileSync(driver('main.go'), join(folder, 'main.go'))
    run('go', ['build', '-mod=mod', '-o', 'driver', '.'], folder)
    return [join(folder, 'driver')]
  },
}

const java: Library = {
  name: 'java',
  prepare(place) {
    expectProgram('java', '-version')
    const folder = installed(place, 'java', '33.3.0', (into, version) => {
      const own = '<groupId>libraries</groupId><artifactId>libraries</artifactId><version>1</version>'
      const needed = `<groupId>com.stripe</groupId><artifactId>stripe-java</artifactId><version>${version}</version>`
      const dependencies = `<dependencies><dependency>${needed}</dependency></dependencies>`
      const project = `<project><modelVersion>4.0.0</modelVersion>${own}${dependencies}</project>\n`
      writeFileSync(join(into, 'pom.xml'), project)
      run('mvn', ['--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=jars'], into)
    })
    return ['java', '-cp', join(folder, 'jars', '*'), driver('Libraries.java')]
  },
}

export const libraries: Library[] = [
  ...[node(14), node(17), node(20), node(22), node(23, 'stripe')],
  ...[python, go, php, ruby, java],
]

/** The folder with a library of that version, installed where it is not there yet. */
function installed(
  { cache, folders }: Place,
  name: string,
  version: string,
  install: (into: string, version: string) => void,
): string {
  const given = folders[name]
  if (given) return resolve(given)
  const folder = resolve(cache, `${name}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(dirname(folder), { recursive: true })
  // Half an installation must not be taken for one.
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    install(unfinished, version)
    // Another run may have been faster.
    if (!existsSync(folder)) renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}

function expectProgram(program: string, version = '--version'): void {
  run(program, [version])
}

function run(program: string, args: string[], folder?: string): void {
  const { status, stderr, stdout, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: install_ms,
  })
  if (status === 0) return
  if (error && 'code' in error && error.code === 'ENOENT') throw new Missing(`${program} is missing`)
  const last_line = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').at(-1)
  throw new Missing(`${program} ${args[0]} failed: ${error?.message ?? last_line}`)
}
