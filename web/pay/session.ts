// The session of a purchase: opened once, whatever is lost or loaded again on the way.

import type { Context } from './context.ts'
import type { KeptAttempt, KeptPayments } from './kept.ts'
import type { Purchase } from './link.ts'
import { type Answer, type Created, createSession, newIdempotencyKey } from './requests.ts'

type Wanted = { key: string; purchase: Purchase }

/** The idempotency key is kept before it is sent, so that a page that is left before the answer comes asks for the same. */
export async function openSession(
  context: Context,
  kept: KeptPayments,
  { key, purchase }: Wanted,
): Promise<Answer<Created>> {
  const first = await tryOpen(context, kept, { key, purchase })
  if (first.ok || first.refusal.code !== 'idempotency_key_reused') return first
  // The request of the page before this one still runs. Nothing is paid by opening a second session.
  kept.forget(key)
  return tryOpen(context, kept, { key, purchase })
}

async function tryOpen(
  context: Context,
  kept: KeptPayments,
  { key, purchase }: Wanted,
): Promise<Answer<Created>> {
  const record: KeptAttempt = kept.read(key) ?? {
    idempotency_key: newIdempotencyKey(),
    client_secret: null,
  }
  kept.write(key, record)
  const { idempotency_key } = record
  const answer = await createSession(context, { purchase, idempotency_key })
  if (answer.ok) kept.write(key, { ...record, client_secret: answer.body.client_secret })
  return answer
}
