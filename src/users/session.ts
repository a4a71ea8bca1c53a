// A person's session: how long it lasts, when it locks, and how old a proof may be. Its row is read for each request,
// so that an ended session has ended everywhere.

import { hash } from 'node:crypto'
import { rowValues } from '../database/driver/rows.ts'
import type { AnySql, Sql } from '../database/open.ts'
import type { MerchantId, Mode } from '../kernel/values.ts'
import type { Role } from './roles.ts'

/**
 * What a person has shown. `link` is a welcome, an invitation or a reset. `oidc_alone` is a single sign-on whose
 * provider reports no second factor.
 */
export type Factor = 'passkey' | 'password' | 'one_time_code' | 'recovery_code' | 'oidc' | 'oidc_alone' | 'link'

/** What a proof may be made with. */
export type ProofWay = 'single_sign_on' | 'passkey' | 'passkey_and_password' | 'one_time_code' | 'password'

export type UserSession = {
  session_id: string
  session_hash: Buffer
  previous_hash: Buffer | null
  previous_until: Date | null
  user_id: string
  factors: Factor[]
  is_half: boolean
  address: string
  agent: string
  created_at: Date
  seen_at: Date
  proved_at: Date
  expires_at: Date
  ended_at: Date | null
}

const idle_ms = 15 * 60_000
const whole_ms = 12 * 3600_000
/** The time that a half session has to show the second factor. */
const half_ms = 10 * 60_000
/** Requests that were sent beside the one that changed the token are still answered. */
export const previous_token_ms = 10_000

export function expiryOf(created_at: Date, is_half: boolean): Date {
  return new Date(created_at.getTime() + (is_half ? half_ms : whole_ms))
}

export function locksAt({ seen_at }: Pick<UserSession, 'seen_at'>): Date {
  return new Date(seen_at.getTime() + idle_ms)
}

export function isLocked(session: Pick<UserSession, 'seen_at'>, now: Date): boolean {
  return locksAt(session) <= now
}

/** Whether the new time of activity is worth a write. */
export function isSeenStale({ seen_at }: Pick<UserSession, 'seen_at'>, now: Date): boolean {
  return now.getTime() - seen_at.getTime() >= 60_000
}

/**
 * How grave an act is, which decides how old the proof may be. Some acts are light in test mode and grave in live mode.
 */
export type Gravity = 'light' | 'money' | 'grave' | 'grave_if_live'

const proofAges: Record<Exclude<Gravity, 'light'>, number> = {
  money: 15 * 60_000,
  grave: 5 * 60_000,
  grave_if_live: 5 * 60_000,
}

const proofsOfLive: Gravity[] = ['money', 'grave_if_live']

/** Whether the session's last proof suffices. Money in test mode needs none. */
export function isProved(
  { proved_at }: Pick<UserSession, 'proved_at'>,
  { gravity, mode }: { gravity: Gravity; mode: Mode },
  now: Date,
): boolean {
  if (gravity === 'light' || (mode === 'test' && proofsOfLive.includes(gravity))) return true
  return now.getTime() - proved_at.getTime() <= proofAges[gravity]
}

const singleFactors: Factor[] = ['password', 'link', 'oidc_alone']

/** Whether more than a password was shown. */
export function hasSecondFactor({ factors }: Pick<UserSession, 'factors'>): boolean {
  return factors.some((factor) => !singleFactors.includes(factor))
}

/**
 * Whether a passkey and a password were shown. A recovery code stands in for a lost passkey. A provider that required a
 * second factor stands in for both.
 */
export function hasShownBoth({ factors }: Pick<UserSession, 'factors'>): boolean {
  const has = (...any: Factor[]) => any.some((factor) => factors.includes(factor))
  return has('oidc') || (has('password') && has('passkey', 'recovery_code'))
}

/** SHA-256: a token has 256 random bits and needs no slower hash. */
export function hashOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** A session with its person, and with their role at the requested merchant; null if they are no member. */
export type FoundSession = UserSession & {
  /** The cookie carried the token before the current one. */
  is_previous: boolean
  email: string
  name: string
  is_operator: boolean
  has_password: boolean
  has_one_time_codes: boolean
  passkeys: number
  /** An account at a provider of single sign-on. */
  has_identity: boolean
  merchant_id: MerchantId | null
  merchant_is_live: boolean | null
  role: Role | null
}

