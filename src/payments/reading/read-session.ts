// GET /v1/checkout/sessions/{session_id}: the state of a session.

import { z } from 'zod'
import { secretKey } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { type SessionId, timestamp } from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../context.ts'
import { anyMetadata } from '../fields.ts'
import { type Hold, viewHold } from '../hold.ts'
import { viewBasket } from '../purchase.ts'
import { type Session, secondsLeft, settlementAt, statusAt } from '../session.ts'
import { findSessionAndHold } from '../sessions/session-store.ts'
import { basketView, customerView, declineView, holdView, mode, settlementView, time } from '../views.ts'

export const sessionStatuses = ['requires_payment', 'processing', 'succeeded', 'declined', 'expired'] as const

export const sessionView = z
  .object({
    id: z.string(),
    status: z.enum(sessionStatuses),
    mode,
    amount: z.int(),
    currency: z.string(),
    ...basketView,
    customer: customerView.nullable(),
    metadata: anyMetadata,
    attempt_count: z.int(),
    last_decline: declineView.nullable(),
    payment_id: z.string().nullable(),
    settlement: settlementView,
    created_at: time,
    expires_at: time,
    expires_in_seconds: z.int(),
    integration: z.string().nullable(),
    minted_by: z.enum(['server', 'client']).nullable(),
    amount_verified: z.boolean(),
    amount_verification_source: z.string(),
    amount_verification_detail: z.string().nullable(),
    hold: holdView.nullable(),
  })
  .meta({ title: 'CheckoutSession', note: 'A session and its state.' })

export const readSession = route({
  method: 'GET',
  path: '/v1/checkout/sessions/{session_id}',
  tag: 'Checkout sessions',
  summary: 'Read a checkout session',
  access: secretKey('read_transactions'),
  mode: { of: 'reply', unknown: noSession },
  dialect: 'checkout',
  status: 200,
  reply: sessionView,
  refusals: ['resource_not_found'],
  admit: admitKey,
  handle: async (context: Context, { holder, params, now }) => {
    const found = await findSessionAndHold(context.sql, {
      merchant_id: holder.merchant_id,
      session_id: params.session_id as SessionId,
    })
    if (!found) throw noSession()
    return viewSession(found.session, found.hold, now)
  },
})

export function noSession(): Refusal {
  return new Refusal('resource_not_found', 'There is no session with this id.')
}

export function viewSession(session: Session, hold: Hold | null, now: Date): z.input<typeof sessionView> {
  return {
    id: session.session_id,
    status: statusAt(session, now),
    mode: session.mode,
    amount: session.amount,
    currency: session.currency,
    ...viewBasket(session.items),
    customer: session.customer,
    metadata: session.metadata,
    attempt_count: session.attempt_count,
    last_decline: session.last_decline,
    payment_id: session.payment_id,
    settlement: settlementAt(session, now),
    created_at: timestamp(session.created_at),
    expires_at: timestamp(session.expires_at),
    expires_in_seconds: secondsLeft(session, now),
    integration: session.integration,
    minted_by: session.minted_by,
    amount_verified: session.amount_verified,
    amount_verification_source: session.amount_verification_source,
    amount_verification_detail: session.amount_verification_detail,
    hold: hold && viewHold(hold),
  }
}
