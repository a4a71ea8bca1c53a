// The SQL of notices: acquirers' posts, each stored once, until their effect here is known.

import type { DisputeTold, Notice } from '../../acquirers/acquirer.ts'
import type { Sql } from '../../database/open.ts'
import type { Operation } from '../operation.ts'

/** A notice as stored, and its sender. */
export type StoredNotice = Notice & {
  merchant_id: string
  connection_id: string
  connector: string
  received_at: Date
  tries: number
}

type NoticeKey = Pick<StoredNotice, 'merchant_id' | 'connection_id' | 'notice_id'>

/** Stores notices of one connection in one statement. A repeated notice is stored once. Returns how many were new. */
export async function saveNotices(
  sql: Sql,
  { merchant_id, connection_id }: Pick<NoticeKey, 'merchant_id' | 'connection_id'>,
  notices: readonly Notice[],
  now: Date,
): Promise<number> {
  const rows = await sql`
    insert into acquirer_notices (merchant_id, connection_id, notice_id, about, reference, acquirer_transaction_id,
      authorisation_transaction_id, answer, occurred_at, is_ours, received_at, next_try_at)
    select ${merchant_id}, ${connection_id}, notice_id, about, reference, acquirer_transaction_id,
      authorisation_transaction_id, coalesce(dispute, answer), occurred_at, is_ours, ${now}, ${now}
    from json_to_recordset(${notices as never}::json) as posted (
      notice_id text, about text, reference text, acquirer_transaction_id text, authorisation_transaction_id text,
      answer json, dispute json, occurred_at timestamptz, is_ours boolean)
    on conflict do nothing returning 1`
  return rows.length
}

/** Longer than any wait for the next look. */
const longest_wait_ms = 2 * 3_600_000

/**
 * Claims unhandled notices, the oldest first, until `lease_until`. One that is due hours ahead was stored by a process whose clock
 * was wrong.
 */
export async function claimNotices(
  sql: Sql,
  { now, lease_until, limit }: { now: Date; lease_until: Date; limit: number },
): Promise<StoredNotice[]> {
  const never = new Date(now.getTime() + longest_wait_ms)
  const rows = await sql<(Omit<StoredNotice, 'answer'> & { answer: unknown })[]>`
    with claimed as (
      update acquirer_notices set next_try_at = ${lease_until}, tries = tries + 1
      where ctid = any(array(
        select ctid from acquirer_notices where next_try_at <= ${now} or (next_try_at > ${never} and next_try_at < 'infinity')
        order by next_try_at limit ${limit} for update skip locked))
      returning *
    )
    select n.merchant_id, n.connection_id, n.notice_id, n.about, n.reference, n.acquirer_transaction_id,
      n.authorisation_transaction_id, n.answer, n.occurred_at, n.is_ours, n.received_at, n.tries, c.connector
    from claimed n join connections c on c.merchant_id = n.merchant_id and c.connection_id = n.connection_id
    order by n.received_at, n.occurred_at, n.notice_id`
  return rows.map(({ answer: said, ...notice }) => {
    if (notice.about !== 'dispute') return { ...notice, answer: said as StoredNotice['answer'] }
    return { ...notice, answer: null, ...(said !== null && { dispute: said as DisputeTold }) }
  })
}

/** Records the result. The notice is not looked at again. */
export async function endNotice(
  sql: Sql,
  notice: NoticeKey,
  { outcome, at }: { outcome: string; at: Date },
): Promise<void> {
  await sql`
    update acquirer_notices set next_try_at = null, handled_at = ${at}, outcome = ${outcome}
    where ${isThis(sql, notice)}`
}

/**
 * Nobody looks at the notice again, and what it changed is not known. Returns false if another process has given it up or
 * handled it.
 */
export async function giveUpNotice(sql: Sql, notice: NoticeKey, at: Date): Promise<boolean> {
  const rows = await sql`
    update acquirer_notices set next_try_at = 'infinity', handled_at = ${at}, outcome = 'given_up'
    where ${isThis(sql, notice)} and handled_at is null
    returning 1`
  return rows.length > 0
}

export type GivenUpNotice = Pick<StoredNotice, 'connection_id' | 'about' | 'reference'>

/** Notices that were given up after the given time, the newest first. */
export async function listGivenUp(
  sql: Sql,
  { after, limit }: { after: Date; limit: number },
): Promise<GivenUpNotice[]> {
  return sql<GivenUpNotice[]>`
    select connection_id, about, reference from acquirer_notices
    where next_try_at = 'infinity' and handled_at > ${after}
    order by handled_at desc, notice_id limit ${limit}`
}

/** The notice's effect is not clear yet, so it is due again later. */
export async function postponeNotice(sql: Sql, notice: NoticeKey, next_try_at: Date): Promise<void> {
  await sql`update acquirer_notices set next_try_at = ${next_try_at} where ${isThis(sql, notice)}`
}

/** All names that a notice may have for what it speaks of. */
export type NoticeNames = Pick<Notice, 'reference' | 'acquirer_transaction_id' | 'authorisation_transaction_id'>

/**
 * Our operations at the acquirer of which one of these notices speaks: by our reference, or by the acquirer's id of the operation
 * or of its authorisation.
 */
