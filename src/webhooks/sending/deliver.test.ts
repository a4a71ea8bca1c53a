import { expect, test } from 'vitest'
import { GuardedFailure, type GuardedHttp } from '../../kernel/world.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'
import { type PostResult, post, type SendOptions, settlementOf } from './deliver.ts'

const noon = new Date('2026-09-01T12:00:00Z')
const hour_ms = 3_600_000

test.each([
  ['as long as it took', 1_500, 1_500],
  ['nothing where the clock was set back', -1, 0],
  ['the most that the column holds', 2 ** 31 - 1, 2 ** 31 - 1],
  ['no more than that after a sleep of weeks', 30 * 24 * hour_ms, 2 ** 31 - 1],
])('the time of an attempt runs from its post: %s', (_name, took_ms, duration_ms) => {
  // The delivery was claimed an hour before.
  const attempted_at = new Date(noon.getTime() - hour_ms)
  const settlement = settlementOf({ attempted_at } as ClaimedDelivery, { succeeded: true } as PostResult, {
    began_at: noon,
    ended_at: new Date(noon.getTime() + took_ms),
    schedule: [5],
    chance: 0,
  })
  expect(settlement).toMatchObject({ duration_ms, occurred_at: attempted_at })
})

test('each attempt has a time of its own, under one id', async () => {
  const sent: Record<string, string>[] = []
  const http: GuardedHttp = {
    async post({ headers }) {
      sent.push(headers)
      return { ...answer, location: undefined }
    },
    close: async () => {},
  }
  const sending = { http, settings: { clock_offset_seconds: 0 }, secretsOf: () => ['secret'] }
  const delivery = { endpoint_url: 'https://shop.example/', event_id: 'evt_1', body: '{}', standard_webhooks: true }
  for (const at of [noon, new Date(noon.getTime() + hour_ms)]) {
    await post(sending as unknown as SendOptions, delivery as ClaimedDelivery, at)
  }
  const seconds = noon.getTime() / 1000
  expect(sent.map((headers) => [headers['webhook-id'], headers['webhook-timestamp']])).toEqual([
    ['evt_1', String(seconds)],
    ['evt_1', String(seconds + 3600)],
  ])
  expect(new Set(sent.map((headers) => headers['webhook-signature'])).size).toBe(2)
})

const answer = { status: 200, retry_after_seconds: null, body: 'half of it' }
const nothing = { response_status_code: null, response_body: null }
test.each([
  ['nobody answers', new GuardedFailure('timeout'), { ...nothing, failure: 'timeout' }],
  [
    'an answer does not end',
    new GuardedFailure('timeout', null, answer),
    { response_status_code: 200, response_body: 'half of it', failure: 'timeout' },
  ],
  [
    'this machine has no socket left',
    new GuardedFailure('no_socket', 'EMFILE'),
    { ...nothing, failure: 'no_socket', is_our_fault: true, failure_detail: 'EMFILE' },
  ],
  ['something is wrong here', new Error('oh'), { failure: 'internal', is_our_fault: true }],
])('where %s the attempt has failed, and it says why', async (_name, error, expected) => {
  const http: GuardedHttp = { post: () => Promise.reject(error), close: async () => {} }
  const sending = { http, settings: { clock_offset_seconds: 0 }, secretsOf: () => ['secret'] }
  const delivery = { endpoint_url: 'https://shop.example/', body: '{}' } as ClaimedDelivery
  const result = await post(sending as unknown as SendOptions, delivery, noon)
  expect(result).toMatchObject({ succeeded: false, is_our_fault: false, ...expected })
})
