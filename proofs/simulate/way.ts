// Judges the way to where a world came to rest: what the bank held of a shopper at any moment, and what it was asked in between.

import { type Authorisation, endOf, leftOf, type Surprise } from './bank/authorisation.ts'
import type { Bank } from './bank/bank.ts'
import type { Settlement } from './bank/settlement.ts'
import { swept_ms } from './bank/traits.ts'
import type { KnownPayment } from './known-payment.ts'
import { type Fault, unless } from './violations.ts'

type Way = {
  bank: Bank
  now_ms: number
  skew_ms: number
  braked_ms: number
  comparisons_failed: number
}

/**
 * Longer than two sweeps, and a reversal that gets lost and is tried again; and than the latest notice, after which a charge that
 * had been taken is given back.
 */
const put_right_ms = 3_600_000
/** Until books are compared again, which may fail twice, and be lost with its process. */
const compared_ms = 36 * 3_600_000
/** From a comparison that fails until the next is begun. */
const compared_again_ms = 2.5 * 3_600_000
/** After a refusal it is tried again an hour later, and may be accepted then, of which the refusal is heard another hour later. */
const tried_again_ms = 3 * 3_600_000
/** An error that stays under a second key, too, ends with the keys of Stripe, and with those of Adyen, which cannot be asked. */
const stripe_kept_ms = 25 * 3_600_000
const adyen_kept_ms = 169 * 3_600_000

export function faultsOfWay(lives: KnownPayment[], way: Way): Fault[] {
  const sessions = Map.groupBy(lives, ({ session }) => session.session_id)
  return [
    ...[...sessions].flatMap(([session_id, payments]) => faultsOfShopper(session_id, payments, way)),
    ...lives.flatMap((life) => faultsOfRefused(life, way)),
    ...lives.flatMap((life) => faultsOfTaken(life, way)),
    ...lives.flatMap((life) => faultsOfSending(life, way)),
  ]
}

/** More than may lie between the writing down of what is to be sent and its sending. */
const sent_within_ms = 10_000

/** Nothing is sent that was written down long before: somebody may have settled it meanwhile. */
function faultsOfSending({ operations }: KnownPayment, { bank, skew_ms }: Way): Fault[] {
  return operations.flatMap(({ kind, operation_id, last_sent_at }) => {
    const age_ms = (bank.calls.get(operation_id) ?? 0) - last_sent_at.getTime()
    const is_young = age_ms <= sent_within_ms + skew_ms
    return unless(is_young, 'I14', `${kind} ${operation_id}: sent after ${seconds(age_ms)}`)
  })
}

/** Two charges of a session never hold or take money at once. */
function faultsOfShopper(session_id: string, payments: KnownPayment[], way: Way): Fault[] {
  const all = payments.flatMap(({ authorisations }) => authorisations)
  const approved = all.filter(({ authorised_ms }) => authorised_ms !== null)
  return approved.flatMap((one, at) =>
    approved.slice(at + 1).flatMap((other) => {
      const both = [one, other]
      const from_ms = Math.max(one.authorised_ms!, other.authorised_ms!)
      const until_ms = Math.min(...both.flatMap((each) => [endOf(each), leftOf(each)]), way.now_ms)
      const most_ms = Math.max(patience(one, way), patience(other, way))
      const over_ms = until_ms - from_ms - most_ms
      const told = `${session_id} was charged twice for ${seconds(until_ms - from_ms)}`
      const deeds = both.map((entry) => `${entry.reference}, where the bank did ${deedsOf(entry)}`)
      return unless(over_ms <= 0, 'I14', `${told}: ${deeds.join(' and ')}`)
    }),
  )
}

/** Of a payment that was told to have come to nothing the bank holds nothing, and nobody captures it. */
function faultsOfRefused({ payment, lines, authorisations }: KnownPayment, way: Way): Fault[] {
  const { payment_id, status } = payment
  const told = lines.find(({ change }) => change === 'payment.failed' || change === 'payment.declined')
  if (!told) return []
  const told_ms = told.at.getTime() + way.skew_ms
  return authorisations.flatMap((entry) => {
    if (entry.authorised_ms === null) return []
    const from_ms = Math.max(told_ms, entry.authorised_ms)
    const held_ms = Math.min(endOf(entry), leftOf(entry), way.now_ms) - from_ms
    const captured = settlementsOf(entry, way).find(({ kind, asked_ms }) => kind === 'capture' && asked_ms > told_ms)
    const name = `${payment_id}, ${status}, ${entry.reference}, where the bank did ${deedsOf(entry)}`
    return [
      ...unless(
        held_ms <= patience(entry, way),
        'I14',
        `${name}: the bank held or had its money for ${seconds(held_ms)} after that was told`,
      ),
      ...unless(!captured, 'I14', `${name}: it was captured after that was told`),
    ]
  })
}

/** What was captured is not taken back, and what was voided or taken back is not captured, by the service. */
function faultsOfTaken({ payment, authorisations }: KnownPayment, way: Way): Fault[] {
  const name = `${payment.payment_id}, ${payment.status}`
  return authorisations.flatMap((entry) => {
    const done = settlementsOf(entry, way).filter(({ answer }) => answer.result === 'approved')
    const reversed = done.find(({ kind }) => kind === 'reverse')
    const ended = done.find(({ kind }) => kind === 'void' || kind === 'reverse')
    const captured = settlementsOf(entry, way).find(
      ({ kind, asked_ms }) => kind === 'capture' && ended && asked_ms > ended.asked_ms,
    )
    const told = `${name}: ${entry.reference}`
    return [
      ...unless(!reversed || payment.status !== 'captured', 'I14', `${told} was reversed`),
      ...unless(!captured, 'I14', `${told} was to be captured after its ${ended?.kind}`),
    ]
  })
}

/** What was partly captured before its approval was heard is other money, too. */
const banks_own = new Set<Surprise['what']>(['late', 'two_answers', 'other_money', 'partial_capture'])

/** So long may last what the bank did behind our back: until the sweep finds it on the bank's list, and the bank gives in. */
function patience(entry: Authorisation, way: Way): number {
  const { bank, skew_ms, braked_ms, comparisons_failed } = way
  const untold_ms = bank.only_notifies ? put_right_ms : 0
  if (!entry.surprises.some(({ what }) => banks_own.has(what))) return skew_ms + untold_ms
  const refusals = settlementsOf(entry, way).filter(
    ({ kind, answer }) => kind === 'reverse' && answer.result === 'refused',
  )
  const is_kept = (bank.kept_errors.get(entry.reference) ?? 0) > 1
  const kept_ms = is_kept ? (bank.only_notifies ? adyen_kept_ms : stripe_kept_ms) : 0
  const { lists_after_ms } = bank.traits
  const is_swept = lists_after_ms <= swept_ms && !entry.missed_once
  const listed_ms = is_swept ? lists_after_ms : compared_ms + Math.max(0, comparisons_failed - 2) * compared_again_ms
  return put_right_ms + listed_ms + refusals.length * tried_again_ms + kept_ms + braked_ms
}

function settlementsOf({ reference }: Authorisation, { bank }: Way): Settlement[] {
  return bank.settlements.filter(({ of }) => of === reference)
}

function deedsOf({ surprises }: Authorisation): string {
  return surprises.map(({ what }) => what).join(', ') || 'nothing of its own'
}

function seconds(duration_ms: number): string {
  return `${Math.round(duration_ms / 1000)} s`
}
