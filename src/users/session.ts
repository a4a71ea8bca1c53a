// A person's session: how long it lasts, when it locks, and how old a proof may be. Decides; touches nothing.

import { hash } from 'node:crypto'
import type { Mode } from '../kernel/values.ts'

/**
 * What somebody has shown of themselves. `link` is a welcome, an invitation or a reset; `oidc_alone` is single sign-on
 * of which nobody says that it asked for a second factor.
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
/** For the second factor. */
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

/** Whether the time that somebody was last there is worth a write. */
export function isSeenStale({ seen_at }: Pick<UserSession, 'seen_at'>, now: Date): boolean {
  return now.getTime() - seen_at.getTime() >= 60_000
}

/** How grave an act is: it decides how old the proof may be. Some acts are light in test mode and grave in live mode. */
export type Gravity = 'light' | 'money' | 'grave' | 'grave_if_live'

const proofAges: Record<Exclude<Gravity, 'light'>, number> = {
  money: 15 * 60_000,
  grave: 5 * 60_000,
  grave_if_live: 5 * 60_000,
}

const proofsOfLive: Gravity[] = ['money', 'grave_if_live']

/** Whether the session's last proof will do. Money of test mode wants none. */
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
 * Whether a passkey and a password were shown. A recovery code stands in for a lost passkey, and a provider that asked for
 * a second factor stands in for both.
 */
export function hasShownBoth({ factors }: Pick<UserSession, 'factors'>): boolean {
  const has = (...any: Factor[]) => any.some((factor) => factors.includes(factor))
  return has('oidc') || (has('password') && has('passkey', 'recovery_code'))
}

/** SHA-256: a token has 256 random bits and needs no slower hash. */
export function hashOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
