// `ripper delivery replay`, on the database of a service that delivers nothing, so that what was replayed stays to be seen.

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openProgress } from '../../src/cli/delivery-replay.ts'
import { type DeliveryRow, deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { manualClock } from '../support/clock.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import type { Account } from '../support/service.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const env = settingsOf(service, master_key)

const answer = (...args: string[]) => answerOf(['delivery', ...args], { env })
const run = (...args: string[]) => ripper(['delivery', ...args], { env })

const hour_ms = 3600 * 1000
const ago = (ms: number) => new Date(Date.now() - ms)
const unknown_id = '0'.repeat(32)

async function endpointOf(account: Account): Promise<string> {
  const made = await account.client.createEndpoint({ url: 'https://shop.example/hooks' })
  expect(made.status, made.text).toBe(201)
  return made.body.id
}

/** A merchant with an endpoint. */
async function newPlace() {
  const account = await service.newAccount()
  const endpoint_id = await endpointOf(account)
  const place = { ...service, account }
  return { account, endpoint_id, place, merchant_id: account.merchant_id }
}

test('a replay that waits is shown as such, with what it replays', async () => {
  const { place, endpoint_id } = await newPlace()
  const { delivery_id } = await deadLetter(place, { endpoint_id })
  const { deliveries } = await answer('replay', delivery_id)
  const replay_id = deliveries[0].delivery_id
  const { replays, replay_refusal } = await answer('show', delivery_id)
  expect([replays, replay_refusal]).toEqual([
    [{ delivery_id: replay_id, status: null, created_at: expect.any(String) }],
    'replay_in_progress',
  ])
  expect(await answer('show', replay_id)).toMatchObject({
    status: 'pending',
    replay_of: delivery_id,
    next_attempt_at: expect.any(String),
    attempts: [{ attempt_number: 0, status: 'pending', duration_ms: null }],
  })
  const { stdout } = await run('show', replay_id)
  expect(stdout).toMatch(/\n0 +\S+Z +– +pending +–\n$/)
  expect((await run('show', delivery_id)).stdout).toContain(`${replay_id} (not settled)`)
})

describe('refused', () => {
  test.each([
    ['nothing', [], 'needs a DELIVERY_ID, or --all-dead'],
    ['both', ['--all-dead', unknown_id], '--all-dead goes without a DELIVERY_ID'],
    ['what is no id', [unknown_id, 'x'], 'DELIVERY_ID must be 32'],
    ['a time for one', [unknown_id, '--since', '2026-01-01'], '--since needs --all-dead'],
    ['an endpoint for one', [unknown_id, '--endpoint', 'e'], '--endpoint needs --all-dead'],
    [
      'times in the wrong order',
      ['--all-dead', '--since', '2026-01-02', '--until', '2026-01-01'],
      '--since must be before --until',
    ],
  ] as [string, string[], string][])('%s', async (_, args, words) => {
    const ended = await run('replay', ...args)
    expect([ended.status, ended.stderr]).toEqual([2, expect.stringContaining(words)])
  })
})

describe('replay --all-dead', () => {
  test('replays what may be, once, and says why the rest was not', async () => {
    const { place, endpoint_id, merchant_id, account } = await newPlace()
    const letter = (asked: Partial<DeliveryRow>) => deadLetter(place, { endpoint_id, ...asked })
    const dead = await letter({ created_at: ago(hour_ms) })
    const month_ago = ago(31 * 24 * hour_ms)
    await letter({ root_created_at: month_ago })
    await letter({ active_replay: unknown_id })
    const gone = await endpointOf(account)
    for (const _ of [1, 2]) await letter({ endpoint_id: gone })
    await account.client.deleteEndpoint(gone)
    const replayOf = ({ delivery_id, root_id }: DeliveryRow, asked: Partial<DeliveryRow>) =>
      letter({ ...asked, replay_of: delivery_id, root_id, created_at: ago(2000) })
    // Replayed and given up again: the replay is what counts. Replayed and arrived, or on its way again: nothing does.
    await replayOf(await letter({ created_at: ago(3000) }), {})
    await replayOf(await letter({ created_at: ago(3000) }), { status: 'succeeded' })
    await replayOf(await letter({ created_at: ago(3000), active_replay: unknown_id }), {})
    await copyOf(dead, 300)

    const args = ['replay', '--all-dead', '--merchant', merchant_id]
    expect(await answer(...args)).toEqual({
      merchant_id,
      found: 310,
      already_replayed: 4,
      accepted: 302,
      refused: { replay_window_expired: 1, replay_in_progress: 1, endpoint_not_found: 2 },
    })
    const queued = await service.sql`select 1 from webhook_queue
      where merchant_id = ${merchant_id} and replay_of is not null and pending_id is not null`
    expect(queued).toHaveLength(302)
    const { stdout, stderr } = await run(...args)
    expect(stdout).toMatch(/\nfound +310\nalready_replayed +4\naccepted +0\nrefused +.*303 replay_in_progress/)
    expect(stderr).toBe('')
  }, 60_000)

  test('of a time, and of an endpoint', async () => {
    const { place, endpoint_id, merchant_id, account } = await newPlace()
    const hours = [3, 2, 1].map((count) => ago(count * hour_ms))
    const [oldest, middle, newest] = hours.map((at) => at.toISOString()) as [string, string, string]
    for (const created_at of hours) await deadLetter(place, { endpoint_id, created_at })
    const other = await endpointOf(account)
    const { delivery_id } = await deadLetter(place, { endpoint_id: other })
    const replayed = (...args: string[]) => answer('replay', '--all-dead', ...args)
    const byMerchant = ['--merchant', merchant_id]
    const between = await replayed(...byMerchant, '--since', oldest, '--until', middle)
    expect([between.found, between.accepted]).toEqual([1, 1])
    expect((await replayed(...byMerchant, '--until', oldest)).found).toBe(0)
    expect((await replayed('--endpoint', endpoint_id, '--since', newest)).accepted).toBe(1)
    expect((await replayed('--endpoint', other)).found).toBe(1)
    expect((await answer('show', delivery_id)).replays).toHaveLength(1)
    const foreign = (await newPlace()).merchant_id
    const refused = await run('replay', '--all-dead', '--endpoint', other, '--merchant', foreign)
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('no active webhook endpoint')])
  }, 60_000)

  test('prints its progress every two seconds', async () => {
    const clock = manualClock()
    const lines: string[] = []
    const tellProgress = openProgress({ clock, total: 1000, tell: (line) => lines.push(line) })
    for (const done of [200, 400, 600, 800]) {
      await clock.advance(1000)
      tellProgress(done)
    }
    expect(lines).toEqual(['400 of 1000 dead letters, 200 a second\n', '800 of 1000 dead letters, 200 a second\n'])
  })
})

