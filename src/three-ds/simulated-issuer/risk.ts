// The simulated issuer's decisions: its answer to an AReq, and the end of each challenge.

import type { ThreeDsBehaviour } from '../../cards/test-cards.ts'
import type { Version } from '../emv/versions.ts'

/** How a challenge ends: the RReq's status, and the CRes's status for the browser. */
export type Ending = {
  status: 'Y' | 'N' | 'U' | 'R'
  reason?: string
  cancel?: string
  cres: 'Y' | 'N'
}

type Decision =
  | { status: 'Y' | 'A' | 'I' }
  | { status: 'N' | 'R' | 'U'; reason: string; cardholder_info?: string }
  | { status: 'C'; unsafe: boolean }

export function decideRisk(behaviour: ThreeDsBehaviour, version: Version): Decision {
  switch (behaviour) {
    case 'authenticated':
      return { status: 'Y' }
    case 'attempted':
      return { status: 'A' }
    case 'informational':
      // 2.1.0 does not have the status.
      return { status: version === '2.1.0' ? 'Y' : 'I' }
    case 'not_authenticated':
      return {
        status: 'N',
        reason: '01',
        cardholder_info: 'Your bank could not confirm this payment. Please call your bank.',
      }
    case 'rejected':
      return { status: 'R', reason: '11' }
    case 'unavailable':
      return { status: 'U', reason: '22' }
    default:
      return { status: 'C', unsafe: behaviour === 'unsafe_acs_url' }
  }
}

const endings = {
  passed: { status: 'Y', cres: 'Y' },
  failed: { status: 'N', reason: '01', cres: 'N' },
  too_many_tries: { status: 'N', reason: '19', cres: 'N' },
  cancelled: { status: 'N', reason: '01', cancel: '01', cres: 'N' },
  never_answered: { status: 'N', reason: '14', cancel: '04', cres: 'N' },
  never_opened: { status: 'N', reason: '14', cancel: '05', cres: 'N' },
  lying_cres: { status: 'N', reason: '01', cres: 'Y' },
  unavailable: { status: 'U', reason: '22', cres: 'N' },
  rejected: { status: 'R', reason: '11', cres: 'N' },
} as const satisfies Record<string, Ending>

export type EndingName = keyof typeof endings

export function endingOf(name: EndingName): Ending {
  return endings[name]
}

/** The end of a challenge that needs no shopper, or null if the page asks for a code. */
export function automaticEnding(behaviour: ThreeDsBehaviour): EndingName | null {
  return automatic[behaviour] ?? null
}

const automatic: Partial<Record<ThreeDsBehaviour, EndingName>> = {
  challenge_auto_pass: 'passed',
  challenge_late_result: 'passed',
  challenge_auto_fail: 'failed',
  challenge_cancelled: 'cancelled',
  challenge_lying_cres: 'lying_cres',
  challenge_unavailable: 'unavailable',
  challenge_rejected: 'rejected',
}
