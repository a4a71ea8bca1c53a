// What a look at an unanswered operation leads to: settle it, look again, send it again or reverse it, or wait for a person.

import type { Acquirer, AuthoriseAnswer, LookUpAnswer, SettleAnswer } from '../../acquirers/acquirer.ts'
import { failed } from '../../acquirers/answers.ts'
import { nextTryAt } from '../backoff.ts'
import { sendable_ms, type UnansweredOperation } from '../operation.ts'

/** The acquirer's answer about our reference; `no_answer` if the acquirer could not be asked. */
export type LookUpResult = LookUpAnswer | { result: 'no_answer' }

export type ReconciliationStep =
  | { step: 'settle_charge'; answer: AuthoriseAnswer }
  | { step: 'settle'; answer: SettleAnswer }
  | { step: 'look_again'; at: Date; not_found_count: number }
  /** The authorisation seems never to have arrived. It is reversed, so that it never can. */
  | { step: 'reverse' }
  /** A capture, void or reversal never arrived. It is sent again under its own reference. */
  | { step: 'send_again' }
  | { step: 'wait_for_person' }

/** The waits after the first look, which comes 5 s after the silence was noted. */
const waits_seconds = [15, 60, 300, 900, 3600]
/** An operation counts as not found only after this many looks. */
const looks_that_count = 2
/** The time between the two looks that must not find an operation. */
const second_look_ms = 5_000
/** After this time, and as many looks, only a person can settle the operation. */
export const patience_ms = 72 * 3600 * 1000
const looks_min = 5

/** `chance` is from 0 up to 1. The operation's `checks` count this look. */
export function stepAfter(
  operation: UnansweredOperation,
  look: LookUpResult,
  acquirer: Pick<Acquirer, 'safe_window_ms' | 'reference_life_ms'>,
  { now, chance }: { now: Date; chance: number },
): ReconciliationStep {
  const end = look.result === 'found' ? settled(operation, look) : null
  if (end) return end
  const window_ends_at = windowEndsAt(operation, acquirer)
  const counts = isAbsent(operation, look) && now >= window_ends_at
  const not_found_count = counts ? countAfter(operation, look) : keptCount(operation, look)
  // A person is asked then, however long the acquirer still recognises the reference.
  if (isPatienceOver(operation, now)) return { step: 'wait_for_person' }
  if (counts && not_found_count >= looks_that_count) {
    if (operation.kind === 'authorise') return { step: 'reverse' }
    const life_ends_ms = operation.sent_at.getTime() + acquirer.reference_life_ms
    if (now.getTime() < life_ends_ms) {
      const at = sendAgainAt(operation)
      return now < at ? { step: 'look_again', at, not_found_count } : { step: 'send_again' }
    }
  }
  if (counts && not_found_count === 1) {
    return { step: 'look_again', at: new Date(now.getTime() + second_look_ms), not_found_count }
  }
  const at = nextTryAt(waits_seconds, { tries: operation.checks, now, chance })
  // Nothing is certain before the window ends, so a look is due at that moment.
  const soonest = now < window_ends_at && window_ends_at < at ? window_ends_at : at
  return { step: 'look_again', at: soonest, not_found_count }
}

/**
 * Whether the look shows that the operation does not exist. An operation that the acquirer has accepted exists, whatever a look
 * shows.
 */
function isAbsent({ state }: UnansweredOperation, { result }: LookUpResult): boolean {
  return state !== 'accepted' && (result === 'not_found' || result === 'only_notices_tell')
}

/** Two looks must fail to find it. If no look is possible, the time without a notice has to suffice. */
function countAfter({ not_found_count }: UnansweredOperation, { result }: LookUpResult): number {
  return result === 'only_notices_tell' ? looks_that_count : not_found_count + 1
}

/** Until then the request may still arrive. */
export function windowEndsAt(
  { last_sent_at }: Pick<UnansweredOperation, 'last_sent_at'>,
  { safe_window_ms }: Pick<Acquirer, 'safe_window_ms'>,
): Date {
  return new Date(last_sent_at.getTime() + sendable_ms + safe_window_ms)
}

/** The first repeat is due at once. Further repeats follow after growing waits. */
function sendAgainAt({ sent_at, last_sent_at, checks }: UnansweredOperation): Date {
  if (last_sent_at.getTime() === sent_at.getTime()) return sent_at
  return nextTryAt(waits_seconds, { tries: checks, now: last_sent_at, chance: 0 })
}

/** When to retry an operation that cannot be looked up now; null if a person has to settle it. */
export function laterOrNever(
  operation: UnansweredOperation,
  { now, chance }: { now: Date; chance: number },
): Date | null {
  if (isPatienceOver(operation, now)) return null
  return nextTryAt(waits_seconds, { tries: operation.checks, now, chance })
}

/**
 * When to look again at a charge whose reversal was refused because its authorisation exists. The first look is due at once,
 * and further ones after growing waits.
 */
export function lookAfterRefusal(
  { sequence }: Pick<UnansweredOperation, 'sequence'>,
  moment: { now: Date; chance: number },
): Date {
  return sequence === 1 ? moment.now : nextTryAt(waits_seconds, { ...moment, tries: sequence })
}

/** An operation left unattended for days, while nothing ran here, still gets its looks. */
function isPatienceOver({ sent_at, checks }: UnansweredOperation, now: Date): boolean {
  return now.getTime() - sent_at.getTime() >= patience_ms && checks >= looks_min
}

/** Null if the acquirer uses the reference for something else, which says nothing about the operation. */
function settled(
  { kind }: UnansweredOperation,
  look: Extract<LookUpAnswer, { result: 'found' }>,
): ReconciliationStep | null {
  if (look.kind !== kind) return null
  return look.kind === 'authorise'
    ? { step: 'settle_charge', answer: presentAnswer(look) }
    : { step: 'settle', answer: look.answer }
}

/** The acquirer's approval may have been captured, reversed or voided, or may have lapsed since. */
function presentAnswer({ answer, standing }: Extract<LookUpAnswer, { kind: 'authorise' }>): AuthoriseAnswer {
  if (answer.result !== 'approved' || standing === null) return answer
  const { state, amount, currency } = standing
  if (state === 'reserved' || state === 'captured') {
    return { ...answer, amount, currency, captured: state === 'captured' }
  }
  const reason = `The authorisation was ${state} at the acquirer`
  return { ...failed(reason), acquirer_transaction_id: answer.acquirer_transaction_id }
}

/** A failure to ask proves nothing, so the count stays. An operation under way was found, so the count restarts. */
function keptCount({ not_found_count }: UnansweredOperation, { result }: LookUpResult): number {
  return result === 'no_answer' ? not_found_count : 0
}
