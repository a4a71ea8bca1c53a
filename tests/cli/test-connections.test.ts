// `ripper integration … --test-connection`: which connections test sessions may be sent to, and where that is shown.

import { describe, expect, test } from 'vitest'
import { readAccounts } from '../../src/cli/doctor/accounts.ts'
import { readConfig } from '../../src/config/config.ts'
import { createConnection, disableConnection } from '../../src/connections/manage-connections.ts'
import { useOperated } from '../support/operated.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'

const { service, env } = await useOperated()
const { merchant_id } = service.account
const answer = (...args: string[]) => answerOf(['integration', ...args], { env })
const run = (...args: string[]) => ripper(['integration', ...args], { env })

const connect = (label: string, asked: object = {}) =>
  createConnection(service.operator, merchant_id, {
    kind: 'acquirer',
    connector: 'stripe',
    label,
    mode: 'sandbox',
    credentials: {},
    ...asked,
  })
const { connection_id } = await connect('trial')
await connect('other')
await connect('main', { mode: 'live' })
await connect('bank-checks', { kind: 'three_ds', connector: '3dsecureio' })
await connect('checks', { kind: 'three_ds', connector: 'checkout-sessions' })
const ended = await connect('ended')
await disableConnection(service.operator, ended.connection_id)

const create = (name: string, ...labels: string[]) => [
  ...['create', '--merchant', merchant_id, '--name', name],
  ...labels.flatMap((label) => ['--test-connection', label]),
]

test('an integration gets one, shows it, and loses it', async () => {
  const { integration_id } = await answer(...create('rehearsal', 'trial'))
  const { integrations } = await answer('list', '--merchant', merchant_id)
  expect(integrations).toContainEqual(expect.objectContaining({ integration_id, test_connections: ['trial'] }))
  const table = await run('list', '--merchant', merchant_id)
  expect(table.stdout).toMatch(/ mode +tests go to +allowed origins\n/)
  expect(table.stdout).toMatch(new RegExp(`${integration_id} +rehearsal .* auto +trial +–`))
  expect(table.stdout).toMatch(/ default +default +auto +simulator /)
  const [line] = await service.sql`
    select detail->'test_connections' as labels from journal where subject = ${integration_id}`
  expect(line!.labels).toEqual(['trial'])

  const after = await run('update', integration_id, '--test-connection', 'other')
  expect(after.stdout).toMatch(/^test_connections +other$/m)
  const cleared = await answer('update', integration_id, '--clear', 'test-connection')
  expect(cleared.test_connections).toEqual([])
}, 60_000)

test('an acquirer and a 3-D Secure provider may be named together', async () => {
  const made = await answer(...create('both', 'other', 'bank-checks'))
  const [row] = await service.sql`
    select test_connections from integrations where integration_id = ${made.integration_id}`
  expect(row!.test_connections).toEqual(['other', 'bank-checks'])
}, 60_000)

describe('refused is', () => {
  test.each([
    ['a label that nobody has', ['nobody'], 'nobody, which is missing.'],
    ['a connection of mode live', ['main'], 'main, which is of mode live, not sandbox.'],
    ['a disabled one', ['ended'], 'ended, which is disabled.'],
    ['a second acquirer', ['trial', 'other'], 'both trial and other'],
    ['a second one for 3-D Secure', ['bank-checks', 'checks'], 'both bank-checks and checks'],
  ])('%s', async (name, labels, words) => {
    const { status, stderr } = await run(...create(name, ...labels))
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)])
    const made = await service.sql`select from integrations where name = ${name}`
    expect(made).toHaveLength(0)
  })

  test('at an update, too, which changes nothing', async () => {
    const { integration_id } = await answer(...create('kept'))
    const changed = await run('update', integration_id, '--test-connection', 'main')
    expect([changed.status, changed.stderr]).toEqual([1, expect.stringContaining('of mode live')])
    const [row] = await service.sql`
      select test_connections from integrations where integration_id = ${integration_id}`
    expect(row!.test_connections).toEqual([])
  })
})

test('the doctor says what is wrong with one later, and the integration can be changed besides', async () => {
  const { integration_id } = await answer(...create('later', 'trial'))
  await disableConnection(service.operator, connection_id)
  const facts = await readAccounts(readConfig(env), service.sql, new Date())
  expect(facts.has_test_connections).toBe(true)
  expect(facts.unusable_tests).toEqual([`later of ${merchant_id}: trial, which is disabled`])
  const renamed = await answer('update', integration_id, '--name', 'renamed')
  expect(renamed).toMatchObject({ name: 'renamed', test_connections: ['trial'] })
}, 60_000)