export async function findUserSession(
  sql: Sql,
  { token_hash, merchant_id, now }: { token_hash: Buffer; merchant_id: string | null; now: Date },
): Promise<FoundSession | undefined> {
  const [row] = await sql<FoundSession[]>`
    select s.*, s.session_hash <> ${token_hash} as is_previous, u.email, u.name, u.is_operator,
      u.password_hash is not null as has_password, u.totp_sealed is not null as has_one_time_codes,
      (select count(*)::integer from passkeys p where p.user_id = u.user_id) as passkeys,
      exists (select 1 from user_identities i where i.user_id = u.user_id) as has_identity,
      m.merchant_id, m.role, a.live as merchant_is_live
    from user_sessions s
    join users u using (user_id)
    left join memberships m on m.user_id = u.user_id and m.merchant_id = ${merchant_id}
    left join merchants a on a.merchant_id = m.merchant_id
    where (s.session_hash = ${token_hash}
        or (s.previous_hash = ${token_hash} and s.previous_until > ${now}))
      and s.ended_at is null and s.expires_at > ${now} and u.disabled_at is null`
  return row
}

export async function insertUserSession(sql: AnySql, session: UserSession): Promise<void> {
  await sql`insert into user_sessions ${rowValues(sql, session)}`
}

/** Renews a session after a proof, with a new token. False if the session has ended. */
export async function renewSession(
  sql: AnySql,
  session_id: string,
  next: {
    session_hash: Buffer
    previous_until: Date
    factors: Factor[]
    expires_at: Date
    at: Date
  },
): Promise<boolean> {
  const { session_hash, previous_until, factors, expires_at, at } = next
  const { count } = await sql`
    update user_sessions set previous_hash = session_hash, previous_until = ${previous_until},
      session_hash = ${session_hash}, is_half = false, seen_at = ${at}, proved_at = ${at},
      expires_at = ${expires_at},
      factors = (select array_agg(distinct f) from unnest(factors || ${factors}::text[]) f)
    where session_id = ${session_id} and ended_at is null`
  return count > 0
}

/** The session has shown a further factor. */
export async function addFactor(sql: AnySql, session_id: string, factor: Factor): Promise<void> {
  await sql`
    update user_sessions set factors = array_append(factors, ${factor})
    where session_id = ${session_id} and not ${factor} = any(factors)`
}

/** Both the session and its person were seen. */
export async function touchSession(
  sql: Sql,
  { session_id, user_id }: Pick<UserSession, 'session_id' | 'user_id'>,
  at: Date,
): Promise<void> {
  await sql`
    with seen as (
      update user_sessions set seen_at = ${at} where session_id = ${session_id} and seen_at < ${at}
    )
    update users set seen_at = ${at}, warned_at = null where user_id = ${user_id}`
}

/** Ends a session of this person. False if they have no such session. */
export async function endSession(
  sql: AnySql,
  { session_id, user_id }: Pick<UserSession, 'session_id' | 'user_id'>,
  at: Date,
): Promise<boolean> {
  const { count } = await sql`
    update user_sessions set ended_at = ${at}
    where session_id = ${session_id} and user_id = ${user_id} and ended_at is null`
  return count > 0
}

/** Ends all sessions of a person, except `but` if it is given. Returns how many. */
export async function endSessions(
  sql: AnySql,
  user_id: string,
  { but, at }: { but: string | null; at: Date },
): Promise<number> {
  const { count } = await sql`
    update user_sessions set ended_at = ${at}
    where user_id = ${user_id} and ended_at is null and expires_at > ${at}
      and session_id is distinct from ${but}`
  return count
}

/** Ends all sessions of everybody. Returns how many. */
export async function endEverySession(sql: AnySql, at: Date): Promise<number> {
  const { count } = await sql`
    update user_sessions set ended_at = ${at} where ended_at is null and expires_at > ${at}`
  return count
}

/** The sessions that a person has open, newest first. */
export async function listUserSessions(sql: Sql, user_id: string, now: Date): Promise<UserSession[]> {
  return sql<UserSession[]>`
    select * from user_sessions
    where user_id = ${user_id} and ended_at is null and expires_at > ${now} and not is_half
    order by created_at desc limit 100`
}

const kept_ms = 30 * 24 * 3600_000

/** Deletes sessions that ended 30 days ago. */
export async function purgeUserSessions(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    delete from user_sessions where expires_at < ${new Date(now.getTime() - kept_ms)}`
  return count
}
