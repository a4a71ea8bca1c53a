// The SQL of sessions and attempts. Each function is one statement, so each is one transaction and one round trip.

import type { JournalLine, OpenLine } from '../audit/journal.ts'
import { journalOf } from '../audit/journal-store.ts'
import type { Sql } from '../database/open.ts'
import { assignments, rowIf } from '../database/rows.ts'
import type { SessionHolder } from '../http/access.ts'
import { type KeyRow, KeyTaken } from '../http/idempotency.ts'
import { keyUngated } from '../http/key-gate.ts'
import type { Attempt, ThreeDsState } from './attempt.ts'
import type { Hold } from './holds/hold.ts'
import type { Session } from './session.ts'

type SessionKey = Pick<SessionHolder, 'merchant_id' | 'session_id'>

/** A session with the idempotency key that makes it, if it has one, and the line that tells of it. */
export type NewSession = { session: Session; key: KeyRow | null; line: JournalLine }
export type KeyedSession = NewSession & { key: KeyRow }

/** Writes a session with its key and line. Throws KeyTaken, and writes nothing, where the key is there. */
export async function insertSession(sql: Sql, { session, key, line }: NewSession): Promise<void> {
  const s = session
  const rows = await sql`
    with key as (${keyUngated(sql, key)}), line as (insert into journal ${rowIf(sql, line, 'key')})
    insert into sessions
      (merchant_id, session_id, mode, status, amount, currency, items, customer, metadata,
       statement_descriptor_suffix, order_reference, confirmation_url, integration_id, integration,
       minted_by, public_key, amount_verified, amount_verification_source, amount_verification_detail,
       created_at, expires_at)
    select ${s.merchant_id}, ${s.session_id}, ${s.mode}, ${s.status}, ${s.amount}, ${s.currency},
       ${s.items as never}, ${s.customer as never}, ${s.metadata as never}, ${s.statement_descriptor_suffix}, ${s.order_reference},
       ${s.confirmation_url}, ${s.integration_id}, ${s.integration}, ${s.minted_by}, ${s.public_key},
       ${s.amount_verified}, ${s.amount_verification_source}, ${s.amount_verification_detail},
       ${s.created_at}, ${s.expires_at}
    from key returning 1`
  if (rows.length === 0) throw new KeyTaken()
}

/**
 * The same for several sessions of one merchant, whose keys differ. Returns the ids of those that were written: the others'
 * keys are there.
 */
export async function insertSessions(sql: Sql, rows: KeyedSession[]): Promise<Set<string>> {
  const sent = rows
    .map(({ session, key, line }) => ({
      ...session,
      audience: key.audience,
      key: key.key,
      route: key.route,
      fingerprint: `\\x${key.fingerprints[0]!.toString('hex')}`,
      answer: `\\x${key.answer.toString('hex')}`,
      answer_status: key.status,
      ...{ entry_id: line.entry_id, change: line.change, detail: line.detail },
      ...{ actor: line.actor, request_id: line.request_id },
    }))
    // In one order everywhere, so that two batches with the same keys do not wait for each other.
    .sort((a, b) => (`${a.audience} ${a.key}` < `${b.audience} ${b.key}` ? -1 : 1))
  const written = await sql<{ session_id: string }[]>`
    with row as materialized (
      select * from json_to_recordset(${sent as never}::json) as r (
        merchant_id text, session_id text, mode text, status text, amount bigint, currency text, items json,
        customer json, metadata json, statement_descriptor_suffix text, order_reference text,
        confirmation_url text, integration_id text, integration text, minted_by text, public_key text,
        amount_verified boolean, amount_verification_source text, amount_verification_detail text,
        created_at timestamptz, expires_at timestamptz,
        audience text, key text, route text, fingerprint bytea, answer bytea, answer_status integer,
        entry_id text, change text, detail json, actor text, request_id text)
    ), taken as (
      insert into idempotency_keys
        (merchant_id, audience, key, route, fingerprint, status, answer, created_at)
      select merchant_id, audience, key, route, fingerprint, answer_status, answer, created_at from row
      on conflict do nothing returning merchant_id, audience, key
    ), line as (
      insert into journal
        (merchant_id, entry_id, session_id, subject, change, detail, actor, request_id, at)
      select merchant_id, entry_id, session_id, session_id, change, detail, actor, request_id, created_at
      from row join taken using (merchant_id, audience, key)
    )
    insert into sessions
      (merchant_id, session_id, mode, status, amount, currency, items, customer, metadata,
       statement_descriptor_suffix, order_reference, confirmation_url, integration_id, integration,
       minted_by, public_key, amount_verified, amount_verification_source, amount_verification_detail,
       created_at, expires_at)
    select merchant_id, session_id, mode, status, amount, currency, items, customer, metadata,
       statement_descriptor_suffix, order_reference, confirmation_url, integration_id, integration,
       minted_by, public_key, amount_verified, amount_verification_source, amount_verification_detail,
       created_at, expires_at
    from row join taken using (merchant_id, audience, key)
    returning session_id`
  return new Set(written.map(({ session_id }) => session_id))
}

export async function findSession(sql: Sql, key: SessionKey): Promise<Session | undefined> {
  const [row] = await sql<Session[]>`
    select * from sessions where merchant_id = ${key.merchant_id} and session_id = ${key.session_id}`
  return row
}

