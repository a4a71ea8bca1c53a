// Looks up an authorisation at its acquirer.

import {
  type Acquirer,
  type AuthorisationName,
  type AuthorisationStanding,
  chargeNamed,
} from '../../acquirers/acquirer.ts'
import type { Clock } from '../../kernel/world.ts'
import { askAcquirer } from './ask-acquirer.ts'

/**
 * `not_found` where the acquirer does not know the reference, or has forgotten it; null where nothing was approved, or
 * the outcome is not known. Throws where the acquirer could not be reached.
 */
export async function lookUpStanding(
  clock: Clock,
  acquirer: Acquirer,
  authorisation: AuthorisationName,
): Promise<AuthorisationStanding | 'not_found' | null> {
  const look = await askAcquirer(clock, () => acquirer.lookUp(chargeNamed(authorisation)))
  if (look.result === 'not_found') return look.result
  return look.result === 'found' && look.kind === 'authorise' ? look.standing : null
}
