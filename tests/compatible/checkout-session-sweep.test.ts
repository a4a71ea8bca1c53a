// The job that notices what became of Checkout Sessions, and purges them.

import { beforeEach, describe, expect, test } from 'vitest'
import { sweepCheckouts } from '../../src/payments/checkout-sessions/sweep-checkouts.ts'
import { purgeSessions } from '../../src/payments/sessions/purge-sessions.ts'
import { openCheckouts } from '../support/checkout-sessions.ts'
import type { Json } from '../support/client.ts'
import { runJob } from '../support/holding.ts'
import { type Account, drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const minute_ms = 60_000
const day_ms = 24 * 60 * minute_ms
const clock = drivenClock()
const service = await useService({ clock })
let account: Account
let shop: ReturnType<typeof openCheckouts>
beforeEach(async () => {
  account = await service.newAccount()
  shop = openCheckouts(service, account)
})

const made = async (more: object = {}): Promise<Json> => {
  const { status, body, text } = await shop.create(more)
  expect(status, text).toBe(200)
  return body
}
type Session = NonNullable<Awaited<ReturnType<typeof shop.open>>>
const opened = async (id: string) => (await shop.open(id)) as Session
const pay = async (session: Session, number?: string) => {
  await account.client.present(session, number)
  return (await account.client.confirm(session)).body
}
const sweep = () => runJob(service, 'sweep_checkout_sessions')
const linesOf = async (change: string) => {
  const rows = await service.sql`
    select 1 from journal where merchant_id = ${account.merchant_id} and change = ${change}`
  return rows.length
}

describe('the sweep', () => {
  const due = async () => {
    const rows = await service.sql`select 1 from checkout_sessions where look_at <= ${clock.now()}`
    return rows.length
  }

  test('ends one whose last session was purged before it came', async () => {
    const { id } = await made()
    const session = await opened(id)
    await clock.advance(day_ms + minute_ms)
    await purgeSessions({ ...service.context, unpaid_sessions_days: 1 } as Parameters<typeof purgeSessions>[0])
    expect((await account.client.readSession(session.id)).status).toBe(404)
    await sweep()
    expect(await linesOf('checkout.session.expired')).toBe(1)
    expect(await shop.read(id)).toMatchObject({ status: 'expired', payment_intent: session.id })
    expect(await due()).toBe(0)
  })

  test('goes on after a failure at one, deletes what is old, and comes back to that one', async () => {
    const old = (await made()).id
    await shop.expire(old)
    await clock.advance(2 * day_ms + minute_ms)
    const ids = [(await made()).id, (await made()).id]
    await clock.advance(day_ms)
    let events = 0
    const event: typeof service.context.ids.event = (at) => {
      if (++events === 1) throw new Error('no event')
      return service.context.ids.event(at)
    }
    const context = { ...service.context, ids: { ...service.context.ids, event } }
    await expect(sweepCheckouts(context)).rejects.toThrow(/could not be looked at: cs_test_\w+: no event$/)
    expect(await linesOf('checkout.session.expired')).toBe(2)
    expect((await shop.read(old)).error.code).toBe('resource_missing')
    expect(await due()).toBe(0)
    await clock.advance(minute_ms)
    await sweep()
    expect(await linesOf('checkout.session.expired')).toBe(1 + ids.length)
  })

  test.each([
    ['captured', null, ['completed', 'paid']],
    ['held', null, ['completed', 'unpaid']],
    ['held', 'capture', ['completed', 'unpaid', 'async_payment_succeeded', 'paid']],
    ['held', 'void', ['completed', 'unpaid', 'async_payment_failed', 'unpaid']],
  ] as const)(
    'tells of a payment of which an earlier release told nothing: %s, %s',
    async (status, decision, words) => {
      const { id } = await made()
      const session = await opened(id)
      const is_held = status === 'held'
      if (is_held) {
        await service.sql`
        update sessions set amount_verified = false, amount_verification_source = 'none' where session_id = ${session.id}`
      }
      const { payment_id, ...confirmed } = await pay(session)
      expect(confirmed.status).toBe(status)
      if (decision) await account.client.decideHold(decision, payment_id)
      const { merchant_id } = account
      const forget = async (what: 'all' | 'looks') => {
        if (what === 'all') {
          await service.sql`delete from events where merchant_id = ${merchant_id} and payment_id = ${id}`
          await service.sql`delete from journal where merchant_id = ${merchant_id} and subject = ${id} and change <> 'checkout.session.created'`
        }
        await service.sql`update checkout_sessions set look_at = expires_at where checkout_session_id = ${id}`
      }
      await forget('all')
      await clock.advance(day_ms)
      await sweep()
      const told = async () => (await shop.get('/v1/events?type=checkout.session.*')).body.data.toReversed() as Json[]
      const events = await told()
      expect(
        events.flatMap(({ type, data }) => [type.replace('checkout.session.', ''), data.object.payment_status]),
      ).toEqual(words)
      await forget('looks')
      await sweep()
      expect(await told()).toEqual(events)
      expect(await due()).toBe(0)
    },
  )
})
