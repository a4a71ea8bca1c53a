// A session as Checkout.com shows it, read strictly, and the outcome of its authentication.

import { z } from 'zod'
import { isGood, type WireAnswer } from '../../vendor-wire/wire.ts'
import { unavailable } from '../emv/outcome.ts'
import { type AuthenticationOutcome, ProviderUnavailable, type UnavailableCause } from '../three-ds.ts'

const text = z.string().max(2048)
const part = (length: number) => z.string().max(length)

const session = z.object({
  id: z.string().regex(/^sid_[A-Za-z0-9]{1,60}$/),
  /** The threeDSServerTransID. */
  transaction_id: part(36).nullish(),
  status: part(40),
  next_actions: z.array(part(40)).nullish(),
  /** The transStatus. */
  response_code: part(2).nullish(),
  response_status_reason: part(10).nullish(),
  /** Why there is no result, such as `ares_error`. */
  status_reason: part(60).nullish(),
  protocol_version: part(10).nullish(),
  eci: part(2048).nullish(),
  cryptogram: part(2048).nullish(),
  cardholder_info: part(128).nullish(),
  ds: z.object({ transaction_id: part(36).nullish() }).nullish(),
  acs: z
    .object({
      transaction_id: part(36).nullish(),
      url: text.nullish(),
      challenge_cancel_reason_code: part(2).nullish(),
    })
    .nullish(),
})

export type TheirSession = z.infer<typeof session>

/** Null if the answer shows no session that can be read. */
export function sessionIn(answer: WireAnswer): TheirSession | null {
  const result = session.safeParse(answer.json)
  return isGood(answer) && result.success ? result.data : null
}

/** Throws ProviderUnavailable if the vendor rejected the call, so that no bank was asked. */
export function refuseTurnedAway(answer: WireAnswer): void {
  const { status } = answer
  if (turned_away.includes(status)) {
    throw new ProviderUnavailable(answerWords(answer))
  }
}

const turned_away = [400, 401, 403, 422, 429]

/**
 * A description for the log. Of the vendor's words it repeats only codes, because the rest may contain what we sent.
 */
export function answerWords({ status, json }: WireAnswer): string {
  if (status === 401) return 'its credentials were refused (401)'
  const codes = Array.isArray(json?.error_codes) ? json.error_codes : []
  const printableCodes = codes.filter((code) => typeof code === 'string' && /^[a-z0-9_]{1,60}$/.test(code))
  return printableCodes.length > 0
    ? `it refused the request (${status}): ${printableCodes.join(', ')}`
    : `its answer cannot be used (status ${status})`
}

/** `waits`: the shopper is at the bank, or the vendor is at work. `expired`: there will never be a result. */
export function sessionOutcomeOf(their: TheirSession): AuthenticationOutcome | 'waits' | 'expired' {
  const { status } = their
  if (waiting.includes(status)) return 'waits'
  if (status === 'expired') return 'expired'
  if (status === 'challenge_abandoned') {
    return outcomeOf(their, { status: 'N', challenge_cancel: '04' })
  }
  const letter = letters[status]
  const answer_letter = their.response_code ?? letter
  // A bank's refusal counts, whatever else the session says: read as "unavailable", the card might be charged after
  // all.
  const no = [answer_letter, letter].find((each) => each === 'N' || each === 'R')
  if (no) return outcomeOf(their, { status: no as 'N' | 'R' })
  if (letter !== undefined && answer_letter === letter) return outcomeOf(their, { status: letter })
  const is_informational = answer_letter === 'I' && letter === 'U'
  return is_informational ? outcomeOf(their, { status: 'I' }) : unavailable('invalid_answer')
}

/**
 * The outcome after a challenge. Only the bank's word counts, or the vendor's word that there is none: after a guessed
 * "unavailable" the card might be charged. Otherwise throws ProviderUnavailable.
 */
export function challengeOutcomeOf(their: TheirSession): ReturnType<typeof sessionOutcomeOf> {
  const standing = sessionOutcomeOf(their)
  if (typeof standing === 'string' || standing.status !== 'U') return standing
  if (standing.unavailable_cause === 'invalid_answer') {
    throw new ProviderUnavailable('its result of a challenge is not valid')
  }
  const is_banks = standing.unavailable_cause === 'issuer' && their.response_code === 'U'
  return is_banks ? standing : 'expired'
}

/**
 * Whether the answer lacks required members of a session. The vendor's first answers may be short; only a later read
 * has the whole result.
 */
export function isShort(their: TheirSession): boolean {
  const { acs, ds, transaction_id, eci, cryptogram } = their
  if (wants(their, 'challenge_cardholder')) {
    return !(acs?.url && acs.transaction_id && ds?.transaction_id && transaction_id)
  }
  const is_yes = their.status === 'approved' || their.status === 'attempted'
  return is_yes && !(eci && cryptogram && ds?.transaction_id)
}

/** Whether the vendor waits for this action. */
export function wants(their: TheirSession, action: string): boolean {
  return their.next_actions?.includes(action) ?? false
}

const waiting = ['challenged', 'processing', 'pending']

const letters: Record<string, AuthenticationOutcome['status']> = {
  approved: 'Y',
  attempted: 'A',
  declined: 'N',
  rejected: 'R',
  unavailable: 'U',
}

function outcomeOf(
  { eci, cryptogram, response_status_reason, status_reason, acs }: TheirSession,
  outcome: Pick<AuthenticationOutcome, 'status'> & { challenge_cancel?: string },
): AuthenticationOutcome {
  const { status } = outcome
  const is_sound = /^[0-9A-Z]{0,2}$/.test(eci ?? '') && /^([A-Za-z0-9+/]{27}=?)?$/.test(cryptogram ?? '')
  const is_yes = status === 'Y' || status === 'A'
  if (!is_sound && is_yes) return unavailable('invalid_answer')
  const reason = /^\d\d$/.test(response_status_reason ?? '') ? response_status_reason! : null
  const challenge_cancel = acs?.challenge_cancel_reason_code ?? outcome.challenge_cancel ?? null
  return {
    status,
    eci: (is_sound && eci) || null,
    authentication_value: is_sound && cryptogram ? cryptogram.padEnd(28, '=') : null,
    reason,
    challenge_cancel,
    unavailable_cause: status === 'U' ? causeOf(status_reason) : null,
  }
}

function causeOf(status_reason: string | null | undefined): UnavailableCause {
  return status_reason === 'ares_error' || status_reason === 'rreq_error' ? 'error' : 'issuer'
}
