// The SQL of operations without an answer: marks them, claims them for look-ups, repeats them, leaves them to a person, and ends them.
// Each is a compare-and-set on the operation's state, so that a late answer and a look-up never both count.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { Fragment, Sql } from '../../database/open.ts'
import type { Attempt } from '../attempt.ts'
import { deleteCard } from '../cards/vault-store.ts'
import type { ExpectedState, Operation, OperationState, UnansweredOperation } from '../operation.ts'
import type { PaymentKey } from '../payment.ts'
import type { Session } from '../session.ts'

type OperationKey = Pick<Operation, 'merchant_id' | 'operation_id'>

/** Only a wrong clock sets a look-up further ahead. */
const longest_wait_ms = 2 * 3_600_000

/**
 * The outcome is not known yet: from now on the reconciler asks for it. `accepted`: the acquirer carries the request out later, and
 * nothing is sent again. The card of a charge is deleted, since its security code must not outlive the request. False where somebody
 * else has it in hand.
 */
export async function savePending(
  sql: Sql,
  pending: {
    operation: OperationKey
    state: 'unknown' | 'accepted'
    /** Its settlement becomes unknown. Null where the session does not depend on it. */
    session: Session | null
    /** Of a charge. */
    attempt: Attempt | null
    /** Null where the acquirer has not named it. */
    acquirer_transaction_id: string | null
    at: Date
    next_check_at: Date
    journal: JournalLine
  },
): Promise<boolean> {
  const { operation: o, state, session: s, attempt, acquirer_transaction_id, at, journal } = pending
  const before = state === 'accepted' ? sql`state in ('sent', 'unknown')` : sql`state = 'sent'`
  // The search begins by these times. The request was sent before `at`, whatever the sender's clock said.
  const times =
    state === 'unknown' ? sql`, sent_at = least(sent_at, ${at}), last_sent_at = least(last_sent_at, ${at})` : sql``
  const rows = await sql`
    with gate as (
      update acquirer_operations set state = ${state}, next_check_at = ${pending.next_check_at},
        acquirer_transaction_id = coalesce(${acquirer_transaction_id}, acquirer_transaction_id) ${times}
      where ${isThis(sql, o)} and ${before} returning 1
    ), session as (${isAwaited(sql, s)}
    ), journal as (insert into journal ${rowIf(sql, journal, 'gate')})
    ${attempt ? sql`, ${deleteCard(sql, attempt)}` : sql``}
    select 1 from gate`
  return rows.length > 0
}

/** The body of a CTE: the session shows that an answer is missing. */
function isAwaited(sql: Sql, session: Session | null): Fragment {
  if (!session) return sql`select 1`
  const { merchant_id, session_id } = session
  return sql`
    update sessions set settlement = 'awaiting_reconciliation'
    where merchant_id = ${merchant_id} and session_id = ${session_id} and exists (select 1 from gate)`
}

/**
 * Claims operations that are due for a look-up, until `lease_until`. Each look-up is counted. An operation whose
 * process died before it heard an answer is only marked unknown; so is one whose first look-up is hours away, since its
 * writer's clock was wrong.
 */
export async function claimOperations(
  sql: Sql,
  { now, lease_until, limit }: { now: Date; lease_until: Date; limit: number },
): Promise<UnansweredOperation[]> {
  const never = new Date(now.getTime() + longest_wait_ms)
  return sql<UnansweredOperation[]>`
    with claimed as (
      update acquirer_operations set next_check_at = ${lease_until},
        checks = checks + case when state = 'sent' then 0 else 1 end
      where (ctid = any(array(
        select ctid from acquirer_operations
        where state in ('sent', 'unknown', 'reversing', 'accepted') and next_check_at <= ${now}
        order by next_check_at limit ${limit} for update skip locked))
        or ctid = any(array(
        select ctid from acquirer_operations
        where state in ('sent', 'unknown', 'reversing', 'accepted') and next_check_at > ${never} and state = 'sent'
        order by next_check_at limit ${limit} for update skip locked)))
        and state in ('sent', 'unknown', 'reversing', 'accepted')
      returning *
    )
    select * from claimed order by sent_at, operation_id`
}

