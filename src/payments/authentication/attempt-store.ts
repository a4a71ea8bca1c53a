// The SQL of attempts. Each function is one statement, so each is one transaction and one round trip.

import type { JournalLine, OpenLine } from '../../audit/journal.ts'
import { journalOf } from '../../audit/journal-store.ts'
import { assignments, rowIf } from '../../database/driver/rows.ts'
import type { Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'
import type { Attempt, ThreeDsState } from '../attempt.ts'
import { isUnpaidAsRead } from '../sessions/session-store.ts'
import { nextStates } from '../three-ds-states.ts'

/** The lines of an attempt that is opened, and of the one that it supersedes, where there is one. */
export type NewAttemptLines = { opened: JournalLine; superseded: OpenLine }

/**
 * Opens an attempt, if nobody changed the session since it was read. The unfinished attempt before it is superseded and
 * its card deleted. The new card is kept for as long as the session can still be paid. False where another request was
 * faster.
 */
export async function insertAttempt(
  sql: Sql,
  attempt: Attempt,
  { expires_at, keep_card_until, lines }: { expires_at: Date; keep_card_until: Date; lines: NewAttemptLines },
): Promise<boolean> {
  const a = attempt
  const rows = await sql`
    with session as (
      update sessions set attempt_count = ${a.number}
      where ${isUnpaidAsRead(sql, { ...a, attempt_count: a.number - 1, expires_at })}
      returning 1
    ), superseded as (
      update attempts set three_ds_state = 'superseded', phase = 'settled', settled_at = ${a.created_at}
      where merchant_id = ${a.merchant_id} and session_id = ${a.session_id} and phase = 'authenticating'
        and exists (select 1 from session)
      returning merchant_id, attempt_id, card_reference
    ), old_card as (
      delete from vault.cards using superseded
      where cards.merchant_id = superseded.merchant_id and cards.card_reference = superseded.card_reference
    ), old_code as (
      delete from vault.security_codes using superseded
      where security_codes.merchant_id = superseded.merchant_id
        and security_codes.card_reference = superseded.card_reference
    ), card as (
      update vault.cards set expires_at = ${keep_card_until}
      where merchant_id = ${a.merchant_id} and card_reference = ${a.card_reference}
        and exists (select 1 from session)
    ), code as (
      update vault.security_codes set expires_at = ${keep_card_until}
      where merchant_id = ${a.merchant_id} and card_reference = ${a.card_reference}
        and exists (select 1 from session)
    ), line_before as (
      ${journalOf(sql, lines.superseded, sql`select merchant_id, attempt_id as subject from superseded`)}
    ), line as (insert into journal ${rowIf(sql, lines.opened, 'session')})
    insert into attempts
      (merchant_id, attempt_id, session_id, number, card_reference, brand, last4, phase, three_ds_state,
       three_ds_version, three_ds_provider, three_ds_handle, server_transaction_id, window_size, asking_until, locale,
       created_at)
    select ${a.merchant_id}, ${a.attempt_id}, ${a.session_id}, ${a.number}, ${a.card_reference}, ${a.brand},
       ${a.last4}, ${a.phase}, ${a.three_ds_state}, ${a.three_ds_version}, ${a.three_ds_provider},
       ${a.three_ds_handle}, ${a.server_transaction_id}, ${a.window_size}, ${a.asking_until}, ${a.locale}, ${a.created_at}
    from session returning 1`
  return rows.length > 0
}

/**
 * Takes over an attempt that no request is asking for any more. It gets a new transaction id, since the bank may have
 * received the old one.
 */
export async function claimAsking(
  sql: Sql,
  attempt: Attempt,
  claim: Pick<Attempt, 'asking_until' | 'server_transaction_id'>,
  line: JournalLine,
): Promise<Attempt | undefined> {
  const [row] = await sql<Attempt[]>`
    with claimed as (
      update attempts set asking_until = ${claim.asking_until},
        server_transaction_id = ${claim.server_transaction_id}
      where merchant_id = ${attempt.merchant_id} and attempt_id = ${attempt.attempt_id}
        and three_ds_state = 'not_started' and phase = 'authenticating'
        and asking_until is not distinct from ${attempt.asking_until}
      returning *
    ), line as (insert into journal ${rowIf(sql, line, 'claimed')})
    select * from claimed`
  return row
}

export type AttemptMove = Partial<Attempt> & { three_ds_state: ThreeDsState }

/**
 * Moves an attempt on from `from`, once, by the Directory Server's answer or its RReq: to a state that may follow. An answer to a
 * transaction that was taken over moves nothing.
 */
export async function moveAttempt(
  sql: Sql,
  attempt: Pick<Attempt, 'merchant_id' | 'attempt_id' | 'server_transaction_id'>,
  { from, to, line }: { from: ThreeDsState; to: AttemptMove; line: JournalLine },
): Promise<Attempt | undefined> {
  if (!nextStates[from].includes(to.three_ds_state)) throw new Error(`${to.three_ds_state} does not follow ${from}`)
  const [row] = await sql<Attempt[]>`
    with moved as (
      update attempts set ${assignments(sql, to)}
      where merchant_id = ${attempt.merchant_id} and attempt_id = ${attempt.attempt_id}
        and three_ds_state = ${from} and phase = 'authenticating'
        and server_transaction_id = ${attempt.server_transaction_id}
      returning *
    ), line as (insert into journal ${rowIf(sql, line, 'moved')})
    select * from moved`
  return row
}

/** Withdraws an attempt that no Directory Server ever received, so that it is not spent. */
export async function withdrawAttempt(sql: Sql, attempt: Attempt, line: JournalLine): Promise<void> {
  const { merchant_id, session_id, attempt_id, server_transaction_id, number } = attempt
  await sql`
    with locked as (
      select 1 from sessions
      where merchant_id = ${merchant_id} and session_id = ${session_id} for update
    ), gone as (
      delete from attempts
      where merchant_id = ${merchant_id} and attempt_id = ${attempt_id}
        and three_ds_state = 'not_started' and server_transaction_id = ${server_transaction_id}
        and exists (select 1 from locked)
      returning 1
    ), line as (insert into journal ${rowIf(sql, line, 'gone')})
    update sessions set attempt_count = ${number - 1}
    where merchant_id = ${merchant_id} and session_id = ${session_id} and attempt_count = ${number}
      and exists (select 1 from gone)`
}

export async function findAttemptByTransaction(
  sql: Sql,
  merchant_id: string,
  server_transaction_id: string,
): Promise<Attempt | undefined> {
  const [row] = await sql<Attempt[]>`
    select * from attempts
    where merchant_id = ${merchant_id} and server_transaction_id = ${server_transaction_id.toLowerCase()}`
  return row
}

export async function findAttempt(sql: Sql, merchant_id: string, attempt_id: string): Promise<Attempt | undefined> {
  const [row] = await sql<Attempt[]>`
    select * from attempts where merchant_id = ${merchant_id} and attempt_id = ${attempt_id}`
  return row
}

/**
 * Attempts at connections that await a challenge, with the mode of their session: the challenge that ends first comes first.
 * Those behind `after`, whose challenge ends after `ended_after`.
 */
export async function listFetchable(
  sql: Sql,
  which: {
    ended_after: Date
    after: (Pick<Attempt, 'attempt_id'> & { challenge_expires_at: Date }) | null
    limit: number
  },
): Promise<{ mode: Mode; attempt: Attempt }[]> {
  const { ended_after, after, limit } = which
  const from = after
    ? sql`(a.challenge_expires_at, a.attempt_id) > (${after.challenge_expires_at}, ${after.attempt_id})`
    : sql`a.challenge_expires_at > ${ended_after}`
  const rows = await sql<(Attempt & { mode: Mode })[]>`
    select a.*, s.mode from attempts a join sessions s using (merchant_id, session_id)
    where a.three_ds_state = 'awaiting_challenge' and a.phase = 'authenticating'
      and a.three_ds_provider is not null and ${from}
    order by a.challenge_expires_at, a.attempt_id limit ${limit}`
  return rows.map(({ mode, ...attempt }) => ({ mode, attempt }))
}
