// What a look at an unanswered operation means: it is known, is looked at again, is done over, or waits for a person.

import type {
  Acquirer,
  AuthoriseAnswer,
  LookUpAnswer,
  SettleAnswer,
} from '../acquirers/acquirer.ts'
import { nextTryAt } from './backoff.ts'
import { failure, sendable_ms, type UnansweredOperation } from './operation.ts'

/** What the acquirer said of our reference; `no_answer` where it could not be asked. */
export type LookUpResult = LookUpAnswer | { result: 'no_answer' }

export type ReconciliationStep =
  | { step: 'settle_charge'; answer: AuthoriseAnswer }
  | { step: 'settle'; answer: SettleAnswer }
  | { step: 'look_again'; at: Date; not_found_count: number }
  /** The authorisation never arrived, as far as can be seen: it is taken back, so that it never can. */
  | { step: 'reverse' }
  /** A capture, void or reversal never arrived: it is sent again under its own reference. */
  | { step: 'send_again' }
  | { step: 'wait_for_person' }

/** After the first look, which comes 5 s after the silence was noted. */
const waits_seconds = [15, 60, 300, 900, 3600]
/** So many looks must not find an operation before that counts. */
const looks_that_count = 2
/** Between the two looks that must not find an operation before that counts. */
const second_look_ms = 5_000
/** After this, and as many looks, only a person can say what became of it. */
export const patience_ms = 72 * 3600 * 1000
const looks_min = 5

/** `chance` is from 0 up to 1. The operation's `checks` count this look. */
export function stepAfter(
  operation: UnansweredOperation,
  look: LookUpResult,
  acquirer: Pick<Acquirer, 'safe_window_ms' | 'reference_life_ms'>,
  { now, chance }: { now: Date; chance: number },
): ReconciliationStep {
  const found = look.result === 'found' ? settled(operation, look) : null
  if (found) return found
  const window_ends_at = windowEndsAt(operation, acquirer)
  const counts = isAbsent(operation, look) && now >= window_ends_at
  const not_found_count = counts ? countAfter(operation, look) : keptCount(operation, look)
  const is_over = isPatienceOver(operation, now)
  if (counts && not_found_count >= looks_that_count) {
    if (operation.kind === 'authorise' && !is_over) return { step: 'reverse' }
    const life_ends_ms = operation.sent_at.getTime() + acquirer.reference_life_ms
    if (now.getTime() < life_ends_ms) {
      const at = sendAgainAt(operation)
      return now < at ? { step: 'look_again', at, not_found_count } : { step: 'send_again' }
    }
  }
  if (is_over) return { step: 'wait_for_person' }
  if (counts && not_found_count === 1) {
    return { step: 'look_again', at: new Date(now.getTime() + second_look_ms), not_found_count }
  }
  const at = nextTryAt(waits_seconds, { tries: operation.checks, now, chance })
  // Nothing is certain before the window ends, so that is the moment for a look.
  const soonest = now < window_ends_at && window_ends_at < at ? window_ends_at : at
  return { step: 'look_again', at: soonest, not_found_count }
}

/** Whether the look says that the operation is not there. What the acquirer has accepted is, whatever a look says. */
function isAbsent({ state }: UnansweredOperation, { result }: LookUpResult): boolean {
  return state !== 'accepted' && (result === 'not_found' || result === 'only_notices_tell')
}

/** Two looks must not find it. Where no look can, the time that passed without a notice has to do. */
function countAfter({ not_found_count }: UnansweredOperation, { result }: LookUpResult): number {
  return result === 'only_notices_tell' ? looks_that_count : not_found_count + 1
}

/** Until then what was sent may still arrive. */
export function windowEndsAt(
  { last_sent_at }: Pick<UnansweredOperation, 'last_sent_at'>,
  { safe_window_ms }: Pick<Acquirer, 'safe_window_ms'>,
): Date {
  return new Date(last_sent_at.getTime() + sendable_ms + safe_window_ms)
}

/** The first time at once. What does not arrive then either goes out later and later. */
function sendAgainAt({ sent_at, last_sent_at, checks }: UnansweredOperation): Date {
  if (last_sent_at.getTime() === sent_at.getTime()) return sent_at
  return nextTryAt(waits_seconds, { tries: checks, now: last_sent_at, chance: 0 })
}

/** When an operation that cannot be looked up at the moment is taken up again; null where a person has to. */
export function laterOrNever(
  operation: UnansweredOperation,
  { now, chance }: { now: Date; chance: number },
): Date | null {
  if (isPatienceOver(operation, now)) return null
  return nextTryAt(waits_seconds, { tries: operation.checks, now, chance })
}

/**
 * When a charge is looked at again whose reversal was refused since its authorisation is there: at once, and where that
 * happens again and again, later and later.
 */
export function lookAfterRefusal(
  { sequence }: Pick<UnansweredOperation, 'sequence'>,
  moment: { now: Date; chance: number },
): Date {
  return sequence === 1 ? moment.now : nextTryAt(waits_seconds, { ...moment, tries: sequence })
}

/** What lay for days while nothing here ran is looked at all the same. */
function isPatienceOver({ sent_at, checks }: UnansweredOperation, now: Date): boolean {
  return now.getTime() - sent_at.getTime() >= patience_ms && checks >= looks_min
}

/** Null where the acquirer knows the reference as something else, which says nothing of the operation. */
function settled(
  { kind }: UnansweredOperation,
  look: Extract<LookUpAnswer, { result: 'found' }>,
): ReconciliationStep | null {
  if (look.kind !== kind) return null
  return look.kind === 'authorise'
    ? { step: 'settle_charge', answer: presentAnswer(look) }
    : { step: 'settle', answer: look.answer }
}

/** What was approved first may have been captured, taken back or lapsed at the acquirer since. */
function presentAnswer({
  answer,
  standing,
}: Extract<LookUpAnswer, { kind: 'authorise' }>): AuthoriseAnswer {
  if (answer.result !== 'approved' || standing === null) return answer
  const { state, amount, currency } = standing
  if (state === 'reserved' || state === 'captured') {
    return { ...answer, amount, currency, captured: state === 'captured' }
  }
  const reason = `The authorisation was ${state} at the acquirer`
  return { ...failure(reason), acquirer_transaction_id: answer.acquirer_transaction_id }
}

/** That it could not be asked says nothing; that it is under way says that it was found. */
function keptCount({ not_found_count }: UnansweredOperation, { result }: LookUpResult): number {
  return result === 'no_answer' ? not_found_count : 0
}
