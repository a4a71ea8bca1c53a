// A held payment as whoever decides on it sees it, at the dashboard and in `ripper hold list`: what the rules will do, and when.

import { z } from 'zod'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { viewHold } from '../hold.ts'
import { settlementAt } from '../session.ts'
import { holdView, mode, settlementView } from '../views.ts'
import type { HoldWithPayment } from './operator-store.ts'

export const heldPaymentView = z.object({
  payment_id: z.string(),
  checkout_session_id: z.string(),
  amount: z.int(),
  currency: z.string(),
  mode,
  order_reference: z.string().nullable(),
  created_at: z.string(),
  hold: holdView,
  rules: z.object({
    at_deadline: z.enum(['void', 'capture']),
    escalate_at: z.string().nullable(),
    capture_below_limit: z.boolean(),
    next_at: z.string().nullable(),
  }),
  /** The capture or void that has no answer yet. */
  operation: z.object({ kind: z.string(), asked_by: z.string().nullable(), sent_at: z.string() }).nullable(),
  settlement: settlementView,
})

export function viewHeldPayment(hold: HoldWithPayment, now: Date): z.input<typeof heldPaymentView> {
  const { operation_kind: kind, operation_asked_by: asked_by, operation_sent_at: sent_at } = hold
  return {
    payment_id: hold.payment_id,
    checkout_session_id: hold.session_id,
    amount: hold.amount,
    currency: hold.currency,
    mode: hold.mode,
    order_reference: hold.order_reference,
    created_at: timestamp(hold.created_at),
    hold: viewHold(hold),
    rules: {
      at_deadline: hold.at_deadline,
      escalate_at: timestampOrNull(hold.escalate_at),
      capture_below_limit: hold.is_below_limit,
      next_at: timestampOrNull(hold.rules_at),
    },
    operation: kind && sent_at && { kind, asked_by, sent_at: timestamp(sent_at) },
    settlement: settlementAt(hold, now),
  }
}
