// A dispute of a test payment, as the simulated bank of its shopper would have it: nobody disputes a test payment by themselves.

import { Refusal } from '../../kernel/errors.ts'
import type { DisputeStatus } from '../dispute.ts'
import type { Cause } from '../outcome.ts'
import { noPayment, type PaymentKey } from '../payment.ts'
import { findPayment } from '../reading/payment-store.ts'
import { type DisputeContext, type Recorded, recordDispute } from './record-dispute.ts'

const responds_within_ms = 14 * 24 * 3_600_000

/**
 * Opens the payment's one dispute, or moves it on. Throws `resource_not_found`, or `invalid_request` where the payment is not one of the
 * simulated acquirer that took money.
 */
export async function simulateDispute(
  context: DisputeContext,
  key: PaymentKey,
  { status, amount, cause }: { status: DisputeStatus; amount: number | null; cause: Cause },
): Promise<Recorded> {
  const payment = await findPayment(context.sql, key.merchant_id, key.payment_id)
  if (!payment) throw noPayment()
  const { acquirer, mode, currency } = payment
  if (mode !== 'test' || acquirer !== 'simulator' || payment.status !== 'captured') {
    throw new Refusal('invalid_request', 'Only a captured test payment of the simulated acquirer can be disputed so.')
  }
  const occurred_at = context.world.clock.now()
  const news = {
    ...{
      vendor_id: `sim_${key.payment_id}`,
      status,
      round: 1 as const,
      reason: 'fraudulent',
      opened_at: null,
      url: null,
    },
    money: amount === null ? null : { amount, currency },
    respond_by: status === 'needs_response' ? new Date(occurred_at.getTime() + responds_within_ms).toISOString() : null,
    occurred_at,
  }
  return recordDispute(context, key, { acquirer, news, cause })
}
