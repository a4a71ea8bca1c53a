// Holds by what they wait for: a judgement of the amount, or goods that leave. And how many lapse within a day.

import { expect, test } from 'vitest'
import { readWaits } from '../../src/dashboard/overview/waits-store.ts'
import { listWaitingHolds } from '../../src/payments/reading/hold-list-store.ts'
import { hold } from '../support/holding.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const { account, sql } = service
const { merchant_id } = account
const person = await newMember(service, { role: 'support' })
const at = `/${merchant_id}/holds?mode=test`
const day_ms = 24 * 3_600_000

const judged = (await hold(account)).payment_id
const leaving = (await hold(account)).payment_id
const urgent = (await hold(account)).payment_id
const soon = new Date(clock.now().getTime() + day_ms / 2)
await sql`update holds set reason = 'manual_capture' where payment_id in (${leaving}, ${urgent})`
await sql`update holds set deadline = ${soon} where payment_id = ${urgent}`

const listed = async (waits_for: 'review' | 'capture' | undefined, limit = 10) => {
  const { rows } = await listWaitingHolds(sql, { merchant_id, mode: 'test', waits_for }, { behind: null, limit })
  return rows.map(({ payment_id }) => payment_id)
}

test('each list has its own, by deadline', async () => {
  expect(await listed('review')).toEqual([judged])
  expect(await listed('capture')).toEqual([urgent, leaving])
  expect(await listed('capture', 1)).toEqual([urgent])
  expect(await listed(undefined)).toHaveLength(3)
})

test('only what waits for a judgement can be escalated', async () => {
  const permitted = async (payment_id: string) =>
    (await person.get(`/${merchant_id}/payments/${payment_id}`)).body.permitted
  expect(await permitted(judged)).toEqual(['capture', 'void', 'escalate'])
  expect(await permitted(leaving)).toEqual(['capture', 'void'])
})

test('the route takes it, and nothing else', async () => {
  const { body } = await person.get(`${at}&waits_for=review`)
  expect(body.data).toMatchObject([{ payment_id: judged }])
  expect(refusalIn(await person.get(`${at}&waits_for=money`))).toBe('400 invalid_request')
})

test('the overview counts both, with what lapses within a day', async () => {
  const now = clock.now()
  const waits = await readWaits(sql, { merchant_id, mode: 'test', now, keys_until: now, failed_from: now })
  expect(waits.holds).toMatchObject({ count: 1, lapsing: 0, sums: [{ currency: 'GBP', amount: 4200 }] })
  expect(waits.to_capture).toEqual({
    count: 2,
    lapsing: 1,
    next_deadline: soon,
    sums: [{ currency: 'GBP', amount: 8400 }],
  })
  const none = await readWaits(sql, { merchant_id, mode: 'live', now, keys_until: now, failed_from: now })
  expect(none.to_capture).toEqual({ count: 0, lapsing: 0, next_deadline: null, sums: [] })
})
