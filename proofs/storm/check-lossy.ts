// After an asynchronous failover: names what was acknowledged and is gone, and tells it from what must not be gone.

import type { Sql } from '../../src/database/open.ts'
import type { Diary, DiaryCall } from './diary.ts'
import type { FailedOver } from './fail-over.ts'
import { sessionOfCall, sessionsOfPayments } from './read-history.ts'

/** What was written so long before the standby fell behind was on its way there. */
const slack_ms = 1_000

export type KeyUse = { key: string; at_ms: number }

/** The ids and keys of all sessions of which something was answered or told while it may have been lost. */
export function touchedBy(
  { calls }: Pick<Diary, 'calls'>,
  heard: KeyUse[],
  { lag_ms, promoted_ms }: Pick<FailedOver, 'lag_ms' | 'promoted_ms'>,
): Set<string> {
  const since_ms = lag_ms - slack_ms
  const whose = sessionsOfPayments(calls)
  const is_meanwhile = ({ begin_ms, end_ms }: DiaryCall) => end_ms >= since_ms && begin_ms <= promoted_ms
  const told = heard.filter(({ at_ms }) => at_ms >= since_ms && at_ms <= promoted_ms)
  const sessions = new Set([
    ...calls.filter(is_meanwhile).map((kept) => sessionOfCall(kept, whose)),
    ...told.flatMap(({ key }) => idsIn(key).map((id) => whose.get(id))),
  ])
  const touched = calls.filter((kept) => is_meanwhile(kept) || sessions.has(sessionOfCall(kept, whose) ?? ''))
  return new Set([
    ...touched.flatMap(({ asked, said }) => [
      ...idsIn(asked.path),
      ...idsIn(said.text),
      ...idsIn(Object.values(asked.headers).join(' ')),
    ]),
    ...told.flatMap(({ key }) => idsIn(key)),
  ])
}

/** Ids of sessions, attempts and payments, references at the bank, and keys, wherever they stand in a text. */
export function idsIn(text: string): string[] {
  return text.match(/\b(?:cs|att|pay)_[0-9a-f]+|\b[0-9a-f]{32}\b|storm \d+\.\d+(?:\/\d+)?/g) ?? []
}

/** Every answer that was acknowledged and is not so any more. To be asked before anything is asked for again. */
export async function lostAnswers(sql: Sql, diary: Diary): Promise<string[]> {
  const sessions = await setOf(sql`select session_id as id from sessions`)
  const attempts = await mapOf(sql`select attempt_id as id, result->>'status' as status from attempts`)
  const payments = await mapOf(sql`select payment_id as id, status from payments`)
  const creates = [...diary.sessions].filter(([id]) => !sessions.has(id))
  const results = [...diary.results].filter(([id, { status }]) => attempts.get(id) !== status)
  const decisions = diary.promises.flatMap(({ kind, key, text }) => {
    if (kind !== 'decision' || text === null) return []
    const { id, status } = JSON.parse(text) as { id: string; status: string }
    const kept = payments.get(id)
    return status === 'held' || kept === status ? [] : [`${key} was answered ${status}, and the payment is ${kept}`]
  })
  return [
    ...creates.map(([id, { key }]) => `${key} was answered ${id}, which is gone`),
    ...results.map(
      ([id, { status, payment_id }]) =>
        `${id} was answered ${status} (${payment_id}), and is ${attempts.has(id) ? (attempts.get(id) ?? 'without an outcome') : 'gone'}`,
    ),
    ...decisions,
  ]
}

type Unknown = {
  reference: string
  authorised_at: Date
  is_taken_back: boolean
  is_held_back: boolean
}

/** Authorisations at the bank that nothing here knows, once its books lie beside ours. */
export async function unknownAuthorisations(sql: Sql): Promise<Unknown[]> {
  return await sql<Unknown[]>`
    select l.reference, l.authorised_at,
      l.voided_at is not null or l.reversed_at is not null as is_taken_back,
      exists (select 1 from orphan_authorisations r where r.reference = l.reference
        and r.state = 'found' and r.held_back_at is not null) as is_held_back
    from simulator.ledger l
    where l.kind = 'authorise' and l.authorised_at is not null
      and not exists (select 1 from acquirer_operations o where o.operation_id = l.reference)`
}

/** Held back, each of them, and never reversed: it may be a payment of which the rows are gone. */
export function faultsOfUnknown(unknown: Unknown[]): string[] {
  return unknown.flatMap(({ reference, is_taken_back, is_held_back }) => [
    ...(is_taken_back ? [`the bank's ${reference}, of which the rows are gone, was reversed`] : []),
    ...(is_held_back || is_taken_back ? [] : [`the bank's ${reference} is not held back`]),
  ])
}

async function setOf(rows: PromiseLike<readonly object[]>): Promise<Set<string>> {
  return new Set(((await rows) as { id: string }[]).map(({ id }) => id))
}

async function mapOf(rows: PromiseLike<readonly object[]>): Promise<Map<string, string | null>> {
  const read = (await rows) as { id: string; status: string | null }[]
  return new Map(read.map(({ id, status }) => [id, status]))
}
