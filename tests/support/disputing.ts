// Disputes where it does not matter who tells of them.

import type { DisputeStatus } from '../../src/payments/dispute.ts'
import { type Recorded, recordDispute } from '../../src/payments/disputes/record-dispute.ts'
import type { PaymentKey } from '../../src/payments/payment.ts'
import type { Service } from './service.ts'

/** The payment's dispute, as its acquirer would tell of it now. */
export async function disputeOf(
  { context }: Pick<Service, 'context'>,
  key: PaymentKey,
  { status = 'needs_response', respond_by = null }: { status?: DisputeStatus; respond_by?: Date | null } = {},
): Promise<Exclude<Recorded, 'later'>['dispute']> {
  const occurred_at = context.world.clock.now()
  const news = {
    ...{ vendor_id: `dp_${key.payment_id}`, status, round: 1 as const, reason: 'fraudulent', money: null },
    ...{ respond_by: respond_by?.toISOString() ?? null, opened_at: null, url: 'https://bank.example/dp', occurred_at },
  }
  const cause = { actor: 'reconciler', request_id: null } as const
  const recorded = await recordDispute(context, key, { acquirer: 'bank', news, cause })
  if (recorded === 'later') throw new Error('the payment is not known yet')
  return recorded.dispute
}
