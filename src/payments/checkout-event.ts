// The events of a Checkout Session, in the compatible platform's words alone: that it is complete or expired, and what became of a
// payment that was held.

import { withDates } from '../database/driver/rows.ts'
import type { Ids } from '../kernel/ids.ts'
import type { CompatibleOnlyType } from '../kernel/values.ts'
import { type CompatibleEvent, type CompatibleFacts, compatibleEvent } from '../webhooks/queue/compatible-event.ts'
import { type ShownCheckout, type StandingCheckout, shownMembers } from './checkout-session.ts'
import type { Payment } from './payment.ts'
import type { Session } from './session.ts'

/**
 * What is frozen of it. Of one that is complete only what has become of it: its other columns never change, and its row stays with the
 * payment.
 */
type FrozenCheckout = Partial<ShownCheckout> & Pick<ShownCheckout, 'session_id' | 'email' | 'status' | 'is_paid'>

type Told = Pick<CompatibleFacts, 'actor' | 'request_id' | 'at'>

/** What a charge, or the decision of its hold, means for the Checkout Session of its session; null where nothing. */
export function paidEvent(
  ids: Pick<Ids, 'event' | 'journalEntry'>,
  { session, payment }: { session: Session; payment: Payment },
  { is_decision, ...told }: Told & { is_decision: boolean },
): CompatibleEvent | null {
  const { merchant_id, checkout_session_id, session_id, mode, customer } = session
  const is_paid = payment.status === 'captured'
  if (checkout_session_id === null || session.status !== 'succeeded') return null
  const frozen: FrozenCheckout = { session_id, email: customer?.email ?? null, status: 'complete', is_paid }
  return compatibleEvent(ids, {
    ...{ merchant_id, subject: checkout_session_id, session_id, mode, ...told },
    type: is_decision ? decisionType(is_paid) : 'checkout.session.completed',
    sequence: is_decision ? 2 : 1,
    data: { checkout: frozen },
  })
}

function decisionType(is_paid: boolean): CompatibleOnlyType {
  return is_paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed'
}

/** Of one that ended unpaid: all that is shown of it, since its row may go before its event does. */
export function expiredEvent(
  ids: Pick<Ids, 'event' | 'journalEntry'>,
  checkout: StandingCheckout,
  told: Told,
): CompatibleEvent {
  const { merchant_id, checkout_session_id, session_id, mode } = checkout
  const shown = Object.fromEntries(shownMembers.map((name) => [name, checkout[name]])) as ShownCheckout
  const frozen: FrozenCheckout = { ...shown, status: 'expired' }
  return compatibleEvent(ids, {
    ...{ merchant_id, subject: checkout_session_id, session_id, mode, ...told },
    ...{ type: 'checkout.session.expired', sequence: 1, data: { checkout: frozen } },
  })
}

/** The Checkout Session of an event. `row` is its own, or null where all of it is frozen. */
export function checkoutOfEvent(data: object, row: object | null): ShownCheckout {
  const { checkout } = data as { checkout: FrozenCheckout }
  return withDates<ShownCheckout>({ ...row, ...checkout } as ShownCheckout, ['created_at', 'expires_at'])
}
