// The states of an attempt's 3-D Secure: which follows which, and what each allows. That is whether the card is charged, with which data,
// and who is liable.

import type { Decline } from '../acquirers/acquirer.ts'
import type { ThreeDsData } from '../acquirers/three-ds-data.ts'
import type { Brand } from '../kernel/values.ts'
import type { AuthenticationOutcome } from '../three-ds/three-ds.ts'
import type { Attempt, Authentication, ThreeDsState } from './attempt.ts'

/** What the result of 3-D Secure means for the charge. */
export type Verdict = {
  authentication: Authentication | null
  /** Null when the card may be charged. */
  decline: Decline | null
  /** Whether the request to the acquirer carries the 3-D Secure data. */
  send_three_ds: boolean
}

const stateOfStatus = {
  Y: 'authenticated',
  A: 'attempted',
  N: 'failed',
  R: 'rejected',
  U: 'unavailable',
  I: 'informational',
} as const satisfies Record<AuthenticationOutcome['status'], ThreeDsState>

export function stateOf(outcome: AuthenticationOutcome): ThreeDsState {
  return stateOfStatus[outcome.status]
}

const ends = Object.values(stateOfStatus)

/**
 * Which state may follow which. A newer attempt of the session makes one that is not confirmed `superseded`, whatever its state. The
 * states with nothing behind them end the authentication: see `judge`. A shopper who then leaves makes it `failed`, unless the bank has
 * refused: see `leftByShopper`.
 */
export const nextStates: Record<ThreeDsState, readonly ThreeDsState[]> = {
  not_started: ['awaiting_challenge', 'not_enrolled', ...ends],
  awaiting_challenge: ends,
  authenticated: [],
  attempted: [],
  failed: [],
  rejected: [],
  unavailable: [],
  informational: [],
  not_enrolled: [],
  superseded: [],
}

/** The shopper did not finish the bank's page in time. The status is the one that the bank's RReq would have had. */
export const challengeTimedOut: AuthenticationOutcome = {
  status: 'N',
  eci: null,
  authentication_value: null,
  reason: '14',
  challenge_cancel: '04',
  unavailable_cause: null,
}

/** The columns of an attempt that show how far the shopper is. */
export type ThreeDsStep = Pick<
  Attempt,
  'phase' | 'three_ds_state' | 'challenge_expires_at' | 'authentication_outcome' | 'brand'
>

/** The columns that hold the state of an attempt's authentication. */
type Stage = Omit<ThreeDsStep, 'phase' | 'brand'>

/** The attempt at a given time: a challenge past its end has failed, even if no process has recorded that. */
export function attemptAt<Known extends Stage>(attempt: Known, now: Date): Known {
  const overdue = attempt.three_ds_state === 'awaiting_challenge' && attempt.challenge_expires_at! <= now
  if (!overdue) return attempt
  return { ...attempt, three_ds_state: 'failed', authentication_outcome: challengeTimedOut }
}

/** The shopper has left the bank's page for good. What the bank says of it later does not count. */
export function leftByShopper(attempt: Attempt): Attempt {
  const outcome = { ...challengeTimedOut, reason: '01', challenge_cancel: '01' } as const
  return { ...attempt, three_ds_state: 'failed', authentication_outcome: outcome }
}

/** 3-D Secure has ended and confirm may go on. */
export function isAuthenticationOver(state: ThreeDsState): boolean {
  return nextStates[state].length === 0 && state !== 'superseded'
}