/** So many more that were given up like it, a millisecond apart. */
async function copyOf({ delivery_id, created_at }: DeliveryRow, count: number): Promise<void> {
  await service.sql`
    with made as materialized (
      select webhook_id(${created_at}::timestamptz + i * interval '1 ms', 'delivery ' || i || ${delivery_id}) as id,
        webhook_id(${created_at}::timestamptz + i * interval '1 ms', 'attempt ' || i || ${delivery_id}) as attempt_id
      from generate_series(1, ${count}) i
    ), deliveries as (
      insert into webhook_deliveries (merchant_id, delivery_id, endpoint_id, payment_id, sequence, status,
        attempt_count, last_attempt_id, root_id, root_created_at, created_at, settled_at)
      select merchant_id, id, endpoint_id, payment_id, sequence, status, attempt_count, made.attempt_id, id,
        root_created_at, created_at, settled_at
      from webhook_deliveries, made where delivery_id = ${delivery_id}
    )
    insert into webhook_attempts (merchant_id, attempt_id, delivery_id, endpoint_id, payment_id, event_type,
      attempt_number, root_created_at, status, occurred_at)
    select merchant_id, made.attempt_id, id, endpoint_id, payment_id, event_type, attempt_number, root_created_at,
      status, occurred_at
    from webhook_attempts, made where delivery_id = ${delivery_id}`
}
