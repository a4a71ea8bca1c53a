// What the shopper still lacks of the refunds of a payment that failed.

import type { AnySql, Fragment } from '../../database/open.ts'
import { takenIn } from '../payment.ts'

/** A refund as a statement gives it, in JSON. */
export type RefundState = {
  refund_id: string
  amount: number
  status: 'pending' | 'succeeded' | 'failed'
  created_at: string
  settled_at: string | null
  /** When a person said that they gave the money back another way, and how much; null where nobody has. */
  otherwise_at: string | null
  otherwise_amount: number | null
}

/** As `refundStates` gives them. */
export type RefundedPayment = { amount: number; refunds: readonly RefundState[] | null }

/** A failed refund, and what of it has not been given back since. */
export type OwedRefund = RefundState & { owed_amount: number }

/** The refunds of a payment in the order of their beginnings; null where none was begun. `payment` is what the statement calls its row. */
export function refundStates(sql: AnySql, payment: Fragment): Fragment {
  return sql`case when ${payment}.refund_count > 0 then (
    select json_agg(json_build_object('refund_id', refund_id, 'amount', amount, 'status', status,
      'created_at', created_at, 'settled_at', settled_at,
      'otherwise_at', otherwise_at, 'otherwise_amount', otherwise_amount) order by sequence)
    from refunds where merchant_id = ${payment}.merchant_id and payment_id = ${payment}.payment_id
  ) end`
}

/**
 * Whether something of a payment's amount was not given back, by refunds or another way. Of a captured one the shopper lacks that
 * money. `payment` is what the statement calls its row.
 */
export function hasMoneyLeft(sql: AnySql, payment: Fragment): Fragment {
  return sql`${takenIn(sql, payment)} > ${payment}.refunded_amount
    + case when ${payment}.refund_count = 0 then 0 else (
    select coalesce(sum(otherwise_amount), 0) from refunds
    where merchant_id = ${payment}.merchant_id and payment_id = ${payment}.payment_id) end`
}

/**
 * The failed refunds that are still owed, by when they failed. A refund that was begun after failures takes the place of those that
 * it asks for again, whether it fails as well or not: of the one with its amount, else of the largest ones that it covers, and of a
 * part of the oldest with what is left. So a try that fails changes nothing once a later one is done. What a person gave back
 * another way is owed no more. Never more than is left of the captured amount after both.
 */
export function owedRefunds({ amount, refunds }: RefundedPayment): OwedRefund[] {
  if (refunds === null) return []
  let owed: OwedRefund[] = []
  const tries = new Map<RefundState, number>()
  for (const { refund, step } of stepsOf(refunds)) {
    if (step === 'failed') {
      owed.push({ ...refund, owed_amount: tries.get(refund) ?? refund.amount })
    } else if (step === 'otherwise') {
      owed = owed.filter(({ refund_id }) => refund_id !== refund.refund_id)
    } else {
      const same =
        owed.find((each) => each.amount === refund.amount) ?? owed.find((each) => each.owed_amount === refund.amount)
      const others = owed.filter((each) => each !== same)
      const rest = pay(others, refund.amount - (same?.owed_amount ?? 0))
      // Of another try of all, a part may have been given back before.
      if (same) tries.set(refund, sumOf(owed) - sumOf(rest))
      owed = rest
    }
  }
  const returned_amount = refunds.reduce(
    (sum, each) => sum + (each.status === 'failed' ? (each.otherwise_amount ?? 0) : each.amount),
    0,
  )
  return within(owed, amount - returned_amount)
}

/** What of the refunds of a payment is not done, and what was given back another way. */
export function refundSums(payment: RefundedPayment) {
  const refunds = payment.refunds ?? []
  const pending = refunds.filter(({ status }) => status === 'pending')
  return {
    pending_amount: pending.reduce((sum, each) => sum + each.amount, 0),
    failed_amount: sumOf(owedRefunds(payment)),
    otherwise_amount: refunds.reduce((sum, each) => sum + (each.otherwise_amount ?? 0), 0),
  }
}

function sumOf(owed: OwedRefund[]): number {
  return owed.reduce((sum, { owed_amount }) => sum + owed_amount, 0)
}

/** Beginnings, failures and what was settled otherwise, in time order. */
function stepsOf(refunds: readonly RefundState[]) {
  const steps = refunds.flatMap((refund, place) => {
    const failed_at = refund.status === 'failed' ? Date.parse(refund.settled_at!) : null
    const { otherwise_at } = refund
    return [
      { refund, place, step: 'begun', at: Date.parse(refund.created_at) },
      ...(failed_at === null ? [] : [{ refund, place, step: 'failed', at: failed_at }]),
      // The clock of another process may be behind.
      ...(failed_at === null || otherwise_at === null
        ? []
        : [{ refund, place, step: 'otherwise', at: Math.max(failed_at, Date.parse(otherwise_at)) }]),
    ]
  })
  return steps.sort((a, b) => a.at - b.at || a.place - b.place)
}

function pay(owed: OwedRefund[], amount: number): OwedRefund[] {
  if (amount <= 0 || owed.length === 0) return owed
  const covered = owed
    .filter(({ owed_amount }) => owed_amount <= amount)
    .reduce<OwedRefund | null>((most, each) => (most && most.owed_amount >= each.owed_amount ? most : each), null)
  if (covered) {
    return pay(
      owed.filter((each) => each !== covered),
      amount - covered.owed_amount,
    )
  }
  const [oldest, ...others] = owed
  return [{ ...oldest!, owed_amount: oldest!.owed_amount - amount }, ...others]
}

/** The newest failures first: who asked for less after a failure did not want the more. */
function within(owed: OwedRefund[], left: number): OwedRefund[] {
  const rest = owed.reduceRight<{ left: number; kept: OwedRefund[] }>(
    ({ left, kept }, each) => {
      const owed_amount = Math.min(each.owed_amount, left)
      return owed_amount > 0 ? { left: left - owed_amount, kept: [{ ...each, owed_amount }, ...kept] } : { left, kept }
    },
    { left, kept: [] },
  )
  return rest.kept
}