/** An operation with what came of it. */
export type OperationWithAnswer = UnansweredOperation & {
  answer: object | null
  answered_at: Date | null
}

/** All operations of a payment, oldest first. */
export async function listOperations(
  sql: Sql,
  { merchant_id, payment_id }: PaymentKey,
): Promise<OperationWithAnswer[]> {
  return sql<OperationWithAnswer[]>`
    select * from acquirer_operations where merchant_id = ${merchant_id} and payment_id = ${payment_id}
    order by sent_at, kind <> 'authorise', sequence, operation_id`
}

export async function lookAgain(
  sql: Sql,
  { checks, ...operation }: UnansweredOperation,
  next: { at: Date; not_found_count: number },
): Promise<void> {
  await sql`
    update acquirer_operations set next_check_at = ${next.at}, not_found_count = ${next.not_found_count}
    where ${isThis(sql, operation)} and state in ('unknown', 'reversing', 'accepted') and checks = ${checks}`
}

/** No job looks it up any more. */
export async function markForPerson(
  sql: Sql,
  operation: OperationKey,
  { since, journal }: { since: Date; journal: JournalLine },
): Promise<boolean> {
  const rows = await sql`
    with gate as (
      update acquirer_operations set next_check_at = null, waits_for_person_since = ${since}
      where ${isThis(sql, operation)} and state in ('unknown', 'reversing', 'accepted') and waits_for_person_since is null
      returning 1
    ), journal as (insert into journal ${rowIf(sql, journal, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

/** From now on the charge can only fail: a late answer is ignored. False where one came before. */
export async function beginReversal(
  sql: Sql,
  charge: OperationKey,
  { reversal, journal }: { reversal: Operation; journal: JournalLine },
): Promise<boolean> {
  const rows = await sql`
    with gate as (
      update acquirer_operations set state = 'reversing', next_check_at = ${reversal.answer_by}
      where ${isThis(sql, charge)} and state = 'unknown' returning 1
    ), reversal as (insert into acquirer_operations ${rowIf(sql, reversal, 'gate')}
    ), journal as (insert into journal ${rowIf(sql, journal, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

/** The request goes out once more under its own reference. False where it was answered meanwhile. */
export async function beginAgain(
  sql: Sql,
  operation: OperationKey,
  sending: Pick<Operation, 'last_sent_at' | 'answer_by'> & { journal: JournalLine },
): Promise<boolean> {
  const { last_sent_at, answer_by, journal } = sending
  const rows = await sql`
    with gate as (
      update acquirer_operations set state = 'sent', last_sent_at = ${last_sent_at}, answer_by = ${answer_by},
        next_check_at = ${answer_by}, not_found_count = 0
      where ${isThis(sql, operation)} and state = 'unknown' returning 1
    ), journal as (insert into journal ${rowIf(sql, journal, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

/** The body of a CTE that ends an operation with its answer. It has a row if the operation was in the expected state. */
export function endOperation(
  sql: Sql,
  { merchant_id, operation_id }: Pick<Operation, 'merchant_id' | 'operation_id'>,
  end: {
    state: OperationState
    answer: object
    /** The acquirer's own id of the operation, or how the row gets it. */
    transaction_id: string | null | Fragment
    from: ExpectedState
    at: Date
  },
): Fragment {
  const { state, answer, transaction_id, from, at } = end
  return sql`
    update acquirer_operations set state = ${state}, answer = ${answer as never}, answered_at = ${at},
      acquirer_transaction_id = ${transaction_id}, next_check_at = null, waits_for_person_since = null
    where merchant_id = ${merchant_id} and operation_id = ${operation_id}
      and ${isInExpectedState(sql, from)} returning 1`
}

/** A condition on a row of `acquirer_operations`. */
export function isInExpectedState(sql: Sql, from: ExpectedState) {
  if (from === 'reversing' || from === 'approved') return sql`state = ${from}`
  if (from === 'unanswered') return sql`state in ('sent', 'unknown', 'accepted')`
  return sql`(state = 'sent' and last_sent_at = ${from.sending})`
}

function isThis(sql: Sql, { merchant_id, operation_id }: OperationKey) {
  return sql`merchant_id = ${merchant_id} and operation_id = ${operation_id}`
}