/** Undefined where there is no such session; null for one without an integration. */
export async function findIntegrationId(
  sql: Sql,
  key: SessionKey,
): Promise<Session['integration_id'] | undefined> {
  const [row] = await sql<Pick<Session, 'integration_id'>[]>`
    select integration_id from sessions
    where merchant_id = ${key.merchant_id} and session_id = ${key.session_id}`
  return row?.integration_id
}

/** A session with the hold of its payment, where there is one. */
export async function findSessionAndHold(
  sql: Sql,
  key: SessionKey,
): Promise<{ session: Session; hold: Hold | null } | undefined> {
  const [row] = await sql<(Session & { hold: Hold | null })[]>`
    select s.*, (select row_to_json(h) from holds h
      where h.merchant_id = s.merchant_id and h.payment_id = s.payment_id) as hold
    from sessions s where s.merchant_id = ${key.merchant_id} and s.session_id = ${key.session_id}`
  if (!row) return undefined
  const { hold, ...session } = row
  return { session, hold: hold && withDates(hold, ['deadline', 'decided_at']) }
}

/** A session and its attempts, oldest first, as they stood at one moment. */
export async function findSessionAndAttempts(
  sql: Sql,
  key: SessionKey,
): Promise<{ session: Session; attempts: Attempt[] } | undefined> {
  const [row] = await sql<{ session: Session; attempts: Attempt[] }[]>`
    select row_to_json(s) as session, (
      select coalesce(json_agg(a order by a.number), '[]') from attempts a
      where a.merchant_id = s.merchant_id and a.session_id = s.session_id
    ) as attempts
    from sessions s where s.merchant_id = ${key.merchant_id} and s.session_id = ${key.session_id}`
  if (!row) return undefined
  return {
    session: withDates(row.session, sessionTimes),
    attempts: row.attempts.map((attempt) => withDates(attempt, attemptTimes)),
  }
}

export const sessionTimes = ['answer_by', 'created_at', 'expires_at'] satisfies (keyof Session)[]
export const attemptTimes = [
  'challenge_expires_at',
  'asking_until',
  'created_at',
  'settled_at',
] satisfies (keyof Attempt)[]

/** The lines of an attempt that is opened, and of the one that it supersedes, where there is one. */
export type OpeningLines = { opened: JournalLine; superseded: OpenLine }

/**
 * Opens an attempt and supersedes the unfinished one before it, whose card is deleted, if nobody changed the session
 * since it was read. The new card is kept for as long as the session can still be paid. False where somebody was faster.
 */
export async function openAttempt(
  sql: Sql,
  attempt: Attempt,
  { keep_card_until, lines }: { keep_card_until: Date; lines: OpeningLines },
): Promise<boolean> {
  const a = attempt
  const rows = await sql`
    with session as (
      update sessions set attempt_count = ${a.number}
      where merchant_id = ${a.merchant_id} and session_id = ${a.session_id}
        and attempt_count = ${a.number - 1} and status = 'requires_payment'
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
       three_ds_version, server_transaction_id, window_size, asking_until, created_at)
    select ${a.merchant_id}, ${a.attempt_id}, ${a.session_id}, ${a.number}, ${a.card_reference}, ${a.brand},
       ${a.last4}, ${a.phase}, ${a.three_ds_state}, ${a.three_ds_version}, ${a.server_transaction_id},
       ${a.window_size}, ${a.asking_until}, ${a.created_at}
    from session returning 1`
  return rows.length > 0
}

/**
 * Takes over an attempt whose Directory Server nobody is asking any more. It asks under a new transaction id: the old one
 * may have been heard.
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
 * The answer of the Directory Server, or its RReq: moves an attempt on from `from`, once. An answer to a transaction that
 * was taken over moves nothing.
 */
export async function moveAttempt(
  sql: Sql,
  attempt: Pick<Attempt, 'merchant_id' | 'attempt_id' | 'server_transaction_id'>,
  { from, to, line }: { from: ThreeDsState; to: AttemptMove; line: JournalLine },
): Promise<Attempt | undefined> {
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

/** Takes an attempt back that no Directory Server ever heard of, so that it is not spent. */
export async function withdrawAttempt(
  sql: Sql,
  attempt: Attempt,
  line: JournalLine,
): Promise<void> {
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
  merchantId: string,
  serverTransactionId: string,
): Promise<Attempt | undefined> {
  const [row] = await sql<Attempt[]>`
    select * from attempts
    where merchant_id = ${merchantId} and server_transaction_id = ${serverTransactionId.toLowerCase()}`
  return row
}

export async function findAttempt(
  sql: Sql,
  merchantId: string,
  attemptId: string,
): Promise<Attempt | undefined> {
  const [row] = await sql<Attempt[]>`
    select * from attempts where merchant_id = ${merchantId} and attempt_id = ${attemptId}`
  return row
}

/** A row that came as JSON has its times as text. */
export function withDates<Row>(row: Row, columns: (keyof Row)[]): Row {
  const times = columns.map((column) => {
    const at = row[column] as string | null
    return [column, at && new Date(at)]
  })
  return { ...row, ...Object.fromEntries(times) }
}
