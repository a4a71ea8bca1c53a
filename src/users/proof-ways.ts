// What a person can prove themselves with, and whether they did so lately.

import type { Doorkeeper } from '../context.ts'
import type { AnySql } from '../database/open.ts'
import type { Mode } from '../kernel/values.ts'
import type { ProviderIdentity } from './identity-store.ts'
import { lockUser } from './rights.ts'
import {
  type Factor,
  type FoundSession,
  type Gravity,
  hasSecondFactor,
  hasShownBoth,
  isProved,
  type ProofWay,
} from './session.ts'
import type { User } from './user.ts'

type Provider = Pick<Doorkeeper, 'single_sign_on'>

/**
 * What a person can prove themselves with. Without a factor here it is a new sign-in at the provider, and without a
 * provider the password.
 */
export function proofWaysOf(session: FoundSession, doorkeeper: Provider): ProofWay[] {
  const ways: ProofWay[] = []
  if (session.passkeys > 0) ways.push('passkey')
  if (session.has_one_time_codes) ways.push('one_time_code')
  if (ways.length > 0) return ways
  if (session.has_identity && doorkeeper.single_sign_on) return ['single_sign_on']
  return session.has_password ? ['password'] : []
}

/**
 * What opens a locked session. If the installation requires passkey and password, a person who has both shows both
 * again.
 */
export function unlockWaysOf(session: FoundSession, doorkeeper: Provider & Pick<Doorkeeper, 'wants_both'>): ProofWay[] {
  return mustShowBoth(session, doorkeeper) ? ['passkey_and_password'] : proofWaysOf(session, doorkeeper)
}

/**
 * Whether the installation requires passkey and password, and a person who has both has shown only one. They could
 * otherwise replace the other one and then show that.
 */
export function owesBoth(session: FoundSession, doorkeeper: Pick<Doorkeeper, 'wants_both'>): boolean {
  return mustShowBoth(session, doorkeeper) && !hasShownBoth(session)
}

/** Whether the installation requires both, and this person has both. */
function mustShowBoth(
  { has_password, passkeys }: FoundSession,
  { wants_both }: Pick<Doorkeeper, 'wants_both'>,
): boolean {
  return wants_both && has_password && passkeys > 0
}

function hasProofFactor({ passkeys, has_one_time_codes }: FoundSession): boolean {
  return passkeys > 0 || has_one_time_codes
}

/**
 * Whether the last proof of a session suffices. For a person who has a further factor, neither a password alone nor a
 * provider's word alone suffices, however fresh it is: it must not be enough to add a way in.
 */
export function hasProved(session: FoundSession, act: { gravity: Gravity; mode: Mode }, now: Date): boolean {
  const has_shown_all = hasSecondFactor(session) || !hasProofFactor(session)
  return isProved(has_shown_all ? session : { proved_at: new Date(0) }, act, now)
}

export type Evidence =
  | { factor: 'passkey'; credential_id: string }
  | { factor: 'password'; password_hash: string }
  | { factor: 'one_time_code'; totp_sealed: Buffer }
  | { factor: 'recovery_code'; code_hash: Buffer }
  | ({ factor: 'oidc' | 'oidc_alone' } & Pick<ProviderIdentity, 'issuer' | 'subject'>)

/**
 * Whether everything that the person showed still lets them in. It locks those rows, as does each change of them:
 * during the judgement somebody may change the password or remove the passkey.
 */
export async function lockEvidence(tx: AnySql, user_id: string, evidence: Evidence[]): Promise<boolean> {
  const user = await lockUser(tx, user_id)
  if (!user || user.disabled_at !== null) return false
  for (const each of evidence) if (!(await stands(tx, user, each))) return false
  return true
}

export function factorsOf(evidence: Evidence[]): Factor[] {
  return evidence.map(({ factor }) => factor)
}

async function stands(tx: AnySql, user: User, evidence: Evidence): Promise<boolean> {
  const { user_id, password_hash, totp_sealed } = user
  switch (evidence.factor) {
    case 'password':
      return password_hash === evidence.password_hash
    case 'one_time_code':
      return totp_sealed?.equals(evidence.totp_sealed) === true
    case 'passkey':
      return exists(tx`
        select 1 from passkeys
        where credential_id = ${evidence.credential_id} and user_id = ${user_id}`)
    case 'recovery_code':
      return exists(tx`
        select 1 from recovery_codes
        where code_hash = ${evidence.code_hash} and user_id = ${user_id}`)
    default:
      return exists(tx`
        select 1 from user_identities
        where issuer = ${evidence.issuer} and subject = ${evidence.subject} and user_id = ${user_id}`)
  }
}

async function exists(rows: PromiseLike<readonly unknown[]>): Promise<boolean> {
  return (await rows).length > 0
}
