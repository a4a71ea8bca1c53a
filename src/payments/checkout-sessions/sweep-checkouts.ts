// The job that notices the end of Checkout Sessions: their time, a fraud decline, the end of the last session that their page may make.
// It also deletes those that ended unpaid some days ago.

import { paidEvent } from '../checkout-event.ts'
import { nextLook, type StandingCheckout } from '../checkout-session.ts'
import type { Context } from '../context.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import { workOff } from '../run-rows.ts'
import { daysKept, default_unpaid_sessions_days } from '../sessions/purge-sessions.ts'
import { findSession } from '../sessions/session-store.ts'
import { claimCheckouts, insertMissingEvent, postponeLook, purgeCheckoutSessions } from './checkout-session-store.ts'
import { endOnce } from './end-checkout.ts'

type SweepContext = Pick<Context, 'sql' | 'ids' | 'wakeDeliveries'> & {
  world: Pick<Context['world'], 'clock'>
  unpaid_sessions_days?: number
  stopping?: AbortSignal
}

const lease_ms = 30_000
const purges_max = 100
const failures_told_max = 10
const day_ms = 24 * 3600 * 1000
const service = { actor: 'service', request_id: null } as const

/**
 * Returns how many it looked at or deleted. A failure at one does not stop the others, nor the deletion; it is thrown at the end, and
 * that one is looked at again when its lease is over.
 */
export async function sweepCheckouts(context: SweepContext): Promise<number> {
  const { sql, world, stopping } = context
  const failures: string[] = []
  const claim = (limit: number) => {
    const now = world.clock.now()
    return claimCheckouts(sql, { now, lease_until: new Date(now.getTime() + lease_ms), limit })
  }
  const look = (checkout: StandingCheckout) =>
    lookAt(context, checkout).catch((error: Error) => {
      failures.push(`${checkout.checkout_session_id}: ${error.message}`)
    })
  let count = 0
  try {
    count += await workOff(claim, look, stopping)
  } finally {
    count += await purge(context)
  }
  if (failures.length === 0) return count
  throw new Error(`Checkout Sessions could not be looked at: ${failures.slice(0, failures_told_max).join('; ')}`)
}

async function lookAt(context: SweepContext, checkout: StandingCheckout): Promise<void> {
  const now = context.world.clock.now()
  if (checkout.status === 'expired') await endOnce(context, checkout, { cause: service, key: null, now })
  else if (checkout.status === 'open') await postponeLook(context.sql, checkout, nextLook(checkout, now))
  else {
    await tellOfPayment(context, checkout, now)
    await postponeLook(context.sql, checkout, null)
  }
}

/**
 * The end of a charge also ends the looks, in the same statement. So a process of a release that knows no Checkout Sessions has made
 * this payment, and told nothing of it. What is there already stays alone.
 */
async function tellOfPayment({ sql, ids, wakeDeliveries }: SweepContext, checkout: StandingCheckout, now: Date) {
  const { merchant_id } = checkout
  const { payment_id } = (await findSession(sql, { merchant_id, session_id: checkout.session_id! }))!
  const { session, payment, hold } = (await findWholePayment(sql, { merchant_id, payment_id: payment_id! }))!
  const completed = { session, payment: hold ? { ...payment, status: 'held' as const } : payment }
  const changes = [{ ...completed, is_decision: false }]
  if (hold && payment.status !== 'held') changes.push({ session, payment, is_decision: true })
  for (const { is_decision, ...change } of changes) {
    // Lists have them by time.
    const at = new Date(now.getTime() + (is_decision ? 1 : 0))
    const event = paidEvent(ids, change, { ...service, at, is_decision })
    if (event) await insertMissingEvent(sql, event)
  }
  wakeDeliveries('event', merchant_id)
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
    count += await purgeCheckoutSessions(sql, { mode, before, limit: purges_max })
  }
  return count
}
