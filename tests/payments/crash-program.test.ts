// The program itself, killed in the middle of a charge and of captures, and started again: nothing is lost or done twice.

import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { open, type ServiceResources } from '../../src/service/resources.ts'
import { expectBooksAgree } from '../support/books.ts'
import { type Client, openClient } from '../support/client.ts'
import { type Staying, serve } from '../support/programs.ts'
import { until } from '../support/service.ts'
import { removeData } from '../support/setup-database.ts'

const data_dir = mkdtempSync(`${tmpdir()}/ripper-tests-${process.pid}-`)
const env = { RIPPER_DATA_DIR: data_dir, RIPPER_PORT: '0' }
/** What was under way counts as unanswered by then. */
const later = { RIPPER_CLOCK_OFFSET_SECONDS: '40' }
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let opened: ServiceResources
const running = new Set<Staying>()
beforeAll(async () => {
  // As root, the server's user has to come through.
  chmodSync(data_dir, 0o711)
  // Keeps the database for when no program runs.
  opened = await open(readConfig({ ...env, RIPPER_LOG_LEVEL: 'silent' }))
})
afterEach(async () => {
  for (const program of running) await program.stop('SIGKILL')
})
afterAll(async () => {
  await opened.database.close()
  removeData(data_dir)
})

async function run(more: Record<string, string> = {}): Promise<{ shop: Staying; client: Client }> {
  const shop = await serve({ env: { ...env, ...more } })
  running.add(shop)
  const { base_url, secret_key } = shop.said as { base_url: string; secret_key: string }
  return { shop, client: openClient({ base_url, secret_key }) }
}

/** A payment of an amount that nothing could check. */
async function hold({ said }: Staying, client: Client): Promise<string> {
  const { body: session } = await client.createFrom(said.base_url!, {
    public_key: said.publishable_key,
    amount: 4200,
    currency: 'GBP',
    customer: { email: 'ada@example.com' },
  })
  await client.present(session)
  const { body } = await client.confirm(session)
  expect(body.status).toBe('held')
  return body.payment_id
}

type Row = { state: string; checks: number }

async function unanswered(): Promise<Row[]> {
  return await opened.database.sql<Row[]>`
    select state, checks from acquirer_operations where state in ('sent', 'unknown', 'reversing')`
}

/** How many requests of this kind the acquirer has heard of, of charges those under way. */
async function heard(kind: string): Promise<number> {
  const [row] = await opened.database.sql<[{ count: number }]>`
    select count(*)::int as count from simulator.ledger
    where kind = ${kind} and (kind <> 'authorise' or behaviour = 'approve_slowly')`
  return row.count
}

test('killed while a slow charge and ten captures are under way', async () => {
  const { shop, client } = await run()
  const session = await client.open()
  await client.present(session, '4000009190780000')
  const holds = await Promise.all(Array.from({ length: 10 }, () => hold(shop, client)))

  const confirming = client.confirm(session).catch(() => null)
  await until(() => heard('authorise'), Boolean)
  const captures = Promise.allSettled(
    holds.map((payment_id) => client.decideHold('capture', payment_id, `of ${payment_id}`)),
  )
  await until(() => heard('capture'), Boolean)
  expect((await shop.stop('SIGKILL')).status).toBe(128)
  expect(await confirming).toBeNull()
  await captures

  const { client: next } = await run(later)
  // A lost answer is noted at once, looked for after 5 s, and sent again 5 s later where it was not found.
  await until(unanswered, (rows) => !rows.some(({ state }) => state === 'sent'))
  await until(unanswered, (rows) => rows.every(({ checks }) => checks > 0))
  await until(unanswered, ({ length }) => length === 0)
  expect((await next.confirm(session)).body.status).toBe('captured')
  for (const payment_id of holds) {
    // One that was not even written down was not asked for, as far as anybody knows: now it is.
    const { body } = await next.decideHold('capture', payment_id, `of ${payment_id}`)
    expect(body).toMatchObject({ status: 'captured', hold: { decided_by: 'merchant' } })
  }
  await expectBooksAgree(opened.database)
})
