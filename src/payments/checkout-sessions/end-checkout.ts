// Ends a Checkout Session without a payment: because its merchant wants it, or because a process noticed its end.

import type { Actor } from '../../audit/journal.ts'
import { retryRaces } from '../../database/retry-races.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import type { Refusal } from '../../kernel/errors.ts'
import { expiredEvent } from '../checkout-event.ts'
import type { StandingCheckout } from '../checkout-session.ts'
import type { Context } from '../context.ts'
import type { Session } from '../session.ts'
import { type End as EndOfSession, endedAt as sessionEndedAt } from '../sessions/end-session.ts'
import { expireCheckoutSession, findCheckoutSession } from './checkout-session-store.ts'

type EndContext = Pick<Context, 'sql' | 'ids' | 'wakeDeliveries'> & { world: Pick<Context['world'], 'clock'> }

type Cause = { actor: Actor; request_id: string | null }

type End<Reply> = {
  cause: Cause
  /** Reads it anew. */
  find(now: Date): Promise<StandingCheckout>
  /** Why it may not be ended; null where it may. */
  refusalOf(checkout: StandingCheckout): Refusal | null
  /** What is answered once it is ended, and the key under which that is kept. */
  answer(checkout: StandingCheckout, now: Date): Promise<{ reply: Reply; key: KeyRow | null }>
}

/** Throws the refusal where it may not be ended. */
export async function endCheckout<Reply>(
  context: EndContext,
  { cause, find, refusalOf, answer }: End<Reply>,
): Promise<Reply> {
  return retryRaces('the Checkout Session', async () => {
    const now = context.world.clock.now()
    const checkout = await find(now)
    const refusal = refusalOf(checkout)
    if (refusal) {
      // Of one that is over but not ended a charge may be under way, which must not take money after this answer.
      const may_be_paid = checkout.status === 'expired' && checkout.expired_at === null
      if (may_be_paid && !(await endOnce(context, checkout, { cause, key: null, now }))) return null
      throw refusal
    }
    const { reply, key } = await answer(endedAt(checkout, now), now)
    return (await endOnce(context, checkout, { cause, key, now })) ? reply : null
  })
}

/** Ends an unpaid session with the Checkout Session whose page made it, and would make the next. As `endSession`. */
export async function endCheckoutOf(
  context: EndContext,
  session: Session,
  { cancellation, cause, keyFor }: EndOfSession,
): Promise<Session | null> {
  const { merchant_id, session_id } = session
  const now = context.world.clock.now()
  const checkout_session_id = session.checkout_session_id!
  const checkout = await findCheckoutSession(context.sql, { merchant_id, checkout_session_id }, now)
  if (checkout?.session_id !== session_id) return null
  const ended = sessionEndedAt(session, cancellation, now)
  return (await endOnce(context, checkout, { cause, key: keyFor(ended), now, session })) ? ended : null
}

function endedAt(checkout: StandingCheckout, now: Date): StandingCheckout {
  return { ...checkout, status: 'expired', expired_at: now, look_at: null }
}

/** Ends it as it was read, and tells of that. Returns false, with nothing written, where its shopper or another end was faster. */
export async function endOnce(
  { sql, ids, wakeDeliveries }: EndContext,
  checkout: StandingCheckout,
  { cause, now, ...end }: { cause: Cause; key: KeyRow | null; now: Date; session?: Session },
): Promise<boolean> {
  const event = expiredEvent(ids, endedAt(checkout, now), { ...cause, at: now })
  const is_ended = await expireCheckoutSession(sql, checkout, { ...end, event, now })
  if (is_ended) wakeDeliveries('event', checkout.merchant_id)
  return is_ended
}
