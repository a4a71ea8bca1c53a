// `ripper connection …`, as an operator types it, on the database of a running service.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConnections } from '../../src/cli/doctor/connections.ts'
import { readConfig } from '../../src/config/config.ts'
import { credentialsThatCount, findConnection } from '../../src/connections/connection-store.ts'
import { createConnection, disableConnection } from '../../src/connections/manage-connections.ts'
import { routingsIn } from '../../src/kernel/ids.ts'
import { useOperated } from '../support/operated.ts'
import { answer as answerOf, ripper, shell } from '../support/programs.ts'

const { service, folder, env } = await useOperated()

const answer = (...args: string[]) => answerOf(['connection', ...args], { env })
const run = (...args: string[]) => ripper(['connection', ...args], { env })

let files = 0
function fileOf(content: object | string): string {
  const path = join(folder, `credentials-${++files}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const checkout = { secret_key: 'sk_Lapsang', signature_key: 'sig_Lapsang' }
const madeOf = (label: string, ...args: string[]) => [
  'create',
  '--merchant',
  service.account.merchant_id,
  '--label',
  label,
  ...args,
]

async function countingOf(connection_id: string) {
  const { keyring } = service.context
  const row = await findConnection(service.sql, connection_id, routingsIn(connection_id, keyring))
  return credentialsThatCount(keyring, row!, new Date())
}

test('a connection is made, and its credentials are rotated', async () => {
  const { merchant_id } = service.account
  const credentials = ['--credentials', fileOf(checkout)]
  const made = await answer(...madeOf('main', '--acquirer', 'checkout', ...credentials))
  const { connection_id } = made
  expect(made).toEqual({
    connection_id: expect.stringMatching(/^conn_[0-9a-f]{24}$/),
    merchant_id,
    kind: 'acquirer',
    connector: 'checkout',
    label: 'main',
    mode: 'live',
    state: 'active',
    notice_url: `${service.base_url}/acquirers/${connection_id}/notices`,
  })
  expect(await countingOf(connection_id)).toEqual([checkout])

  const next = { ...checkout, secret_key: 'sk_next' }
  const rotated = await answer('rotate', connection_id, '--credentials', fileOf(next))
  expect(rotated).toEqual({ ...made, previous_until: expect.stringMatching(/\+00:00$/) })
  expect(await countingOf(connection_id)).toEqual([next, checkout])
  const { connections } = await answer('list', '--merchant', merchant_id)
  expect(connections).toContainEqual({
    ...made,
    created_at: expect.stringMatching(/\+00:00$/),
    rotated_at: expect.stringMatching(/\+00:00$/),
    disabled_at: null,
  })
})

test('a connection is disabled, and the list and the journal show it', async () => {
  const { merchant_id } = service.account
  const asked = { kind: 'acquirer', connector: 'checkout', label: 'ended', mode: 'live' } as const
  const made = await createConnection(service.operator, merchant_id, { ...asked, credentials: {} })
  const { connection_id } = made
  const disabled = await answer('disable', connection_id)
  expect(disabled).toMatchObject({ connection_id, ...asked, state: 'disabled' })
  expect(disabled.disabled_at).toMatch(/\+00:00$/)
  const table = await run('list')
  expect(table.stdout).toMatch(new RegExp(`${merchant_id} +${connection_id} +ended +checkout +live +disabled`))
  const lines = await service.sql<{ change: string; by: string | null }[]>`
    select change, detail->>'by' as by from journal where subject = ${connection_id} order by entry_id`
  expect(lines).toEqual([
    { change: 'connection.created', by: null },
    { change: 'connection.disabled', by: expect.any(String) },
  ])
})

test('credentials come from standard input, too, and are not printed', async () => {
  const made = madeOf('trial', '--three-ds', '3dsecureio', '--mode', 'sandbox', '--credentials', '-')
  const bin = join(import.meta.dirname, '../../bin/ripper.mjs')
  const command = [process.execPath, bin, 'connection', ...made].map((each) => `'${each}'`)
  const script = `printf '{"api_key":"Keemun"}' | ${command.join(' ')}`
  const { status, stdout, stderr } = await shell(script, { env })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/\nkind +three_ds\nconnector +3dsecureio\nlabel +trial\nmode +sandbox\n/)
  expect(stdout).not.toContain('Keemun')
  const [, connection_id] = /(conn_[0-9a-f]{24})/.exec(stdout)!
  expect(await countingOf(connection_id!)).toEqual([{ api_key: 'Keemun' }])
})

test('a key of the other environment is taken beside api_url, with a warning, and the doctor names it', async () => {
  const elsewhere = { api_url: 'https://127.0.0.1:9', webhook_secret: 'whsec_a' }
  const own = { RIPPER_CONNECTION_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const create = (label: string, secret_key: string) =>
    ripper(
      [
        ...['connection', ...madeOf(label, '--acquirer', 'stripe', '--json'), '--credentials'],
        fileOf({ ...elsewhere, secret_key }),
      ],
      { env: { ...env, ...own } },
    )
  const made = await create('doubtful', 'sk_test_Lapsang')
  expect(made.status, made.stderr).toBe(0)
  expect(made.stderr).toMatch(/^Warning: the key looks like one of the vendor's sandbox, .* live\./)
  expect(made.stderr).not.toContain('Lapsang')
  const { connection_id } = JSON.parse(made.stdout)
  // A made-up key of a test's stand-in shows no environment, and one of this environment is right.
  for (const key of ['sk_made_up', 'sk_live_Lapsang']) {
    expect(await create(key, key)).toMatchObject({ status: 0, stderr: '' })
  }
  const { doubtful } = await readConnections(readConfig({ ...env, ...own }), service.sql)
  expect(doubtful).toEqual([
    { connection_id, label: 'doubtful', doubt: expect.stringContaining("the vendor's sandbox") },
  ])
})

describe('refused is', () => {
  const acquirer = ['--acquirer', 'checkout']
  const whole = () => ['--credentials', fileOf(checkout)]
  const holding = (content: object | string) => ['--credentials', fileOf(content)]

  test('a label that is taken', async () => {
    await answer(...madeOf('taken', ...acquirer, ...whole()))
    const again = await run(...madeOf('taken', ...acquirer, ...whole()), '--json')
    expect(again.status).toBe(1)
    expect(JSON.parse(again.stdout)).toEqual({
      error: 'invalid_request',
      message: 'The merchant has a connection labelled taken already.',
    })
  })

  test.each<[string, () => string[], number, string]>([
    ['no vendor', () => whole(), 2, 'needs --acquirer or --three-ds'],
    ['two', () => [...acquirer, '--three-ds', '3dsecureio', ...whole()], 2, 'not both'],
    ['another vendor', () => ['--acquirer', 'bank', ...whole()], 2, 'checkout, stripe, adyen'],
    ['one of the other kind', () => ['--three-ds', 'stripe', ...whole()], 2, '3dsecureio, checkout-'],
    ['another mode', () => [...acquirer, '--mode', 'test', ...whole()], 2, 'one of live, sandbox'],
    ['no file', () => [...acquirer, '--credentials', join(folder, 'none')], 2, 'cannot be read'],
    ['no JSON', () => [...acquirer, ...holding('{"secret_key": sk_Lapsang}')], 2, 'holds JSON'],
    [
      'a member that stands twice',
      () => [...acquirer, ...holding('{"secret_key": "sk_a", "secret_key": "sk_Lapsang"}')],
      2,
      '--credentials: secret_key is sent twice',
    ],
    [
      'an address with a password',
      () => [...acquirer, ...holding({ ...checkout, api_url: 'https://jo:Lapsang@vendor.example' })],
      1,
      'api_url must not have a user name or password in it.',
    ],
    [
      'a stranger of a member',
      () => [...acquirer, ...holding({ ...checkout, client_id: 'Lapsang' })],
      1,
      'client_id: the credentials of checkout have no such member',
    ],
    [
      'a private address',
      () => [...acquirer, ...holding({ ...checkout, api_url: 'https://127.0.0.1/Lapsang' })],
      1,
      'api_url must not lead to a private or local address',
    ],
    [
      'plain http',
      () => [...acquirer, ...holding({ ...checkout, api_url: 'http://vendor.example' })],
      1,
      'unless it lies in RIPPER_CONNECTION_ALLOWED_NETWORKS',
    ],
  ])('%s', async (_, args, status, words) => {
    const refused = await run(...madeOf('refused', ...args()))
    expect([refused.status, refused.stderr]).toEqual([status, expect.stringContaining(words)])
    expect(refused.stderr).not.toContain('Lapsang')
    expect(await service.sql`select from connections where label = 'refused'`).toEqual([])
  })

  const gone = `conn_${'0'.repeat(24)}`
  test.each<[string, () => string[]]>([
    ['merchant', () => ['create', '--merchant', 'm_1', '--label', 'x', ...acquirer, ...whole()]],
    ['connection', () => ['rotate', gone, ...whole()]],
    ['connection', () => ['disable', gone]],
    ['connection', () => ['check', gone]],
  ])('a %s that is not there, row %#', async (noun, args) => {
    const { status, stderr } = await run(...args())
    expect([status, stderr]).toEqual([1, expect.stringContaining(`There is no ${noun} `)])
  })

  test('a label of other characters', async () => {
    const args = ['create', '--merchant', 'm_1', '--label', 'a:b', ...acquirer, ...whole()]
    expect(await run(...args)).toMatchObject({ status: 2 })
  })
})

test('an allowed network takes plain http', async () => {
  const api_url = 'http://127.0.0.1:9/vendor/'
  const credentials = ['--credentials', fileOf({ ...checkout, api_url })]
  const args = ['connection', ...madeOf('near', '--acquirer', 'checkout', ...credentials)]
  const allowed = { ...env, RIPPER_CONNECTION_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const { connection_id } = await answerOf(args, { env: allowed })
  const [{ api_url: kept }] = (await countingOf(connection_id)) as [{ api_url: string }]
  expect(kept).toBe('http://127.0.0.1:9/vendor')
})

test('a check of a vendor that this release cannot talk to fails, and says so', async () => {
  const file = fileOf({ api_key: 'key_1' })
  const { connection_id } = await answer(...madeOf('bank-checks', '--three-ds', '3dsecureio', '--credentials', file))
  // As an earlier or a later release may have made it.
  await service.sql`
    update connections set connector = 'another' where connection_id = ${connection_id}`
  const { status, stderr } = await run('check', connection_id)
  expect(status).toBe(1)
  expect(stderr).toBe(
    `another, bank-checks (${connection_id}): this release cannot talk to another yet, so nothing was asked\n`,
  )
  const told = await run('check', connection_id, '--json')
  expect([told.status, JSON.parse(told.stdout)]).toMatchObject([1, { connection_id, works: false }])
})

test('doctor names live merchants whose connection is of no use, and credentials that do not work', async () => {
  const profile = { descriptor_name: 'TEA', mcc: '5499', country: 'GB', acquirer: 'main' }
  const live = { live: true, live_enabled: true, acquiring_profile: profile }
  const { merchant_id } = await service.newAccount({ merchant: live })
  const [bank] = await service.sql<{ connection_id: string }[]>`
    select connection_id from connections where merchant_id = ${merchant_id}`
  await disableConnection(service.operator, bank!.connection_id)
  const far = await createConnection(service.operator, merchant_id, {
    kind: 'acquirer',
    connector: 'checkout',
    label: 'far',
    mode: 'live',
    // A private address, in no allowed network: nothing is sent.
    credentials: { ...checkout, api_url: 'https://127.0.0.1:9' },
  })
  const { status, stdout } = await ripper(['doctor', '--json'], { env })
  expect(status).toBe(1)
  const checks: { name: string; status: string; found: string }[] = JSON.parse(stdout).checks
  const found = (name: string) => checks.find((each) => each.name === name)
  expect(found('Live payments')).toMatchObject({
    status: 'problem',
    found: expect.stringContaining(`${merchant_id} (acquirer main, which is disabled)`),
  })
  expect(found('Connections')).toMatchObject({
    status: 'problem',
    found: expect.stringContaining(`${far.connection_id} (far): `),
  })
  expect(stdout).not.toContain('Lapsang')
})
