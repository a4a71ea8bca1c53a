// What a person can prove themselves with, and whether they have done so lately.

import type { Doorkeeper } from '../context.ts'
import type { Mode } from '../kernel/values.ts'
import { type Gravity, hasSecondFactor, hasShownBoth, isProved, type ProofWay } from './session.ts'
import type { FoundSession } from './session-store.ts'

type Provider = Pick<Doorkeeper, 'single_sign_on'>

/**
 * What a person can prove themselves with. Where they have no factor here, it is a new sign-in at the provider; without one
 * it is their password.
 */
export function proofWaysOf(found: FoundSession, doorkeeper: Provider): ProofWay[] {
  const ways: ProofWay[] = []
  if (found.passkeys > 0) ways.push('passkey')
  if (found.has_one_time_codes) ways.push('one_time_code')
  if (ways.length > 0) return ways
  if (found.has_identity && doorkeeper.single_sign_on) return ['single_sign_on']
  return found.has_password ? ['password'] : []
}

/** What opens a locked session. Where both are wanted, whoever has both shows both again. */
export function unlockWaysOf(found: FoundSession, doorkeeper: Provider & Pick<Doorkeeper, 'wants_both'>): ProofWay[] {
  return mustShowBoth(found, doorkeeper) ? ['passkey_and_password'] : proofWaysOf(found, doorkeeper)
}

/**
 * Whether a passkey and a password are asked for, and somebody who has both has shown one alone: they could otherwise put a new
 * one in place of the other, and show that.
 */
export function owesBoth(found: FoundSession, doorkeeper: Pick<Doorkeeper, 'wants_both'>): boolean {
  return mustShowBoth(found, doorkeeper) && !hasShownBoth(found)
}

/** Whether both are asked for of somebody who has both. */
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
 * Whether the last proof of a session will do. Of somebody who has more to show, a password alone or a provider's word
 * alone proves nothing, however fresh it is: by it nobody may add a way in.
 */
export function hasProved(found: FoundSession, act: { gravity: Gravity; mode: Mode }, now: Date): boolean {
  const has_shown_all = hasSecondFactor(found) || !hasProofFactor(found)
  return isProved(has_shown_all ? found : { proved_at: new Date(0) }, act, now)
}
