// After a storm: compares what clients were answered with the database, the acquirer's books, the journal and the receivers.

import type { ServiceResources } from '../../src/service/resources.ts'
import { expectBooksAgree } from '../../tests/support/books.ts'
import { countPerSession } from '../simulate/books.ts'
import { payment_edges } from '../simulate/memory.ts'
import { faultsOfDeliveries, faultsOfJournal, faultsOfVault } from '../simulate/records.ts'
import { faultsOfWay } from './check-way.ts'
import type { Diary, DiaryPromise } from './diary.ts'
import type { Market } from './shops.ts'

export type Checked = {
  opened: ServiceResources
  diary: Diary
  market: Market
  /** By how much the clock of a process was ahead of the clients' at most, as it was meant to be. */
  ahead_ms: number
}

/** Every fact that does not hold, in words. */
export async function faultsOfStorm(checked: Checked): Promise<string[]> {
  const { opened, diary, market } = checked
  const { sql } = opened.database
  const shared = [
    ...(await faultsOfDeliveries(sql, market.receivers)),
    ...(await faultsOfVault(sql)),
    ...(await faultsOfJournal(
      { sql, world: { clock: opened.world.clock } },
      market.shops.map(({ merchant_id }) => merchant_id),
    )),
  ]
  return [
    ...diary.faults,
    ...market.faults,
    ...shared.map(([, fault]) => fault),
    ...(await faultsOfMoney(checked)),
    ...(await faultsOfCreates(checked)),
    ...(await faultsOfResults(checked)),
    ...(await faultsOfDecisions(checked)),
    ...(await faultsOfRefunds(checked)),
    ...(await faultsOfRest(checked)),
    ...(await faultsOfWay(opened.database.sql)),
  ]
}

/** Both ledgers, events, holds and journal. The acquirer's is in the same database: what it has is as durable as ours. */
async function faultsOfMoney({ opened }: Checked): Promise<string[]> {
  try {
    await expectBooksAgree(opened.database)
    return []
  } catch (error) {
    const { actual, message } = error as { actual?: string[]; message: string }
    return Array.isArray(actual) ? actual : [message]
  }
}

type CreatedSession = {
  session_id: string
  key: string
  amount: string | number
  merchant_id: string
}

/** A key that was acknowledged, or asked for until it was, has one session; one that was refused has none. */
async function faultsOfCreates({ opened, diary }: Checked): Promise<string[]> {
  const rows = await opened.database.sql<CreatedSession[]>`
    select session_id, merchant_id, amount, metadata->>'key' as key from sessions`
  const made = Map.groupBy(rows, ({ key }) => key)
  const creates = diary.promises.filter(({ kind }) => kind !== 'decision' && kind !== 'refund')
  const asked = new Set(creates.map(({ key }) => key))
  return [
    ...creates.flatMap((promised) => faultsOfCreate(promised, made.get(promised.key) ?? [])),
    ...rows
      .filter(({ key }) => !asked.has(key))
      .map(({ session_id }) => `${session_id} was made, and nobody asked for it`),
  ]
}

function faultsOfCreate(promised: DiaryPromise, made: CreatedSession[]): string[] {
  const { key, text, asked, refusal, merchant_id } = promised
  if (text === null) {
    return [
      ...unless(refusal !== null, `${key} was never answered, not even after the storm`),
      ...unless(made.length === 0, `${key} was refused (${refusal}), and made a session`),
    ]
  }
  if (made.length !== 1) return [`${key} was acknowledged, and has ${made.length} sessions`]
  const [row] = made as [CreatedSession]
  const { amount } = asked.body as { amount: number }
  return [
    ...unless(text.includes(row.session_id), `${key} was answered with another session`),
    ...unless(Number(row.amount) === amount, `${key} has an amount of ${row.amount}`),
    ...unless(row.merchant_id === merchant_id, `${key} belongs to ${row.merchant_id}`),
  ]
}

