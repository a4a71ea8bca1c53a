// Sessions that nobody paid go after some days, with what hangs on them; what money or the journal needs stays.

import { beforeEach, expect, test } from 'vitest'
import { genesis, nextHash, type WrittenLine } from '../../src/audit/chain.ts'
import { extendChain, writtenLine } from '../../src/audit/chain-store.ts'
import { verifyChain } from '../../src/audit/verify-chain.ts'
import { testNumber } from '../../src/cards/test-cards.ts'
import type { AnySql, Sql } from '../../src/database/open.ts'
import { idsFrom } from '../../src/kernel/ids.ts'
import { verifyPayments } from '../../src/payments/reading/verify-payments.ts'
import { purgeSessions } from '../../src/payments/sessions/purge-sessions.ts'
import { mayForgetLines, purgePage } from '../../src/payments/sessions/session-purge-store.ts'
import { manualClock } from '../support/clock.ts'
import { hold, openUnverified, runJob } from '../support/holding.ts'
import type { Account } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const day_ms = 24 * 3600 * 1000
const live = {
  live: true,
  live_enabled: true,
  acquiring_profile: { acquirer: 'bank', descriptor_name: 'TEA', mcc: '5499', country: 'GB' },
}
const clock = manualClock()
const service = await useService({ clock })
let account: Account
beforeEach(async () => {
  // What a test before has left.
  await clock.advance(31 * day_ms)
  await runJob(service, 'purge_sessions')
  account = await service.newAccount()
})

const purge = (days?: number) =>
  purgeSessions({ ...service.context, unpaid_sessions_days: days } as Parameters<typeof purgeSessions>[0])
const statusOf = async (id: string) => (await account.client.readSession(id)).status
const faults = async (sql: Sql = service.sql) =>
  (await verifyPayments(sql, account.merchant_id)).faults.map(({ kind }) => kind)
const purgeLines = () => service.sql<{ detail: { count: number } }[]>`
  select detail from journal where merchant_id = ${account.merchant_id} and change = 'sessions.purged'`

test('an unpaid test session goes after two days, with its attempts', async () => {
  const { client, merchant_id } = account
  const untouched = await client.open()
  const tried = await client.open()
  await client.authenticate(tried, await client.reference(tried))
  const captured = (await client.pay()).body.session_id
  const declined = (await client.pay(testNumber('visa', { abc: '005' }))).body.session_id
  const held = (await hold(account)).session.id
  await clock.advance(day_ms)
  const newer = await client.open()
  await clock.advance(day_ms - 1)
  expect(await purge()).toBe(0)
  await clock.advance(2)
  expect(await purge()).toBe(2)
  expect(await Promise.all([untouched.id, tried.id].map(statusOf))).toEqual([404, 404])
  const kept = [captured, declined, held, newer.id]
  expect(await Promise.all(kept.map(statusOf))).toEqual([200, 200, 200, 200])
  expect((await client.state(untouched)).status).toBe(401)
  const attempts = await service.sql`select session_id from attempts where merchant_id = ${merchant_id}`
  expect(new Set(attempts.map(({ session_id }) => session_id))).toEqual(new Set([captured, declined, held]))
  expect((await purgeLines()).map(({ detail }) => detail)).toEqual([{ mode: 'test', count: 2 }])
  expect(await faults()).toEqual([])
  expect(await purge()).toBe(0)
})

test('a live one goes after thirty days, or those of the setting', async () => {
  account = await service.newAccount({ merchant: live })
  const first = await account.client.open()
  expect((await account.client.readSession(first.id)).body.mode).toBe('live')
  await clock.advance(30 * day_ms - 1)
  expect(await purge()).toBe(0)
  const second = await account.client.open()
  await clock.advance(2)
  expect(await purge()).toBe(1)
  await clock.advance(day_ms)
  expect(await purge(2)).toBe(0)
  expect(await purge(1)).toBe(1)
  expect(await Promise.all([first.id, second.id].map(statusOf))).toEqual([404, 404])
  expect(await faults()).toEqual([])
})

test('the setting is for test sessions, too, where it is less than theirs', async () => {
  await account.client.open()
  await clock.advance(day_ms + 1)
  expect(await purge(1)).toBe(1)
})

