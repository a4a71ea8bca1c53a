// Ends a Checkout Session without a payment: because its merchant wants it, or because a process noticed its end.

import type { Actor } from '../../audit/journal.ts'
import { isRetriable } from '../../database/failures.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { expiredEvent } from '../checkout-event.ts'
import type { StandingCheckout } from '../checkout-session.ts'
import type { Context } from '../context.ts'
import { expireCheckoutSession } from './checkout-session-store.ts'

type EndContext = Pick<Context, 'sql' | 'ids' | 'wakeDeliveries'> & { world: Pick<Context['world'], 'clock'> }

type End<Reply> = {
  cause: { actor: Actor; request_id: string | null }
  /** Reads it anew, and throws where it may not be ended. */
  find(now: Date): Promise<StandingCheckout>
  /** What is answered once it is ended, and the key under which that is kept. */
  answer(checkout: StandingCheckout, now: Date): Promise<{ reply: Reply; key: KeyRow | null }>
}

/** Ends it as it was read, and tells of that. Returns false, with nothing written, where its shopper or another end was faster. */
export async function endOnce(
  { sql, ids, wakeDeliveries }: Pick<EndContext, 'sql' | 'ids' | 'wakeDeliveries'>,
  checkout: StandingCheckout,
  { cause, key, now }: Pick<End<never>, 'cause'> & { key: KeyRow | null; now: Date },
): Promise<boolean> {
  const event = expiredEvent(ids, checkout, { ...cause, at: now })
  const is_ended = await expireCheckoutSession(sql, checkout, { key, event, now })
  if (is_ended) wakeDeliveries('event', checkout.merchant_id)
  return is_ended
}

/** More than that many lost races mean that something else is wrong. */
const tries_max = 5

export async function endCheckout<Reply>(context: EndContext, { cause, find, answer }: End<Reply>): Promise<Reply> {
  for (let tries = 0; tries < tries_max; tries++) {
    const now = context.world.clock.now()
    const checkout = await find(now)
    const ended = { ...checkout, status: 'expired' as const, expired_at: now, look_at: null }
    const { reply, key } = await answer(ended, now)
    try {
      if (await endOnce(context, checkout, { cause, key, now })) return reply
    } catch (error) {
      if (!isRetriable(error)) throw error
    }
  }
  throw new Error('the Checkout Session changed under every try to end it')
}
