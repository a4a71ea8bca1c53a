// Records what an acquirer tells of a dispute, whoever brings it: a notice, the comparison, or whoever tries it out in test mode.

import { hashOf } from '../bound-money.ts'
import type { SettlementContext } from '../context.ts'
import { type Dispute, type DisputeNews, disputeEventOf, followed, newDispute, viewDispute } from '../dispute.ts'
import { type Cause, lineOf } from '../outcome.ts'
import { noPayment, type PaymentKey } from '../payment.ts'
import { lockPayment } from '../reading/payment-store.ts'
import { findDisputeNamed, lastToldAt, saveDispute } from './dispute-store.ts'

export type DisputeContext = Pick<SettlementContext, 'sql' | 'ids' | 'wakeDeliveries'> & {
  world: Pick<SettlementContext['world'], 'clock' | 'log'>
}

/** `later`: what became of the payment is not known yet. */
export type Recorded = { told: 'opened' | 'closed' | 'updated' | 'nothing_new'; dispute: Dispute } | 'later'

/**
 * The payment is locked first: whoever refunds it meanwhile waits, and is judged by what is recorded here. Throws `resource_not_found`.
 */
export async function recordDispute(
  { sql, ids, world, wakeDeliveries }: DisputeContext,
  key: PaymentKey,
  { acquirer, news, cause }: { acquirer: string; news: DisputeNews; cause: Cause },
): Promise<Recorded> {
  const { merchant_id } = key
  const recorded = (await sql.begin(async (tx): Promise<Recorded> => {
    const payment = await lockPayment(tx, key)
    if (!payment) throw noPayment()
    if (payment.status === 'pending') return 'later'
    const known = await findDisputeNamed(tx, { merchant_id, acquirer, vendor_id: news.vendor_id })
    // Each event of a dispute has a time of its own, by which its line finds it.
    const last = known ? await lastToldAt(tx, known) : null
    const at = new Date(Math.max(world.clock.now().getTime(), last === null ? 0 : last.getTime() + 1))
    const change = known ? followed(known, news) : newDispute(payment, news, { dispute_id: ids.dispute(at), acquirer })
    if (change === null) return { told: 'nothing_new', dispute: known! }
    const { dispute, told } = change
    const event = told === 'updated' ? null : disputeEventOf({ dispute, told }, { event_id: ids.event(at), at })
    const { dispute_id, payment_id, session_id } = dispute
    const { id: _id, payment_id: _payment, vendor_url: _url, reason: _reason, ...shown } = viewDispute(dispute)
    const journal = lineOf(ids, { merchant_id, session_id, payment_id: dispute_id }, cause, {
      change: changes[told],
      detail: { dispute_id, payment_id, acquirer, ...shown, ...(event && { event_sha256: hashOf(event) }) },
      at,
    })
    await saveDispute(tx, { dispute, is_new: !known, event, journal })
    return { told, dispute }
  })) as Recorded
  if (recorded === 'later' || recorded.told === 'nothing_new' || recorded.told === 'updated') return recorded
  wakeDeliveries('event', merchant_id)
  const { dispute_id, payment_id, status, respond_by } = recorded.dispute
  const fields = { acquirer, merchant_id, payment_id, dispute_id, status, respond_by }
  // Somebody has to answer it.
  if (recorded.told === 'opened') world.log.error(fields, 'a payment is disputed')
  else world.log.info(fields, 'a dispute is closed')
  return recorded
}

const changes = { opened: 'dispute.opened', updated: 'dispute.updated', closed: 'dispute.closed' } as const
