// Payments at the dashboard: the list, one payment with what may be done to it, its timeline, decisions and refunds.

import { z } from 'zod'
import { listRefusedRequests } from '../../http/refusal-log-store.ts'
import { route } from '../../http/route.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { amount_max, type Mode, timestampOrNull } from '../../kernel/values.ts'
import { findDifferences } from '../../payments/acquirer-operations/finding-store.ts'
import type { Context } from '../../payments/context.ts'
import { viewDispute } from '../../payments/dispute.ts'
import { listDisputesOf } from '../../payments/disputes/dispute-store.ts'
import { readLife } from '../../payments/history/payment-history.ts'
import { type Hold, viewHold } from '../../payments/hold.ts'
import { captureWithNote, escalateWithNote, voidWithNote } from '../../payments/holds/hold-routes.ts'
import { findLifeKey } from '../../payments/reading/life-store.ts'
import { listPayments } from '../../payments/reading/list-payments.ts'
import { modeOfPayment } from '../../payments/reading/mode-store.ts'
import { refundSums } from '../../payments/reading/owed-refunds.ts'
import { findPaymentWithHold, type PaymentWithHold } from '../../payments/reading/payment-store.ts'
import { paymentView, viewPayment } from '../../payments/reading/read-payment.ts'
import { refundableOf } from '../../payments/refund.ts'
import { findRefundLimit, leftOfLimit } from '../../payments/refunds/refund-limit-store.ts'
import { refundCreate, refundRecord } from '../../payments/refunds/refund-routes.ts'
import { settlementAt } from '../../payments/session.ts'
import { disputeView, holdView, otherPaymentsView, settlementView } from '../../payments/views.ts'
import { type Member, notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { behind } from '../behind.ts'
import { peopleIn } from '../people.ts'
import { late_ms } from '../sessions/refused-sessions.ts'
import { refuseGuesses, showShopper, showShoppers } from '../shoppers.ts'
import { differenceView } from '../system/operator-views.ts'
import { refusals_max, timelineView, viewTimeline } from './timeline.ts'

const reading = signedIn('read_transactions')
const deciding = signedIn('decide_holds', { gravity: 'money', mode: paymentMode })
const shared = { tag: 'Dashboard', dialect: 'dashboard' as const, status: 200, access: reading }

export const listPaymentsHere = behind(reading, listPayments, showShoppers, refuseGuesses)

export const readPaymentHere = route({
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/payments/{payment_id}',
  summary: 'A payment with its card and hold, and what the person may do with it now',
  reply: paymentView.extend({
    card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
    /** With what the rules do at the deadline where nobody has decided. */
    hold: holdView.extend({ at_deadline: z.enum(['void', 'capture']) }).nullable(),
    settlement: settlementView,
    /** While a charge is under way: when its answer counts as lost, and the service asks the acquirer. */
    answer_by: z.string().nullable(),
    amount_verification_source: z.string(),
    /** By which the shopper came. */
    payment_link_id: z.string().nullable(),
    /** How much the person may refund of what is left. */
    refund_max: z.int(),
    /** Up to how much of a payment their role may refund, 0 where no owner has said so; null for a role without a limit. */
    refund_limit: z.int().nullable(),
    /** Newest first. */
    disputes: z.array(disputeView),
    /** Whether a refund wants a word: one of them is open or lost. */
    is_disputed: z.boolean(),
    /** Failed refunds, too. */
    refund_count: z.int(),
    /** What a person gave back another way of refunds that failed. */
    otherwise_amount: z.int(),
    /** Of its order or session: the newest in each state that took money or may yet. */
    other_payments: otherPaymentsView,
    /** How many payments of its order are captured and have money left. */
    order_paid_payments: z.int(),
    /** What the acquirer's record says otherwise, the newest first. */
    differences: z.array(differenceView),
    permitted: z.array(z.enum(['capture', 'void', 'escalate', 'refund'])),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, params, now }) => {
    const { merchant_id } = holder
    const key = { merchant_id, payment_id: params.payment_id! }
    const [found, differences, disputes] = await Promise.all([
      findPaymentWithHold(sql, key),
      findDifferences(sql, key),
      listDisputesOf(sql, key),
    ])
    if (!found) throw notThere()
    const { payment, hold, session } = found
    const { card_brand: brand, card_last4: last4 } = payment
    const left = refundableOf(payment)
    const refund_limit = isLimited(holder) ? await findRefundLimit(sql, payment) : null
    const refund_max = refund_limit === null ? left : Math.max(0, Math.min(left, leftOfLimit(refund_limit, payment)))
    const shown = {
      ...viewPayment(payment),
      card: brand && last4 ? { brand, last4 } : null,
      hold: hold && { ...viewHold(hold), at_deadline: hold.at_deadline },
      settlement: settlementAt(session, now),
      answer_by: timestampOrNull(session.answer_by),
      amount_verification_source: session.amount_verification_source,
      payment_link_id: session.payment_link_id,
      refund_max,
      refund_limit,
      disputes: disputes.map(viewDispute),
      is_disputed: payment.dispute === 'standing',
      refund_count: payment.refund_count,
      otherwise_amount: refundSums(payment).otherwise_amount,
      other_payments: found.other_payments,
      order_paid_payments: found.order_paid_payments,
      differences,
      permitted: permittedOn(found, holder, refund_max),
    }
    return showShopper(shown, holder)
  },
})

export const readTimelineHere = route({
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/payments/{payment_id}/timeline',
  summary: 'All that happened to a payment and its session',
  reply: timelineView,
  refusals: [],
  handle: async ({ sql }: Context, { holder, params, now }) => {
    const { payment_id, session_id: of_session } = params
    const key = await findLifeKey(sql, payment_id ?? of_session!, holder.merchant_id)
    if (!key || (key.payment_id !== payment_id && key.session_id !== of_session)) throw notThere()
    const life = await readLife(sql, key)
    const { merchant_id, session_id, created_at, expires_at } = life.session
    const span = { from: idsFrom(created_at), below: idsFrom(new Date(expires_at.getTime() + late_ms)) }
    const filters = { merchant_id, asker_id: session_id, ...span }
    const refusals = await listRefusedRequests(sql, filters, refusals_max + 1)
    const shown = viewTimeline(life, refusals, holder, now)
    return { ...shown, people: await peopleIn(sql, shown.lines, holder) }
  },
})

export const readSessionTimelineHere = {
  ...readTimelineHere,
  path: '/dashboard/api/{merchant_id}/sessions/{session_id}/timeline' as const,
  summary: 'All that happened to a session and its payments',
}

export const captureHere = behind(deciding, captureWithNote, showShopper)
export const voidHere = behind(deciding, voidWithNote, showShopper)
export const escalateHere = behind(signedIn('decide_holds', { mode: paymentMode }), escalateWithNote, showShopper)
const refundByPerson = refundRecord(
  z.strictObject({
    ...refundCreate.shape,
    otherwise_amount: z.int().min(0).max(amount_max).default(0).meta({
      description: 'how much of the payment was given back another way, as the person saw it',
    }),
  }),
  (holder, { otherwise_amount }) => ({ is_limited: isLimited(holder as Member), otherwise_amount }),
)
export const refundHere = behind(signedIn('refund_payments', { gravity: 'money', mode: paymentMode }), {
  ...refundByPerson,
  refusals: [...refundByPerson.refusals, 'refund_limit_exceeded', 'refund_settled_otherwise'],
})

/** What the state of a payment and the person's role allow now. */
function permittedOn(
  { payment, hold, operation }: PaymentWithHold,
  { can }: Pick<Member, 'can'>,
  refund_max: number,
): ('capture' | 'void' | 'escalate' | 'refund')[] {
  const { mode } = payment
  const is_open = isOpen(hold) && operation === null
  const decisions = is_open && can('decide_holds', mode) ? (['capture', 'void'] as const) : []
  // Nobody has to judge the amount of what waits for its goods.
  const is_new = decisions.length > 0 && hold!.status === 'pending_review' && hold!.reason !== 'manual_capture'
  return [
    ...decisions,
    ...(is_new ? (['escalate'] as const) : []),
    ...(refund_max > 0 && can('refund_payments', mode) ? (['refund'] as const) : []),
  ]
}

/** Where there is no such payment the act counts as live. A door gets the ids before anybody has judged them. */
export async function paymentMode({ sql }: Pick<Context, 'sql'>, params: Record<string, string>): Promise<Mode | null> {
  if (!/^pay_[0-9a-f]{24}$/.test(params.payment_id ?? '')) return null
  return modeOfPayment(sql, { merchant_id: params.merchant_id ?? '', params })
}

/** Support refunds up to the merchant's limits. */
export function isLimited({ role }: Pick<Member, 'role'>): boolean {
  return role === 'support'
}

function isOpen(hold: Hold | null): boolean {
  return hold !== null && hold.decided_at === null
}
