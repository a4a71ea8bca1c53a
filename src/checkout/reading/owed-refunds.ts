// What the shopper still lacks of the refunds of a payment that failed.

import type { AnySql, Fragment } from '../../database/open.ts'

/** A refund as a statement gives it, in JSON. */
export type RefundState = {
  refund_id: string
  amount: number
  status: 'pending' | 'succeeded' | 'failed'
  created_at: string
  settled_at: string | null
}

/** As `refundStates` gives them. */
export type RefundedPayment = { amount: number; refunds: readonly RefundState[] | null }

/** A failed refund, and what of it has not been given back since. */
export type OwedRefund = RefundState & { owed_amount: number }

/** The refunds of a payment in the order of their beginnings; null where none was begun. `payment` is what the statement calls its row. */
export function refundStates(sql: AnySql, payment: Fragment): Fragment {
  return sql`case when ${payment}.refund_count > 0 then (
    select json_agg(json_build_object('refund_id', refund_id, 'amount', amount, 'status', status,
      'created_at', created_at, 'settled_at', settled_at) order by sequence)
    from refunds where merchant_id = ${payment}.merchant_id and payment_id = ${payment}.payment_id
  ) end`
}

/**
 * The failed refunds that are still owed, by when they failed. A refund that was begun after a failure and asks for the same is a
 * try of it and takes its place. Any other that did not fail pays the largest ones that it covers, and of the oldest what is left.
 * Never more than is left of the captured amount.
 */
export function owedRefunds({ amount, refunds }: RefundedPayment): OwedRefund[] {
  if (refunds === null) return []
  let owed: OwedRefund[] = []
  const tries = new Map<RefundState, number>()
  for (const { refund, is_failure } of stepsOf(refunds)) {
    if (is_failure) {
      owed.push({ ...refund, owed_amount: tries.get(refund) ?? refund.amount })
      continue
    }
    const same = owed.find((each) => each.amount === refund.amount || each.owed_amount === refund.amount)
    if (same) {
      owed = owed.filter((each) => each !== same)
      tries.set(refund, same.owed_amount)
    }
    if (refund.status !== 'failed') owed = pay(owed, refund.amount - (same?.owed_amount ?? 0))
  }
  const given = refunds.reduce((sum, each) => (each.status === 'failed' ? sum : sum + each.amount), 0)
  return within(owed, amount - given)
}

/** What of the refunds of a payment is not done. */
export function refundSums(payment: RefundedPayment) {
  const pending = (payment.refunds ?? []).filter(({ status }) => status === 'pending')
  return {
    pending_amount: pending.reduce((sum, each) => sum + each.amount, 0),
    failed_amount: owedRefunds(payment).reduce((sum, { owed_amount }) => sum + owed_amount, 0),
  }
}

/** Beginnings and failures, in time order. */
function stepsOf(refunds: readonly RefundState[]) {
  const begun = refunds.map((refund) => ({ refund, is_failure: false, at: Date.parse(refund.created_at) }))
  const failed = refunds
    .filter(({ status }) => status === 'failed')
    .map((refund) => ({ refund, is_failure: true, at: Date.parse(refund.settled_at!) }))
  const place = new Map(refunds.map((refund, index) => [refund, index]))
  return [...begun, ...failed].sort((a, b) => a.at - b.at || place.get(a.refund)! - place.get(b.refund)!)
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