export async function findOperationsNamed(
  sql: Sql,
  { merchant_id, acquirer, names }: { merchant_id: string; acquirer: string; names: NoticeNames[] },
): Promise<NamedOperation[]> {
  const references = names.flatMap(({ reference }) => reference ?? [])
  const transaction_ids = names.flatMap(transactionIdsOf)
  return sql<NamedOperation[]>`
    select operation_id, payment_id, acquirer_id from (
      select operation_id, payment_id, acquirer, coalesce(handle, acquirer_transaction_id) as acquirer_id
      from acquirer_operations
      where merchant_id = ${merchant_id} and operation_id = any(${references}::text[])
      union
      select operation_id, payment_id, acquirer, coalesce(handle, acquirer_transaction_id)
      from acquirer_operations
      where merchant_id = ${merchant_id} and coalesce(handle, acquirer_transaction_id) = any(${transaction_ids}::text[])
        and acquirer <> 'simulator'
    ) as named where acquirer = ${acquirer}`
}

/** Within a day the acquirer has told the name of each charge. */
const unnamed_ms = 24 * 3_600_000

/** Whether a charge at the acquirer has had no answer within its day, so that its name there may still be unknown here. */
export async function hasUnansweredCharge(
  sql: Sql,
  { merchant_id, acquirer, sent_before }: { merchant_id: string; acquirer: string; sent_before: Date },
): Promise<boolean> {
  const rows = await sql`
    select from acquirer_operations
    where merchant_id = ${merchant_id} and acquirer = ${acquirer} and kind = 'authorise'
      and state in ('sent', 'unknown', 'reversing') and sent_at <= ${sent_before}
      and sent_at > ${new Date(sent_before.getTime() - unnamed_ms)}
    limit 1`
  return rows.length > 0
}

/**
 * What the notices of one connection have told of a charge: how much was approved, and how much was given back since, in all. Only
 * for a charge that is in doubt: all notices of the connection are gone through.
 */
export async function sumTold(
  sql: Sql,
  { merchant_id, connection_id }: Pick<NoticeKey, 'merchant_id' | 'connection_id'>,
  transaction_id: string,
): Promise<{ authorised: number; given_back: number }> {
  const [row] = await sql<{ authorised: number; given_back: number }[]>`
    with told as (
      select about, acquirer_transaction_id as id, answer from acquirer_notices
      where merchant_id = ${merchant_id} and connection_id = ${connection_id}
        and authorisation_transaction_id = ${transaction_id}
    )
    select coalesce(max((answer ->> 'amount')::bigint) filter (where about = 'authorise'), 0) as authorised,
      coalesce(sum((answer -> 'money' ->> 'amount')::bigint) filter (where about <> 'capture'
        -- A refund may fail after it succeeded.
        and not exists (select from told as later where later.id = told.id and later.answer ->> 'result' = 'refused')
      ), 0)::bigint as given_back
    from told where answer ->> 'result' = 'approved'`
  return row!
}

/** Whether so many notices of the connection wait at least. */
export async function doWait(
  sql: Sql,
  { merchant_id, connection_id }: Pick<NoticeKey, 'merchant_id' | 'connection_id'>,
  count: number,
): Promise<boolean> {
  const rows = await sql`
    select from acquirer_notices
    where merchant_id = ${merchant_id} and connection_id = ${connection_id} and next_try_at < 'infinity'
    limit ${count}`
  return rows.length === count
}

export type NamedOperation = Pick<Operation, 'operation_id' | 'payment_id'> & {
  /** The acquirer's id of it; null if that is not known. */
  acquirer_id: string | null
}

/** Whether one of a notice's names is the operation's. */
export function isNamed(
  { operation_id, acquirer_id }: Pick<NamedOperation, 'operation_id' | 'acquirer_id'>,
  names: NoticeNames,
): boolean {
  if (operation_id === names.reference) return true
  return acquirer_id !== null && transactionIdsOf(names).includes(acquirer_id)
}

function transactionIdsOf(names: NoticeNames): string[] {
  const { acquirer_transaction_id: own, authorisation_transaction_id: of_charge } = names
  return [own, of_charge].filter((id) => id !== null)
}

/**
 * Makes the search for the operation's answer look at once, even if it was left to a person. An operation just sent is skipped,
 * because its answer is still expected.
 */
export async function askAtOnce(
  sql: Sql,
  { merchant_id, operation_id }: Pick<Operation, 'merchant_id' | 'operation_id'>,
  now: Date,
): Promise<void> {
  await sql`
    update acquirer_operations set next_check_at = ${now}, waits_for_person_since = null
    where merchant_id = ${merchant_id} and operation_id = ${operation_id}
      and state in ('unknown', 'reversing', 'accepted') and (next_check_at is null or next_check_at > ${now})`
}

/** Deletes notices that were handled before the given times; those of others are of no use to people. Returns how many. */
export async function purgeNotices(sql: Sql, { ours, of_others }: { ours: Date; of_others: Date }): Promise<number> {
  const rows = await sql`
    delete from acquirer_notices
    where ctid = any(array(
      select ctid from acquirer_notices
      where handled_at < ${of_others} and (handled_at < ${ours} or (outcome = 'unknown_here' and is_ours is null))
      limit 1000))
    returning 1`
  return rows.length
}

function isThis(sql: Sql, { merchant_id, connection_id, notice_id }: NoticeKey) {
  return sql`merchant_id = ${merchant_id} and connection_id = ${connection_id} and notice_id = ${notice_id}`
}
