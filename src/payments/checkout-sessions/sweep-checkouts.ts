// The job that notices the end of Checkout Sessions: their time, a fraud decline, the end of the last session that their page may make.
// It also deletes those that ended unpaid some days ago.

import { expiredEvent } from '../checkout-event.ts'
import { nextLook, type StandingCheckout } from '../checkout-session.ts'
import type { Context } from '../context.ts'
import { runEach } from '../run-rows.ts'
import { daysKept, default_unpaid_sessions_days } from '../sessions/purge-sessions.ts'
import {
  expireCheckoutSession,
  listDueCheckouts,
  postponeLook,
  purgeCheckoutSessions,
} from './checkout-session-store.ts'

type SweepContext = Pick<Context, 'sql' | 'ids' | 'wakeDeliveries'> & {
  world: Pick<Context['world'], 'clock'>
  unpaid_sessions_days?: number
  stopping?: AbortSignal
}

const batch = 100
const batches_max = 20
const day_ms = 24 * 3600 * 1000

/** Returns how many it looked at or deleted. Two processes may look at the same one: its end is written once. */
export async function sweepCheckouts(context: SweepContext): Promise<number> {
  const { sql, world, stopping } = context
  let count = 0
  for (let round = 0; round < batches_max && !stopping?.aborted; round++) {
    const now = world.clock.now()
    const due = await listDueCheckouts(sql, { now, limit: batch })
    await runEach(due, (checkout) => lookAt(context, checkout, now))
    count += due.length
    if (due.length < batch) break
  }
  return count + (await purge(context))
}

async function lookAt(context: SweepContext, checkout: StandingCheckout, now: Date): Promise<void> {
  const { sql } = context
  if (checkout.status === 'open') await postponeLook(sql, checkout, nextLook(checkout, now))
  else if (checkout.status === 'complete') await postponeLook(sql, checkout, null)
  else {
    const event = expiredEvent(context.ids, checkout, { actor: 'service', request_id: null, at: now })
    const is_ended = await expireCheckoutSession(sql, checkout, { key: null, event, now })
    if (is_ended) context.wakeDeliveries('event', checkout.merchant_id)
  }
}

async function purge({
  sql,
  world,
  unpaid_sessions_days = default_unpaid_sessions_days,
}: SweepContext): Promise<number> {
  const now = world.clock.now()
  let count = 0
  for (const [mode, days] of Object.entries(daysKept(unpaid_sessions_days)) as ['test' | 'live', number][]) {
    const before = new Date(now.getTime() - days * day_ms)
    count += await purgeCheckoutSessions(sql, { mode, before, limit: batch })
  }
  return count
}
