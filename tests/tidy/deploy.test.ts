// What is deployed, held against the service: settings that exist, packages that the image can do without, and the guide's own lines.

import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { allSettings, readConfig } from '../../src/config/config.ts'
import { readGuide } from '../support/guide-blocks.ts'
import { shell } from '../support/programs.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { blocks, not_run } = readGuide('docs/install.md')
const containerfile = read('deploy/Containerfile')
const compose = read('deploy/compose.yml')
const unit = read('deploy/ripper.service')

test('the guide has no block that is not run here, but those that say why', () => {
  expect(not_run).toEqual(['build', 'up', 'install', 'environment', 'start', 'command'])
  expect(Object.keys(blocks).filter((name) => !not_run.includes(name))).toEqual(['secrets'])
})

test('the secrets that the guide makes are those that compose wants, and that the service takes', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ripper-secrets-'))
  const { status, stderr } = await shell(`mkdir deploy\n${blocks.secrets}`, { cwd })
  expect([status, stderr]).toEqual([0, ''])
  const folder = join(cwd, 'deploy/secrets')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const wanted = [...compose.matchAll(/^ {2}(\w+): \{ file: \.\/secrets\/(\w+) \}$/gm)]
  expect(readdirSync(folder).toSorted()).toEqual(wanted.map(([, , file]) => file).toSorted())
  const of = (name: string) => {
    const [, , file] = wanted.find(([, secret]) => secret === name)!
    return readFileSync(join(folder, file!), 'utf8')
  }
  const environment = {
    RIPPER_DATABASE_URL: of('RIPPER_DATABASE_URL'),
    RIPPER_MASTER_KEY: of('RIPPER_MASTER_KEY'),
  }
  const { database_url, master_keys } = readConfig(environment)
  expect(new URL(database_url!)).toMatchObject({
    username: 'ripper',
    password: of('database_password'),
    hostname: 'database',
  })
  expect(master_keys).toHaveLength(1)
})

test.each([
  ['Containerfile', containerfile],
  ['compose.yml', compose],
  ['ripper.service', unit],
  ['ripper.sh', read('deploy/ripper.sh')],
])('%s names settings that exist', (_name, text) => {
  const known = allSettings.map(({ name }) => name)
  const named = [...text.matchAll(/\b(?:RIPPER|OTEL)_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})

test('the image leaves out packages that the installed service does not import', () => {
  const [, words] = /npm uninstall((?: --\S+)+ \\\n(?:.*\\\n)+?) {2}&& /.exec(containerfile)!
  const left_out = words!.split(/[\s\\]+/).filter((word) => word !== '' && !word.startsWith('--'))
  const { dependencies } = JSON.parse(read('package.json'))
  expect(left_out.filter((name) => !(name in dependencies))).toEqual([])
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => read(`src/${name}`))
    .join('\n')
  const imported = left_out.filter((name) => new RegExp(`(?:from |import\\()'${name}(?:/[^']*)?'`).test(sources))
  expect(imported).toEqual([])
})

test('image, compose and unit are of this release and stop as the guide for operators says', () => {
  const { version } = JSON.parse(read('package.json'))
  for (const text of [containerfile, compose, read('docs/install.md')]) {
    expect(new Set(text.match(/(?<=ripper[:-])\d+\.\d+\.\d+/g))).toEqual(new Set([version]))
  }
  expect(read('docs/operations.md')).toContain('allow 90 s plus the')
  expect(compose).toContain('stop_grace_period: 90s')
  expect(unit).toContain('TimeoutStopSec=90')
})

test('whoever is in the container has no rights', () => {
  expect(containerfile).toMatch(/^USER node$/m)
  const [service] = compose.split(/^ {2}database:$/m)
  for (const line of ['read_only: true', 'cap_drop: [ALL]', "['no-new-privileges:true']"]) {
    expect(service).toContain(line)
  }
  for (const line of ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=\n']) {
    expect(unit).toContain(line)
  }
})
