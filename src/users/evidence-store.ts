// The SQL of what somebody showed of themselves, as it stood when it was judged. Judging takes a while, and the password may be changed or the
// passkey removed meanwhile: a session begins, or is renewed, only while all of it still stands.

import type { AnySql } from '../database/open.ts'
import type { Identity } from './identity-store.ts'
import { lockUser } from './rights-store.ts'
import type { Factor } from './session.ts'
import type { User } from './user.ts'

export type Evidence =
  | { factor: 'passkey'; credential_id: string }
  | { factor: 'password'; password_hash: string }
  | { factor: 'one_time_code'; totp_sealed: Buffer }
  | { factor: 'recovery_code'; code_hash: Buffer }
  | ({ factor: 'oidc' | 'oidc_alone' } & Pick<Identity, 'issuer' | 'subject'>)

/** Whether the person may still come in by all that they showed. Locks them: whoever changes a way in does so, too. */
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
