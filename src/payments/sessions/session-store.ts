// The SQL of sessions. Each function is one statement, so each is one transaction and one round trip.

import { columnNames, columnTypes, rowIf, withDates } from '../../database/driver/rows.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { SessionHolder } from '../../http/access.ts'
import { type KeyRow, KeyTakenError } from '../../http/idempotency.ts'
import { insertKey } from '../../http/key-gate.ts'
import { type Attempt, attemptTimes } from '../attempt.ts'
import type { Hold } from '../hold.ts'
import { type Cancellation, type NewSession, type Session, sessionColumns, sessionTimes } from '../session.ts'
import type { VaultCard } from '../vault-card.ts'

type SessionKey = Pick<SessionHolder, 'merchant_id' | 'session_id'>

type RowKey = { merchant_id: string; session_id: string | null }

export type KeyedSession = NewSession & { key: KeyRow }

/** Inserts a session with its key and line. Throws KeyTakenError, and inserts nothing, if the key exists. */
export async function insertSession(sql: Sql, { session, key, line }: NewSession): Promise<void> {
  const rows = await sql`
    with key as (${insertKey(sql, key)}), line as (insert into journal ${rowIf(sql, line, 'key')})
    insert into sessions ${rowIf(sql, session, 'key')} returning 1`
  if (rows.length === 0) throw new KeyTakenError()
}

/**
 * Inserts several sessions, whose keys differ. Returns the ids of the inserted sessions. The keys of all others already
 * existed.
 */
export async function insertSessions(sql: Sql, rows: KeyedSession[]): Promise<Set<string>> {
  const keys = rows
    .map(({ session, key, line }) => ({
      ...session,
      audience: key.audience,
      key: key.key,
      route: key.route,
      fingerprint: `\\x${key.fingerprints()[0]!.toString('hex')}`,
      answer: `\\x${key.answer.toString('hex')}`,
      answer_status: key.status,
      entry_id: line.entry_id,
      change: line.change,
      detail: line.detail,
      actor: line.actor,
      request_id: line.request_id,
    }))
    // Sorted in one order everywhere, so that two batches with the same keys do not wait for each other.
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  const columns = columnNames(sql, sessionColumns)
  const ids = await sql<{ session_id: string }[]>`
    with row as materialized (
      select * from json_to_recordset(${keys as never}::json) as r (
        ${columnTypes(sql, sessionColumns)},
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
    insert into sessions (${columns}) select ${columns}
    from row join taken using (merchant_id, audience, key)
    returning session_id`
  return new Set(ids.map(({ session_id }) => session_id))
}

function orderOf({ merchant_id, audience, key }: Pick<KeyRow, 'merchant_id' | 'audience' | 'key'>) {
  return `${merchant_id} ${audience} ${key}`
}

export async function findSession(sql: Sql, key: SessionKey): Promise<Session | undefined> {
  const [row] = await sql<Session[]>`
    select * from sessions where merchant_id = ${key.merchant_id} and session_id = ${key.session_id}`
  return row
}

/**
 * The session is unpaid, and nobody changed it since it was read: no attempt was opened, nor was it ended, which its `cancellation`
 * alone says where its time was over by then.
 */
export function isUnpaidAsRead(
  sql: AnySql,
  { merchant_id, session_id, attempt_count, expires_at }: RowKey & Pick<Session, 'attempt_count' | 'expires_at'>,
): Fragment {
  return sql`merchant_id = ${merchant_id} and session_id = ${session_id} and status = 'requires_payment'
    and attempt_count = ${attempt_count} and expires_at = ${expires_at} and cancellation is null`
}

/** Ends an unpaid session if `gate` has a row. It stays ended for a process whose clock is behind. */
export function endUnpaid(
  sql: AnySql,
  { merchant_id, session_id }: RowKey,
  { cancellation, at, gate }: { cancellation: Cancellation; at: Date; gate: Fragment },
): Fragment {
  return sql`
    update sessions set cancellation = ${cancellation}, expires_at = least(expires_at, ${at}::timestamptz)
    where merchant_id = ${merchant_id} and session_id = ${session_id} and status = 'requires_payment'
      and cancellation is null and exists (${gate})`
}

/** Undefined if there is no such session; null for a session without an integration. */
export async function findIntegrationId(sql: Sql, key: SessionKey): Promise<Session['integration_id'] | undefined> {
  const [row] = await sql<Pick<Session, 'integration_id'>[]>`
    select integration_id from sessions
    where merchant_id = ${key.merchant_id} and session_id = ${key.session_id}`
  return row?.integration_id
}

/** A session with the hold of its payment, if there is one. */
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

/**
 * A session and its attempts, oldest first, as they were at one moment. `card`: its card of the reference that was asked for;
 * null where there is none, or none was asked for.
 */
export type Checkout = { session: Session; attempts: Attempt[]; card: VaultCard | null }

type CheckoutRow = Pick<Checkout, 'session' | 'attempts'> & Partial<VaultCard>

export async function findCheckout(
  sql: Sql,
  key: SessionKey & { card_reference?: string },
): Promise<Checkout | undefined> {
  const { merchant_id, session_id, card_reference = null } = key
  const [columns, cards] =
    card_reference === null
      ? [sql``, sql``]
      : [
          sql`, c.*`,
          sql`left join vault.cards c on c.merchant_id = s.merchant_id
            and c.card_reference = ${card_reference} and c.session_id = s.session_id`,
        ]
  const [row] = await sql<CheckoutRow[]>`
    select row_to_json(s) as session, (
      select coalesce(json_agg(a order by a.number), '[]') from attempts a
      where a.merchant_id = s.merchant_id and a.session_id = s.session_id
    ) as attempts ${columns}
    from sessions s ${cards} where s.merchant_id = ${merchant_id} and s.session_id = ${session_id}`
  if (!row) return undefined
  const { session, attempts, ...card } = row
  return {
    session: withDates(session, sessionTimes),
    attempts: attempts.map((attempt) => withDates(attempt, attemptTimes)),
    card: card.card_reference ? (card as VaultCard) : null,
  }
}
