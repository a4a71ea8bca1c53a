// Judges what the service recorded of each charge against what the bank made of it.

import { connectionNamed } from '../../src/merchants/account-connection.ts'
import { type Authorisation, endOf, leftOf } from './bank/authorisation.ts'
import { handled_within_ms, type KnownOperation, type KnownPayment } from './known-payment.ts'
import { told_id } from './operator.ts'
import { type Fault, unless } from './violations.ts'

type Moment = { now_ms: number; skew_ms: number }
/** How a charge ended that the bank did not answer: when the service began to reverse it, or as a person said. */
type Ending = { reversed_at: Date | null; was_said_reversed: boolean }

export function faultsOfEnds(
  { operations, authorisations }: Pick<KnownPayment, 'operations' | 'authorisations'>,
  moment: Moment,
): Fault[] {
  const charges = operations.filter(({ kind }) => kind === 'authorise')
  const reversals = operations.filter(({ kind }) => kind === 'reverse')
  const [first] = reversals.toSorted((a, b) => a.sent_at.getTime() - b.sent_at.getTime())
  const reversed_at = first?.sent_at ?? null
  const was_said_reversed = operations.some(isSaidReversed)
  return charges.flatMap((charge) => {
    const { operation_id, state } = charge
    const said = authorisations.find(({ reference }) => reference === operation_id)
    const agrees = !said?.result || state === said.result
    const is_excused = said !== undefined && isExcused(charge, said, { ...moment, reversed_at, was_said_reversed })
    return unless(agrees || is_excused, 'I4', `${state} here, ${said?.result} there`)
  })
}

/** A person said that it was taken back, of a reversal that never came to the bank: what it may say later is not asked for. */
function isSaidReversed({ kind, answer }: KnownOperation): boolean {
  return kind === 'reverse' && answer?.acquirer_transaction_id === told_id
}

/** It came to nothing on both sides, and the service could not know in which way. */
function isExcused(
  charge: KnownOperation,
  said: Authorisation,
  { now_ms, skew_ms, reversed_at, was_said_reversed }: Moment & Ending,
): boolean {
  const { state } = charge
  if (state !== 'failed' && state !== 'declined') return false
  // By us, by people, or by time; or it stays with the bank, as a person said.
  if (Math.min(endOf(said), leftOf(said)) <= now_ms) return true
  if (said.result === 'approved') return false
  if (state === 'failed' && was_said_reversed) return true
  if (said.surprises.some(({ what }) => what === 'late')) return true
  const ended_ms = charge.answered_at?.getTime() ?? now_ms
  const known_ms = knownMs(charge, said)
  // It was given up before that, and from then on it could only fail, however late its reversal was answered.
  if (state === 'failed' && reversed_at !== null) {
    return reversed_at.getTime() <= known_ms + handled_within_ms + skew_ms
  }
  // A notice of Adyen's says that a charge was refused, and not whether by an error.
  const was_noticed = charge.noticed_at !== null && known_ms === Number.POSITIVE_INFINITY
  return state === 'declined' && isTold(charge) && (was_noticed || known_ms <= ended_ms + skew_ms)
}

/**
 * From when on the service could know of a vendor's refusal; infinite for never. The simulator says by itself what came after a
 * reversal.
 */
function knownMs(charge: KnownOperation, { known_ms }: Authorisation): number {
  if (connectionNamed(charge.acquirer) === null) return Number.NEGATIVE_INFINITY
  const known_at_ms = isTold(charge) ? noticedMs(charge) : known_ms
  return known_at_ms ?? Number.POSITIVE_INFINITY
}

/** A notice from before its charge was taken in by a process whose clock was wrong: when it came is not written down. */
function noticedMs({ noticed_at, sent_at }: KnownOperation): number | undefined {
  return noticed_at !== null && noticed_at >= sent_at ? noticed_at.getTime() : undefined
}

/** Adyen cannot be asked. */
function isTold({ acquirer }: KnownOperation): boolean {
  return connectionNamed(acquirer)?.connector === 'adyen'
}
