// What `ripper serve` says first: all that a newcomer needs, and to a log no secret.

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { welcome } from '../../src/cli/serve.ts'
import type { RunningService } from '../../src/main.ts'
import { freshDatabase } from '../support/database.ts'
import { type RunningProgram, shell, talkProgram } from '../support/programs.ts'
import { startService } from '../support/service.ts'
import { removeData } from '../support/setup-database.ts'

// A name that a shell would take apart.
const folder = mkdtempSync(join(tmpdir(), "ripper-jo's $shop "))
chmodSync(folder, 0o711)
let service: RunningProgram | null = null
afterAll(async () => {
  await service?.stop()
  removeData(join(folder, '.ripper'))
  removeData(folder)
})

const commandOf = (text: string) => /^ {2}(curl [\s\S]*?\}\}')$/m.exec(text)![1]!

test('to a log it says where the demo key is, and the command that it gives finds it there', async () => {
  const env = {
    RIPPER_PORT: '0',
    RIPPER_DATA_DIR: '.ripper',
    RIPPER_LOG_LEVEL: 'info',
    npm_command: 'start',
  }
  service = talkProgram(['serve'], { cwd: folder, env })
  await service.says('Ctrl-C stops the service')
  const demo_file = join(folder, '.ripper', 'demo.json')
  const { secret_key } = JSON.parse(readFileSync(demo_file, 'utf8'))
  const said = service.said()
  expect(said).not.toMatch(/rip_sk_/)
  expect(said).toContain(`  Secret key       in ${demo_file}\n`)
  const first_command = /^npx ripper user link --email \S+ --operator --merchant m_\w+ --role owner$/
  const [, command] = /Nobody has an account yet: (.*)\n/.exec(said)!
  expect(command).toMatch(first_command)
  const { base_url } = JSON.parse(readFileSync(demo_file, 'utf8'))
  const ways = await fetch(`${base_url}/dashboard/api/sign-in/ways`, { headers: { Accept: '*/*' } })
  expect(await ways.json()).toMatchObject({ program: 'npx ripper', first_command: command })
  const { stdout, stderr } = await shell(commandOf(said), { cwd: tmpdir() })
  expect([JSON.parse(stdout).status, stderr]).toEqual(['requires_payment', ''])
  const { stderr: warned } = await service.stop()
  expect(service.said() + warned).not.toContain(secret_key)
}, 120_000)

test('on a database with one merchant, the command makes its owner', async () => {
  const database = await freshDatabase()
  const master_key = randomBytes(32)
  const { account, close } = await startService({ database, master_key })
  await close()
  const env = {
    RIPPER_PORT: '0',
    RIPPER_DATABASE_URL: database.url,
    RIPPER_MASTER_KEY: master_key.toString('base64'),
    RIPPER_DATA_DIR: join(folder, 'other'),
  }
  const program = talkProgram(['serve'], { cwd: folder, env })
  await program.says('Nobody has an account yet')
  const { merchant_id } = account
  expect(program.said()).toContain(
    ` user link --email you@shop.example --operator --merchant ${merchant_id} --role owner\n`,
  )
  await program.stop()
  await database.drop()
}, 120_000)

test('to a terminal it shows the key, in the command too', () => {
  const secret_key = `rip_sk_${'0'.repeat(48)}`
  const demo = { secret_key, publishable_key: 'rip_pk_', pay_url: '', handle: 'demo' }
  const running = { base_url: 'http://127.0.0.1:1', demo } as RunningService
  const said = welcome(running, null)
  expect(said).toContain(`  Secret key       ${secret_key}\n`)
  expect(commandOf(said)).toContain(`-H 'X-Service-Api-Key: ${secret_key}' \\\n`)
})

test.each([
  ['the link, where it was made for a terminal', { welcome_url: 'http://localhost:1/#welcome=x' }],
  ['the command, where there is none', { welcome_command: 'ripper user link --email E --operator' }],
])('while nobody has an account it gives %s', (_, how) => {
  const running = { base_url: 'http://127.0.0.1:1', demo: null, ...how } as RunningService
  expect(welcome(running, null)).toContain(Object.values(how)[0])
})
