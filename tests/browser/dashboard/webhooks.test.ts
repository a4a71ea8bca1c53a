// Webhooks when receivers fail: until when the service tries, all that was given up replayed in batches, a test event.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import { refuse, type StandIn } from './stand-in.ts'

const replay = 'POST /webhooks/endpoints/whep/replay'

let standIn: StandIn
let page: Page

playEach(async (played) => {
  standIn = played.standIn
  page = played.page
  await page.clock.setFixedTime(samples.now)
  await page.goto(`${standIn.base_url}/dashboard/${samples.merchant_id}/test/webhooks`)
})

async function choose(act: string): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: 'books.example' })
  await row.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: act }).click()
}

test('a failed delivery says when it is tried next, and when it can be replayed', async () => {
  const row = page.getByRole('row').filter({ hasText: 'Failed' })
  await row.getByText('in 10 minutes').waitFor()
  expect(await row.getByRole('button', { name: 'Replay' }).count()).toBe(0)
  await row.getByRole('button', { name: 'Details' }).click()
  await page.getByText('from then on this delivery can be replayed here').waitFor()
})

test('a paused endpoint says why, since when and what comes next, and what waits is sent now', async () => {
  const send = 'POST /webhooks/deliveries/dlv/send'
  standIn.on(send, () => ({ status: 202, body: { delivery_id: samples.id('dlv', 3), is_due: true } }))
  const endpoint = page.getByRole('row').filter({ hasText: 'All payment events' })
  for (const words of [
    'Paused',
    'Attempts keep failing',
    'Last attempt 8 minutes ago: 502',
    'Next attempt in 7 minutes',
  ]) {
    await endpoint.getByText(words).waitFor()
  }
  const delivery = page.getByRole('row').filter({ hasText: 'Failed' })
  await delivery.getByText('endpoint paused').waitFor()
  // Once it is due it is now, and not a while ago.
  await page.clock.setFixedTime(new Date(samples.now.getTime() + 17 * 60_000))
  await page.reload()
  await delivery.getByText('Next attempt now').waitFor()
  for (const row of [endpoint, delivery]) {
    await row.getByRole('button', { name: 'Send now' }).click()
    await page.getByRole('status').filter({ hasText: 'If it arrives, all others that wait follow' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
  }
  const sent = standIn.acts.filter(({ name }) => name === send)
  expect(sent).toHaveLength(2)
})

test('what did not arrive of a payment is on its page, and is sent from there', async () => {
  const send = 'POST /webhooks/deliveries/dlv/send'
  standIn.on(send, () => ({ status: 202, body: { delivery_id: samples.id('dlv', 1), is_due: true } }))
  await page.goto(`${standIn.base_url}/dashboard/${samples.merchant_id}/test/payments/${samples.held.id}`)
  const section = page.getByRole('region', { name: 'Webhooks that have not arrived' })
  await section.getByText('Next attempt in 12 minutes').waitFor()
  await section.getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('status').filter({ hasText: 'It is sent within seconds.' }).waitFor()
  standIn.on(send, () => ({ status: 202, body: { delivery_id: samples.id('dlv', 1), is_due: false } }))
  await section.getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('status').filter({ hasText: 'Nothing is sent' }).waitFor()
  expect(standIn.acts.filter(({ name }) => name === send)).toHaveLength(2)
  // What came of it shows by itself.
  standIn.on('GET /payments/pay/timeline', () => ({ body: { ...samples.timeline, events: [] } }))
  await section.waitFor({ state: 'detached' })
})

test('replays go on batch by batch, and on again after a refusal', async () => {
  const until = '2026-09-01T00:00:00.0000000+00:00'
  const done = { replayed: 50, refused: 0, already_replayed: 0, total: null, until }
  const answers = [
    { body: { ...done, total: 101, next_after: 'a1' } },
    refuse(429, 'rate_limit_exceeded'),
    { body: { ...done, next_after: 'a2' } },
    { body: { ...done, replayed: 0, refused: 1, next_after: null } },
  ]
  standIn.on(replay, () => answers.shift()!)
  await page.getByRole('button', { name: 'Given up', exact: true }).click()
  await choose('Replay all given up')
  const dialog = page.getByRole('dialog', { name: 'Replay all given up' })
  await dialog.getByRole('button', { name: 'Replay all', exact: true }).click()
  await dialog.getByRole('alert').filter({ hasText: 'Too many requests' }).waitFor()
  await dialog.getByRole('button', { name: 'Replay all', exact: true }).click()
  await dialog.getByText('Replays accepted: 100. Refused: 1.').waitFor()
  // Below are they all, and not only those that are still given up.
  await expect.poll(() => page.url()).toMatch(/webhooks$/)
  const sent = standIn.acts.filter(({ name }) => name === replay).map(({ body }) => body)
  expect(sent).toEqual([{}, { until, after: 'a1' }, { until, after: 'a1' }, { until, after: 'a2' }])
})

test('a test event shows what the receiver answered, and can be sent once more', async () => {
  const result = { event_id: 'evt_1', succeeded: false, response_body: null, duration_ms: 15_000 }
  const late = { ...result, response_status_code: null, failure: 'timeout' }
  standIn.on('POST /webhooks/endpoints/whep/test', () => ({ body: late }))
  await choose('Send a test event')
  const dialog = page.getByRole('dialog', { name: 'Send a test event' })
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText('No answer in time').waitFor()
  const right = { ...result, succeeded: true, response_status_code: 204, failure: null }
  standIn.on('POST /webhooks/endpoints/whep/test', () => ({ body: right }))
  await dialog.getByRole('button', { name: 'Send once more' }).click()
  await dialog.getByText('Succeeded').waitFor()
})
