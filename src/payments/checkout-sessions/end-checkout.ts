// Ends a Checkout Session without a payment: because its merchant wants it, or because a process noticed its end.

import { type Actor, journalLine } from '../../audit/journal.ts'
import { isRetriable } from '../../database/failures.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import type { StandingCheckout } from '../checkout-session.ts'
import type { Context } from '../context.ts'
import { expireCheckoutSession } from './checkout-session-store.ts'

type EndContext = Pick<Context, 'sql' | 'ids'> & { world: Pick<Context['world'], 'clock'> }

type End<Reply> = {
  cause: { actor: Actor; request_id: string | null }
  /** Reads it anew, and throws where it may not be ended. */
  find(now: Date): Promise<StandingCheckout>
  /** What is answered once it is ended, and the key under which that is kept. */
  answer(checkout: StandingCheckout, now: Date): Promise<{ reply: Reply; key: KeyRow | null }>
}

/** More than that many lost races mean that something else is wrong. */
const tries_max = 5

export async function endCheckout<Reply>(context: EndContext, { cause, find, answer }: End<Reply>): Promise<Reply> {
  for (let tries = 0; tries < tries_max; tries++) {
    const now = context.world.clock.now()
    const checkout = await find(now)
    const { reply, key } = await answer({ ...checkout, status: 'expired', expired_at: now, look_at: null }, now)
    const line = expiryLine(context, checkout, { cause, now })
    try {
      if (await expireCheckoutSession(context.sql, checkout, { key, line, now })) return reply
    } catch (error) {
      if (!isRetriable(error)) throw error
    }
  }
  throw new Error('the Checkout Session changed under every try to end it')
}

export function expiryLine(
  { ids }: Pick<Context, 'ids'>,
  { merchant_id, checkout_session_id, mode, session_id }: StandingCheckout,
  { cause, now }: { cause: End<unknown>['cause']; now: Date },
) {
  return journalLine(ids, {
    merchant_id,
    session_id: null,
    subject: checkout_session_id,
    change: 'checkout_session.expired',
    detail: { mode, ...(session_id && { session_id }) },
    ...cause,
    at: now,
  })
}