test('several purges at once, batch by batch, delete each session once', async () => {
  for (let index = 0; index < 12; index++) await account.client.open()
  await clock.advance(3 * day_ms)
  const { merchant_id } = account
  const below = idsFrom(clock.now())
  const at = clock.now()
  const all = async () => {
    let total = 0
    for (let after: string | null = ''; after !== null; ) {
      const due = { merchant_id, mode: 'test', after, below } as const
      const line = { entry_id: service.context.ids.journalEntry(at), at }
      const how = { line, forgets_lines: true }
      const page: { last: string | null; count: number } = await purgePage(service.sql, due, how, 5)
      after = page.last
      total += page.count
    }
    return total
  }
  const counts = await Promise.all([all(), all(), all()])
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12)
  const told = (await purgeLines()).map(({ detail }) => detail.count)
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(12)
  expect(await faults()).toEqual([])
})

test('a paid session that is gone is found; so is one that no purge came to', async () => {
  const { session_id } = (await account.client.pay()).body
  await account.client.open()
  await clock.advance(3 * day_ms)
  expect(await purge()).toBe(1)
  const { id } = await account.client.open()
  const undo = new Error('taken back')
  const without = (removed: string) => async (sql: AnySql) => {
    await sql`set local session_replication_role = replica`
    await sql`delete from sessions where session_id = ${removed}`
    expect(await faults(sql as unknown as Sql)).toEqual(['session_removed'])
    throw undo
  }
  await expect(service.sql.begin(without(session_id))).rejects.toBe(undo)
  await expect(service.sql.begin(without(id))).rejects.toBe(undo)
})

const createdLines = async () => {
  const rows = await service.sql<{ subject: string }[]>`
    select subject from journal where merchant_id = ${account.merchant_id} and change = 'session.created'`
  return rows.map(({ subject }) => subject).sort()
}
const hour_ms = 3600 * 1000
const chain = () => verifyChain(service.context, account.merchant_id, new Set())

test('with an unpaid session that a page made goes its line, and the chain stays whole', async () => {
  const { client } = account
  const ofServer = await client.open()
  const ofPage = await openUnverified(account)
  const tried = await openUnverified(account)
  await client.present(tried)
  const paid = (await hold(account)).session
  await clock.advance(3 * hour_ms)
  const before = await chain()
  expect(before.faults).toEqual([])
  const sealed = await service.sql<{ subject: string }[]>`
    select subject from audit_chain c join journal j using (merchant_id, entry_id)
    where merchant_id = ${account.merchant_id} and change = 'session.created'`
  const kept = [ofServer.id, tried.id, paid.id].sort()
  expect(sealed.map(({ subject }) => subject).sort()).toEqual(kept)
  expect(await createdLines()).toEqual([...kept, ofPage.id].sort())
  await clock.advance(2 * day_ms)
  expect(await purge()).toBe(3)
  expect(await createdLines()).toEqual(kept)
  expect((await purgeLines()).map(({ detail }) => detail)).toEqual([{ mode: 'test', count: 3 }])
  const after = await verifyChain(service.context, account.merchant_id, new Set([before.head!.hash.toString('hex')]))
  expect([after.faults, after.found_heads.length]).toEqual([[], 1])
  expect(await faults()).toEqual([])
})

test('a line of a page that is in the chain already stays there', async () => {
  const { id } = await openUnverified(account)
  const [written] = await service.sql<{ line: WrittenLine }[]>`
    select ${writtenLine(service.sql, service.sql`j`)} as line from journal j where subject = ${id}`
  const { line } = written!
  const row = { position: 1, entry_id: line.entry_id, hash: nextHash(genesis, line) }
  await extendChain(service.sql, { merchant_id: account.merchant_id, from: null, rows: [row] })
  await clock.advance(3 * day_ms)
  expect(await purge()).toBe(1)
  expect(await createdLines()).toEqual([id])
  expect((await chain()).faults).toEqual([])
})

test('a role that may not delete lines purges as well', async () => {
  await openUnverified(account)
  const { merchant_id } = account
  await clock.advance(3 * day_ms)
  const at = clock.now()
  const line = { entry_id: service.context.ids.journalEntry(at), at }
  const due = { merchant_id, mode: 'test', after: '', below: idsFrom(at) } as const
  const role = `purger_${merchant_id}`
  const undo = new Error('taken back')
  const asRole = service.sql.begin(async (tx) => {
    const sql = tx as unknown as Sql
    await tx.unsafe(`create role ${role}; grant select, insert, update, delete on all tables in schema public to ${role};
      revoke delete on journal from ${role}; set local role ${role}`)
    expect(await mayForgetLines(sql)).toBe(false)
    expect((await purgePage(sql, due, { line, forgets_lines: false }, 500)).count).toBe(1)
    throw undo
  })
  await expect(asRole).rejects.toBe(undo)
  expect(await mayForgetLines(service.sql)).toBe(true)
})