/** What confirm answered, and what payments were read as, is what they are, or what came before it. */
async function faultsOfResults({ opened, diary }: Checked): Promise<string[]> {
  const { sql } = opened.database
  const attempts = await sql<{ attempt_id: string; status: string | null }[]>`
    select attempt_id, result->>'status' as status from attempts`
  const payments = await sql<{ payment_id: string; status: string }[]>`
    select payment_id, status from payments`
  const results = new Map(attempts.map(({ attempt_id, status }) => [attempt_id, status]))
  const statuses = new Map(payments.map(({ payment_id, status }) => [payment_id, status]))
  return [
    ...[...diary.results].flatMap(([attempt_id, { status }]) => {
      const kept = results.get(attempt_id)
      return unless(kept === status, `${attempt_id} was answered ${status}, and is ${kept}`)
    }),
    ...[...diary.statuses].flatMap(([payment_id, read]) => {
      const path = [...read, statuses.get(payment_id) ?? 'not there']
      const is_allowed = path.every(
        (next, at) => at === 0 || next === path[at - 1] || payment_edges[path[at - 1]!]!.includes(next),
      )
      return unless(is_allowed, `${payment_id} went ${path.join(', ')}`)
    }),
  ]
}

/** A capture that was acknowledged took the money, and a void gave it back; never both. */
async function faultsOfDecisions({ opened, diary }: Checked): Promise<string[]> {
  const rows = await opened.database.sql<{ payment_id: string; status: string }[]>`
    select payment_id, status from payments`
  const statuses = new Map(rows.map(({ payment_id, status }) => [payment_id, status]))
  return diary.promises.flatMap(({ kind, text, key }) => {
    if (kind !== 'decision' || text === null) return []
    const { status, payment_id = key.split(' ').at(-1)! } = JSON.parse(text)
    const kept = statuses.get(payment_id)
    // An answer that is not known yet says that it is still held.
    const holds = status === 'held' || kept === status
    return unless(holds, `${key} was answered ${status}, and the payment is ${kept}`)
  })
}

/** A refund that was acknowledged is there, for its amount; the books of both sides are compared elsewhere. */
async function faultsOfRefunds({ opened, diary }: Checked): Promise<string[]> {
  const rows = await opened.database.sql<{ refund_id: string; amount: string | number }[]>`
    select refund_id, amount from refunds`
  const amounts = new Map(rows.map(({ refund_id, amount }) => [refund_id, Number(amount)]))
  const promised = diary.promises.filter(({ kind }) => kind === 'refund')
  const made = new Set(promised.flatMap(({ text }) => (text ? [JSON.parse(text).id] : [])))
  return [
    ...promised.flatMap(({ text, key }) => {
      if (text === null) return []
      const { id, amount } = JSON.parse(text) as { id: string; amount: number }
      const words = `${key} was answered ${id} of ${amount}, and there is ${amounts.get(id)}`
      return unless(amounts.get(id) === amount, words)
    }),
    ...rows.flatMap(({ refund_id }) => unless(made.has(refund_id), `${refund_id} was made, and nobody was told`)),
  ]
}

async function faultsOfRest({ opened }: Checked): Promise<string[]> {
  const live = await countPerSession(opened.database.sql)
  return [
    ...(await whatIsUnderWay(opened)),
    ...live.flatMap(({ session_id, live, attempts }) => [
      ...unless(live <= 1, `${session_id} has ${live} live payments`),
      ...unless(attempts <= 3, `${session_id} has ${attempts} attempts`),
    ]),
  ]
}

/** What is not at rest; nothing once all is. */
export async function whatIsUnderWay({ database: { sql } }: ServiceResources): Promise<string[]> {
  const [row] = await sql<[Record<'operations' | 'deliveries' | 'sessions', number>]>`
    select
      (select count(*)::int from acquirer_operations
        where state in ('sent', 'unknown', 'accepted', 'reversing')) as operations,
      (select count(*)::int from webhook_queue) as deliveries,
      (select count(*)::int from sessions
        where settlement is not null or answer_by is not null) as sessions`
  return [
    ...unless(row.operations === 0, `${row.operations} operations without an answer`),
    ...unless(row.deliveries === 0, `${row.deliveries} deliveries wait`),
    ...unless(row.sessions === 0, `${row.sessions} sessions wait for an answer`),
  ]
}

function unless(holds: boolean, fault: string): string[] {
  return holds ? [] : [fault]
}
