// An event is one entry for each endpoint, which says how its delivery stands, however often it was tried.

import { expect, test } from 'vitest'
import type { Timeline, TimelineEvent } from '../client/answers.ts'
import { entriesOf, foundNothing, missingIn } from './timeline-entries.ts'

type Delivery = TimelineEvent['deliveries'][number]

const at = (minute: number) => `2026-11-23T10:${String(minute).padStart(2, '0')}:00.000Z`

const tried = (minute: number, status: string): Delivery['attempts'][number] => ({
  attempt_number: minute,
  status,
  occurred_at: at(minute),
  duration_ms: 9,
  response_status_code: status === 'succeeded' ? 200 : 502,
  failure: null,
  next_retry_at: null,
})

const delivery = (more: Partial<Delivery>): Delivery => ({
  delivery_id: 'dlv_1',
  endpoint_id: 'whep_1',
  endpoint_url: 'https://shop.example',
  replay_of: null,
  status: 'pending',
  replayable: false,
  created_at: at(0),
  settled_at: null,
  next_attempt_at: null,
  held_until: null,
  attempts: [],
  ...more,
})

const heard = delivery({ status: 'succeeded', settled_at: at(1), attempts: [tried(1, 'succeeded')] })
const lost = delivery({
  status: 'dead_lettered',
  settled_at: at(9),
  attempts: [tried(1, 'failed'), tried(9, 'dead_lettered')],
})
const replay = { delivery_id: 'dlv_2', replay_of: 'dlv_1', created_at: at(20) }

const lifeOf = (deliveries: Delivery[]) => {
  const event = {
    event_id: 'evt_1',
    payment_id: 'pay_1',
    type: 'payment.captured' as const,
    sequence: 1,
    created_at: at(0),
  }
  const seals = { right: 0, wrong: 0, not_yet: 0 }
  const nothing = { lines: [], refusals: [], are_refusals_whole: true, attempts: [], payments: [], people: {}, seals }
  return { ...nothing, events: [{ ...event, deliveries }] } satisfies Timeline
}
const sendings = (deliveries: Delivery[]) => entriesOf(lifeOf(deliveries)).filter(({ kind }) => kind === 'delivery')

test.each<[string, Delivery[], what: string, tries: number, minute: number]>([
  ['heard at once', [heard], 'succeeded', 1, 1],
  [
    'heard later',
    [delivery({ status: 'succeeded', settled_at: at(5), attempts: [tried(1, 'failed'), tried(5, 'succeeded')] })],
    'succeeded',
    2,
    5,
  ],
  ['given up', [lost], 'dead_lettered', 2, 9],
  [
    'given up, and heard by a replay',
    [lost, delivery({ ...replay, status: 'succeeded', settled_at: at(21), attempts: [tried(21, 'succeeded')] })],
    'succeeded',
    3,
    21,
  ],
  [
    'given up, and its replay failed once so far',
    [lost, delivery({ ...replay, status: 'failed', next_attempt_at: at(40), attempts: [tried(21, 'failed')] })],
    'retrying',
    3,
    21,
  ],
  [
    'given up, as was its first replay, and heard by its second',
    [
      lost,
      delivery({ ...replay, status: 'dead_lettered', settled_at: at(30), attempts: [tried(30, 'dead_lettered')] }),
      delivery({
        ...replay,
        delivery_id: 'dlv_3',
        created_at: at(40),
        status: 'succeeded',
        settled_at: at(41),
        attempts: [tried(41, 'succeeded')],
      }),
    ],
    'succeeded',
    4,
    41,
  ],
  ['not tried yet', [delivery({ next_attempt_at: at(3) })], 'pending', 0, 0],
  ['being tried again now', [delivery({ status: 'failed', attempts: [tried(1, 'failed')] })], 'pending', 1, 1],
  [
    'to be tried again',
    [delivery({ status: 'failed', next_attempt_at: at(7), attempts: [tried(1, 'failed')] })],
    'retrying',
    1,
    1,
  ],
  [
    'held up by a paused endpoint',
    [delivery({ status: 'failed', next_attempt_at: at(7), held_until: at(8), attempts: [tried(1, 'failed')] })],
    'paused',
    1,
    1,
  ],
])('%s', (_, deliveries, what, tries, minute) => {
  const [entry, ...others] = sendings(deliveries)
  expect(others).toEqual([])
  expect([entry!.what, entry!.at]).toEqual([what, at(minute)])
  expect(entry!.sending).toMatchObject({ event_type: 'payment.captured', tries })
  const missing = what === 'succeeded' ? [] : [deliveries.at(-1)!.delivery_id]
  expect(missingIn(lifeOf(deliveries)).map(({ delivery }) => delivery.delivery_id)).toEqual(missing)
})

test('each endpoint has its own', () => {
  const other = delivery({ endpoint_id: 'whep_2', delivery_id: 'dlv_3', next_attempt_at: at(3) })
  expect(sendings([heard, other]).map(({ what }) => what)).toEqual(['pending', 'succeeded'])
})

test.each([
  ['reverse.refused', 'reversing', true],
  ['reverse.refused', 'unknown', false],
  ['void.refused', undefined, false],
])('%s that leaves its charge %s found nothing: %s', (what, authorisation_state, is_so) => {
  expect(foundNothing({ what, detail: { authorisation_state } })).toBe(is_so)
})
