// A database that is spread, without Citus: one database has what all merchants share, and two have the merchants' rows.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { by, cellOf, cellsOf, fromCells, spreadOver, watchCells, wholeOf } from '../../src/database/cells/cells.ts'
import type { Sql } from '../../src/database/open.ts'
import type { JobContext } from '../../src/jobs.ts'
import { realClock } from '../../src/outgoing/real-world.ts'
import { workInCells } from '../../src/service/cell-work.ts'
import { purchase, refusal } from '../support/client.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type Account, type Service, shop, startService, until } from '../support/service.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

let service: Service
let receiver: WebhookReceiver
let cells: Sql[]
let accounts: Account[]
let homes: Map<Account, Sql>

/** One cell after the other, as merchants come. */
const places = new Map<string, number>()
const placeOf = (merchant_id: string) => {
  const known = places.get(merchant_id) ?? places.size % 2
  places.set(merchant_id, known)
  return known
}

beforeAll(async () => {
  const [whole, ...apart] = (await Promise.all([1, 2, 3].map(() => freshDatabase()))) as [
    FreshDatabase,
    ...FreshDatabase[],
  ]
  const spread: FreshDatabase = {
    url: whole.url,
    async open(options) {
      const common = await whole.open(options)
      const opened = await Promise.all(apart.map((each) => each.open(options)))
      const all = opened.map(({ sql }, at) => ({ name: `cell_${at}`, node: `node${at}:5432`, sql }))
      spreadOver(common.sql, { all, find: async (merchant_id) => all[placeOf(merchant_id)]! })
      // Merchants are not copied here, as they are on nodes.
      for (const { sql } of opened) {
        await sql`alter table webhook_endpoints drop constraint webhook_endpoints_merchant_id_fkey`
      }
      return {
        ...common,
        async close() {
          for (const each of [...opened, common]) await each.close()
        },
      }
    },
    async drop() {
      for (const each of [whole, ...apart]) await each.drop()
    },
  }
  service = await startService({ database: spread, deliver: {} })
  receiver = await openWebhookReceiver()
  cells = cellsOf(service.sql).map(({ sql }) => sql)
  accounts = [service.account, ...(await Promise.all([1, 2, 3].map(() => service.newAccount())))]
  homes = new Map(accounts.map((account) => [account, cells[placeOf(account.merchant_id)]!]))
})

afterAll(async () => {
  await receiver.close()
  await service.close()
  await service.database.drop()
})

const idsIn = (sql: Sql) =>
  sql<{ session_id: string }[]>`select session_id from sessions`.then((rows) =>
    rows.map(({ session_id }) => session_id),
  )

test('what a merchant asks for is done where its rows are, and nowhere else', async () => {
  const made = new Map<Sql, string[]>(cells.map((cell) => [cell, []]))
  for (const account of accounts) {
    const { client } = account
    const { body } = await client.pay()
    made.get(homes.get(account)!)!.push((await client.readPayment(body.payment_id)).body.checkout_session_id)
    expect(body.status).toBe('captured')
    expect((await client.readPayment(body.payment_id)).body.status).toBe('captured')
    const by_page = await client.send('POST', '/v1/checkout/public/sessions', {
      headers: { origin: shop, 'rip-idempotency-key': account.merchant_id },
      body: { ...purchase, public_key: account.publishable_key },
    })
    made.get(homes.get(account)!)!.push(by_page.body.id)
  }
  for (const [cell, ids] of made) {
    expect(ids.length).toBeGreaterThan(0)
    expect((await idsIn(cell)).toSorted()).toEqual(ids.toSorted())
  }
  expect(await idsIn(service.sql)).toEqual([])
})

test('the event of a payment is delivered from its cell', async () => {
  for (const { client } of accounts) {
    expect((await client.createEndpoint({ url: receiver.url })).status).toBe(201)
    await client.pay()
  }
  const heard = await receiver.has(accounts.length)
  expect(new Set(heard.map(({ event }) => event.id)).size).toBe(accounts.length)
})

test('a session of one merchant is none of another’s, in the same cell or not', async () => {
  const [first, ...others] = accounts as [Account, ...Account[]]
  const session = await first.client.open()
  for (const { client } of others) {
    expect(refusal(await client.readSession(session.id))).toBe('404 resource_not_found')
  }
})

test('jobs run in each cell, and a job of the whole once', async () => {
  const ran: Sql[] = []
  const count = {
    name: 'count',
    every_seconds: 3600,
    run: async ({ sql }: JobContext) => ran.push(sql),
  }
  const failed: string[] = []
  const trust = { isRight: () => true, untilRight: async () => new AbortController().signal }
  const faulty = {
    name: 'faulty',
    every_seconds: 3600,
    run: async ({ sql }: JobContext) => {
      failed.push(cellsOf(wholeOf(sql)).find((cell) => cell.sql === sql)!.name)
      throw new Error('no')
    },
  }
  const worker = workInCells(
    { ...service.context, clock: realClock() } as unknown as JobContext,
    [count, { ...count, name: 'once', where: 'whole' }, faulty],
    { trust, runs: undefined },
  )
  await until(
    async () => [ran.length, failed.length],
    ([all, of_faulty]) => all === 3 && of_faulty === 2,
  )
  await worker.stop()
  expect(new Set(ran)).toEqual(new Set([...cells, service.sql]))
  expect(failed.toSorted()).toEqual(['cell_0', 'cell_1'])
})

test('what is listed across merchants comes from all cells, in order', async () => {
  const read = (sql: Sql) => sql<{ merchant_id: string }[]>`select distinct merchant_id from sessions`
  const found = await fromCells(service.sql, read)
  expect(found.map(({ merchant_id }) => merchant_id).toSorted()).toEqual(
    accounts.map(({ merchant_id }) => merchant_id).toSorted(),
  )
  const rows = [
    { a: 2, b: 'x' },
    { a: 1, b: 'y' },
    { a: 2, b: 'a' },
  ]
  expect(
    rows
      .sort(
        by(
          ({ a }) => a,
          ({ b }) => b,
        ),
      )
      .map(({ b }) => b),
  ).toEqual(['y', 'a', 'x'])
})

test('a node that is away stops its own merchants alone, and is named', async () => {
  const [gone] = cells as [Sql, Sql]
  expect(await (await fetch(`${service.base_url}/readyz`)).text()).toBe('ready\n')
  await gone.end({ timeout: 0 })
  for (const account of accounts) {
    const { status } = await account.client.create()
    expect(status).toBe(homes.get(account) === gone ? 503 : 201)
  }
  const ready = await fetch(`${service.base_url}/readyz`)
  expect([ready.status, await ready.text()]).toEqual([200, 'ready, without node0:5432\n'])
})

test('a process whose cells were moved says so', async () => {
  const alone = await freshDatabase()
  const { sql, close } = await alone.open()
  expect(await watchCells({ sql })).toBe(0)
  let has_moved = false
  const all = [{ name: 'cell_0', node: 'node0:5432', sql }]
  spreadOver(sql, { all, find: async () => all[0]!, haveMoved: async () => has_moved })
  expect(await watchCells({ sql })).toBe(0)
  has_moved = true
  await expect(watchCells({ sql })).rejects.toThrow('start it again')
  await close()
  await alone.drop()
})

test('one PostgreSQL is its own only cell', async () => {
  const alone = await freshDatabase()
  const { sql, close } = await alone.open()
  expect(cellsOf(sql)).toEqual([{ name: 'all', node: null, sql }])
  expect(await cellOf(sql, 'm_1')).toBe(sql)
  expect(wholeOf(sql)).toBe(sql)
  await close()
  await alone.drop()
})
