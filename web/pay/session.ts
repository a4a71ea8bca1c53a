// Creates the session of a purchase once, even if answers are lost or the page is loaded again.

import type { Context } from './context.ts'
import type { StoredAttempt, StoredPayments } from './kept.ts'
import type { Purchase } from './link.ts'
import { type Answer, type Created, createSession, newIdempotencyKey } from './requests.ts'

type SessionRequest = { key: string; purchase: Purchase }

/** Stores the idempotency key before it sends it, so that a page that is loaded again sends the same key. */
export async function openSession(
  context: Context,
  kept: StoredPayments,
  { key, purchase }: SessionRequest,
): Promise<Answer<Created>> {
  const first = await tryOpen(context, kept, { key, purchase })
  if (first.ok || first.refusal.code !== 'idempotency_key_reused') return first
  // The request of the page before this one is still running. A second session does not take a payment.
  kept.forget(key)
  return tryOpen(context, kept, { key, purchase })
}

async function tryOpen(
  context: Context,
  kept: StoredPayments,
  { key, purchase }: SessionRequest,
): Promise<Answer<Created>> {
  const record: StoredAttempt = kept.read(key) ?? {
    idempotency_key: newIdempotencyKey(),
    client_secret: null,
  }
  kept.write(key, record)
  const { idempotency_key } = record
  const answer = await createSession(context, { purchase, idempotency_key })
  if (answer.ok) kept.write(key, { ...record, client_secret: answer.body.client_secret })
  return answer
}
