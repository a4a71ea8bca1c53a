// A payment that is or was held, with its hold, as merchants and operators see it.

import type { z } from 'zod'
import type { SettlementContext } from '../context.ts'
import { type Hold, heldOrRefuse, viewHold } from '../hold.ts'
import type { PaymentKey } from '../payment.ts'
import { findPaymentWithHold, type PaymentWithHold } from '../reading/payment-store.ts'
import { paymentView, viewPayment } from '../reading/read-payment.ts'
import { settlementAt } from '../session.ts'
import { holdView, settlementView } from '../views.ts'

export const heldView = paymentView
  .extend({
    hold: holdView,
    /** Set while the capture or void lacks the acquirer's answer: until it is known, the payment is still held. */
    settlement: settlementView,
  })
  .meta({ title: 'HeldPayment', note: 'A payment that is or was held, with its hold.' })

/**
 * Reads after all was committed, so that the count of the order's payments is right however many are captured at once;
 * and in one statement, so that payment and hold agree. Throws `resource_not_found` for a payment that was never held.
 */
export async function readHeld(
  { sql, world }: Pick<SettlementContext, 'sql' | 'world'>,
  key: PaymentKey,
): Promise<z.input<typeof heldView>> {
  return viewHeld(heldOrRefuse(await findPaymentWithHold(sql, key)), world.clock.now())
}

/** Payment and hold as one statement read them. */
export function viewHeld(
  { payment, hold, session }: Pick<PaymentWithHold, 'payment' | 'session'> & { hold: Hold },
  now: Date,
): z.input<typeof heldView> {
  const settlement = settlementAt(session, now)
  return { ...viewPayment(payment), hold: viewHold(hold), settlement }
}