/** The decision table from the final status to charge and liability. The status is the ARes' or RReq's, never the CRes'. */
export function judge(
  attempt: Pick<Attempt, 'three_ds_state' | 'authentication_outcome' | 'brand'>,
  policy: { on_3ds_unavailable: 'proceed' | 'decline' },
): Verdict {
  const outcome = attempt.authentication_outcome
  switch (attempt.three_ds_state) {
    case 'authenticated':
      return proceed(authenticationOf('Authenticated', attempt.brand, outcome!))
    case 'attempted':
      return proceed(authenticationOf('Attempted', attempt.brand, outcome!))
    case 'informational':
      return { authentication: null, decline: null, send_three_ds: true }
    case 'failed':
      return refuse(outcome, failureOf(outcome))
    case 'rejected':
      return refuse(outcome, rejectionOf(outcome))
    case 'unavailable':
    case 'not_enrolled':
      return policy.on_3ds_unavailable === 'proceed'
        ? { authentication: null, decline: null, send_three_ds: false }
        : { authentication: null, decline: unavailable, send_three_ds: false }
    default:
      throw new Error(`3-D Secure has not ended: ${attempt.three_ds_state}`)
  }
}

// The electronic commerce indicators by which the schemes grant the shift of liability.
const shifting = {
  Authenticated: { visa: ['05'], amex: ['05'], mastercard: ['02', '07'] },
  Attempted: { visa: ['06'], amex: ['06'], mastercard: ['01'] },
} as const satisfies Record<string, Record<Brand, readonly string[]>>

/** The indicator that the bank sent. If it sent none, the service does not claim that liability has shifted. */
function authenticationOf(
  word: 'Authenticated' | 'Attempted',
  brand: Brand,
  outcome: AuthenticationOutcome,
): Authentication {
  const { eci, authentication_value } = outcome
  const entitled: readonly (string | null)[] = shifting[word][brand]
  const liability_shifted = authentication_value !== null && entitled.includes(eci)
  return { outcome: word, liability_shifted, eci }
}

function proceed(authentication: Authentication): Verdict {
  return { authentication, decline: null, send_three_ds: true }
}

function refuse(outcome: AuthenticationOutcome | null, decline: Decline): Verdict {
  const authentication = {
    outcome: 'Failed' as const,
    liability_shifted: false,
    eci: outcome?.eci ?? null,
  }
  return { authentication, decline, send_three_ds: false }
}

function failureOf(outcome: AuthenticationOutcome | null): Decline {
  const timed_out = outcome?.challenge_cancel === '04' || outcome?.challenge_cancel === '05'
  if (outcome?.challenge_cancel === '01') {
    return soft('authentication_canceled', 'The cardholder cancelled the authentication')
  }
  return timed_out || outcome?.reason === '14'
    ? soft('authentication_timeout', 'The authentication was not finished in time')
    : soft('authentication_failed', 'The bank did not authenticate the cardholder')
}

function rejectionOf(outcome: AuthenticationOutcome | null): Decline {
  const fraud = outcome?.reason === '10' || outcome?.reason === '11'
  return {
    code: 'authentication_rejected',
    category: fraud ? 'fraud' : 'hard',
    reason: 'The bank rejected the authentication',
  }
}

/** The 3-D Secure data that the charge is asked with; null if it goes without. */
export function threeDsDataOf(
  attempt: Pick<Attempt, 'three_ds_version' | 'ds_transaction_id' | 'challenge_expires_at' | 'authentication_outcome'>,
  { send_three_ds }: Pick<Verdict, 'send_three_ds'>,
): ThreeDsData | null {
  const outcome = attempt.authentication_outcome
  if (!send_three_ds || !outcome) return null
  const { eci, authentication_value, status } = outcome
  return {
    eci,
    authentication_value,
    status,
    version: attempt.three_ds_version!,
    ds_transaction_id: attempt.ds_transaction_id,
    ares_status: attempt.challenge_expires_at ? 'C' : status,
  }
}

/** The same authentication, after which the merchant stays liable. */
export function withoutShift(authentication: Authentication | null): Authentication | null {
  return authentication && { ...authentication, liability_shifted: false }
}

/** Whether the card's bank itself refused, and not a setting or a shopper who left the bank's page. */
export function isRefusedByBank({ decline }: Verdict): boolean {
  return decline?.code === 'authentication_failed' || decline?.code === 'authentication_rejected'
}

const unavailable = soft('authentication_unavailable', 'The card could not be authenticated')

function soft(code: string, reason: string): Decline {
  return { code, category: 'soft', reason }
}
