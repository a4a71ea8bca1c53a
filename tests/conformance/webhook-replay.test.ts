// Replays: what may be replayed and for how long, what an accepted one leaves behind, and two at once.

import { beforeEach, describe, expect, test } from 'vitest'
import { rowValues } from '../../src/database/driver/rows.ts'
import type { AnySql } from '../../src/database/open.ts'
import { bytes, refusal } from '../support/client.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { onOneServer } from '../support/one-server.ts'
import { drivenClock, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { type DeliveryRow, deadLetter, idAt } from './webhook-delivery-rows.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const account = await service.newAccount()
// Each test has a minute, and so the rate limits, to itself.
beforeEach(() => clock.advance(60_000))

const day_ms = 24 * 3600 * 1000
const ago = (ms: number) => new Date(clock.now().getTime() - ms)
/** Given up on a moment ago, so that what comes now is listed above it. */
const dead = (asked: Partial<DeliveryRow> = {}, of = account) =>
  deadLetter({ ...service, account: of }, { created_at: ago(1), ...asked })
const replay = (id: string, key?: string) => account.client.replayDelivery(id, key)
const rowsIn = async (table: 'webhook_queue' | 'webhook_attempts' | 'webhook_deliveries', id: string) =>
  service.sql`select * from ${service.sql(table)} where delivery_id = ${id}`

test('an accepted replay is a new delivery, queued and listed', async () => {
  const original = await dead({ sequence: 1 })
  const answer = await replay(original.delivery_id)
  expect([answer.status, answer.body]).toEqual([
    202,
    {
      delivery_id: expect.stringMatching(/^[0-9a-f]{12}7[0-9a-f]{19}$/),
      replay_of: original.delivery_id,
    },
  ])
  const { delivery_id } = answer.body
  expect(delivery_id).not.toBe(original.delivery_id)
  const [pending] = await rowsIn('webhook_attempts', delivery_id)
  expect(await rowsIn('webhook_queue', delivery_id)).toEqual([
    {
      merchant_id: account.merchant_id,
      delivery_id,
      endpoint_id: original.endpoint_id,
      class: 1,
      due_at: clock.now(),
      attempt_number: 0,
      attempt_id: null,
      attempted_at: null,
      last_attempt_id: null,
      pending_id: pending!.attempt_id,
      payment_id: original.payment_id,
      sequence: 1,
      after_id: null,
      replay_of: original.delivery_id,
      root_id: original.delivery_id,
      root_created_at: original.root_created_at,
      created_at: clock.now(),
    },
  ])
  const [stored] = await rowsIn('webhook_deliveries', original.delivery_id)
  expect(stored).toMatchObject({ active_replay: delivery_id, status: 'dead_lettered' })
  const { body } = await account.client.listDeliveries('limit=2')
  expect(body.data).toMatchObject([
    {
      delivery_id,
      replay_of: original.delivery_id,
      event_id: `evt:${original.payment_id}#payment.captured#${original.endpoint_id}`,
      event_type: 'webhook.payment.captured',
      attempt_number: 0,
      status: 'pending',
      occurred_at: `${clock.now().toISOString().slice(0, -1)}0000+00:00`,
      endpoint_url: 'https://shop.example/x',
      response_status_code: null,
      response_body: null,
      next_retry_at: null,
      replayable: false,
      replay_expires_at: null,
    },
    { delivery_id: original.delivery_id, status: 'dead_lettered', replayable: false },
  ])
})

test('a replay ends the rest of an endpoint whose breaker is open: one delivery goes there to see', async () => {
  const { merchant_id, delivery_id, endpoint_id } = await dead()
  const open_until = new Date(clock.now().getTime() + 600_000)
  await service.sql`insert into webhook_endpoint_health ${rowValues(service.sql, {
    merchant_id,
    endpoint_id,
    state: 'open',
    open_until,
    reopen_count: 3,
    last_failure: '500',
    changed_at: ago(1_000),
  })}`
  expect((await replay(delivery_id)).status).toBe(202)
  const [health] = await service.sql`
    select state, open_until, reopen_count, changed_at from webhook_endpoint_health
    where endpoint_id = ${endpoint_id}`
  const now = clock.now()
  expect(health).toEqual({ state: 'open', open_until: now, reopen_count: 3, changed_at: now })
})

test('a replay of a replay keeps the root of the chain', async () => {
  const root = await dead({ created_at: ago(20 * day_ms) })
  const { root_id, root_created_at } = root
  const second = await dead({ ...root, ...fresh(), replay_of: root.delivery_id, root_id })
  const third = await replay(second.delivery_id)
  expect(third.status).toBe(202)
  const [queued] = await rowsIn('webhook_queue', third.body.delivery_id)
  expect(queued).toMatchObject({ replay_of: second.delivery_id, root_id, root_created_at })
})

test('once a replay is settled, the original may be replayed again', async () => {
  const original = await dead()
  await replay(original.delivery_id)
  await service.sql`
    update webhook_deliveries set active_replay = null where delivery_id = ${original.delivery_id}`
  expect((await replay(original.delivery_id)).status).toBe(202)
})

// One fault a row, each with all that stand below it.
describe('refused, as {error}', () => {
  const inProgress = { active_replay: 'f'.repeat(32) }
  const expired = () => ({ ...inProgress, root_created_at: ago(30 * day_ms + 1) })
  const broken = () => ({ ...expired(), replay_of: idAt(ago(40 * day_ms), 'gone') })
  const onGone = async () => {
    const { endpoint_id } = await dead()
    await account.client.deleteEndpoint(endpoint_id)
    return { ...broken(), endpoint_id }
  }
  test.each<[string, () => Promise<string>, string]>([
    ['unknown', async () => '0'.repeat(32), '404 delivery_not_found'],
    ['no id', async () => 'x', '404 delivery_not_found'],
    ['an endpoint’s id', async () => (await dead()).endpoint_id, '404 delivery_not_found'],
    ['another account’s', async () => (await dead({}, service.account)).delivery_id, '404 delivery_not_found'],
    ['one that is queued', queued, '409 delivery_not_dead_lettered'],
    [
      'one that succeeded, of a deleted endpoint',
      async () => (await dead({ ...(await onGone()), status: 'succeeded' })).delivery_id,
      '409 delivery_not_dead_lettered',
    ],
    ['the endpoint was deleted', async () => (await dead(await onGone())).delivery_id, '404 endpoint_not_found'],
    ['an earlier delivery is gone', async () => (await dead(broken())).delivery_id, '422 replay_chain_broken'],
    ['the first of three is gone', brokenFurtherBack, '422 replay_chain_broken'],
    ['the original is too old', async () => (await dead(expired())).delivery_id, '422 replay_window_expired'],
    ['a replay is under way', async () => (await dead(inProgress)).delivery_id, '409 replay_in_progress'],
  ])('%s', async (_, prepare, expected) => {
    const id = await prepare()
    const before = await stored()
    const answer = await replay(id, `refused ${expected} ${id}`)
    expect(refusal(answer)).toBe(expected)
    expect(answer.body).toEqual({ error: expected.slice(4) })
    expect(await stored()).toEqual(before)
  })

  test('a body is not looked at', async () => {
    const { delivery_id } = await dead()
    const { withKey } = account.client
    const path = `/v1/webhooks/deliveries/${delivery_id}/replay`
    const sent = { headers: { ...withKey, 'content-type': 'application/json' }, raw: '{"x":' }
    expect((await account.client.send('POST', path, sent)).status).toBe(202)
  })
})

describe('30 days after the original', () => {
  test('to the millisecond, whatever was replayed since', async () => {
    const root = await dead({ created_at: ago(30 * day_ms) })
    const second = await dead({
      ...root,
      ...fresh(),
      replay_of: root.delivery_id,
      root_id: root.root_id,
    })
    await clock.advance(1)
    expect(refusal(await replay(root.delivery_id))).toBe('422 replay_window_expired')
    expect(refusal(await replay(second.delivery_id))).toBe('422 replay_window_expired')
    const inTime = await dead({ created_at: ago(30 * day_ms) })
    expect((await replay(inTime.delivery_id)).status).toBe(202)
  })
})

describe('at once', () => {
  test('of five, one is accepted', async () => {
    const original = await dead()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => replay(original.delivery_id)))
    expect(answers.map(refusal).sort()).toEqual(['202 undefined', ...Array(4).fill('409 replay_in_progress')])
    const replays = await service.sql`
      select 1 from webhook_queue where replay_of = ${original.delivery_id}`
    const pending = await service.sql`
      select 1 from webhook_attempts where replay_of = ${original.delivery_id}`
    expect([replays.length, pending.length]).toEqual([1, 1])
  })

  test('five under one key: one is accepted, and all get its answer', async () => {
    const original = await dead()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => replay(original.delivery_id, 'five')))
    expect(new Set(answers.map(bytes)).size).toBe(1)
    expect(answers[0]!.status).toBe(202)
    const replays = await service.sql`
      select 1 from webhook_queue where replay_of = ${original.delivery_id}`
    expect(replays).toHaveLength(1)
  })

  onOneServer.each<[string, (tx: AnySql, original: DeliveryRow) => Promise<unknown>, string]>([
    [
      'the deletion of its endpoint finds it gone',
      (tx, { endpoint_id }) => tx`
        update webhook_endpoints set status = 'disabled', disabled_at = created_at
        where endpoint_id = ${endpoint_id}`,
      '404 endpoint_not_found',
    ],
    [
      'another replay finds it in progress',
      (tx, { delivery_id }) => tx`
        update webhook_deliveries set active_replay = ${'f'.repeat(32)}
        where delivery_id = ${delivery_id}`,
      '409 replay_in_progress',
    ],
  ])('a replay that waits for %s', async (_, change, expected) => {
    const original = await dead()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: changed, resolve: tell } = Promise.withResolvers<void>()
    const holding = service.sql.begin(async (tx) => {
      await change(tx, original)
      tell()
      await released
    })
    await changed
    const waiting = replay(original.delivery_id)
    await until(
      () => countLockWaits(service.sql),
      (count) => count > 0,
    )
    release()
    await holding
    expect(refusal(await waiting)).toBe(expected)
    const replays = await service.sql`
      select 1 from webhook_queue where replay_of = ${original.delivery_id}`
    expect(replays).toHaveLength(0)
  })

  test('replays and a deletion: none is left in the queue', async () => {
    for (let round = 0; round < 5; round++) {
      const original = await dead()
      const [answer, gone] = await Promise.all([
        replay(original.delivery_id),
        account.client.deleteEndpoint(original.endpoint_id),
      ])
      expect(gone.status).toBe(204)
      expect(['202 undefined', '404 endpoint_not_found']).toContain(refusal(answer))
      const left = await service.sql`
        select 1 from webhook_queue where endpoint_id = ${original.endpoint_id}`
      expect(left).toHaveLength(0)
    }
  })
})

test('deleting an endpoint ends its replays: their rows read dead-lettered, and not to be replayed', async () => {
  const original = await dead()
  const { body: accepted } = await replay(original.delivery_id)
  expect((await account.client.deleteEndpoint(original.endpoint_id)).status).toBe(204)
  const { body } = await account.client.listDeliveries('limit=2')
  expect(body.data).toMatchObject([
    { delivery_id: accepted.delivery_id, status: 'dead_lettered', attempt_number: 0 },
    { delivery_id: original.delivery_id, status: 'dead_lettered' },
  ])
  for (const row of body.data) {
    expect(row).toMatchObject({ next_retry_at: null, replayable: false, replay_expires_at: null })
  }
  expect(refusal(await replay(accepted.delivery_id))).toBe('404 endpoint_not_found')
})

/** What a second delivery has of its own. */
function fresh() {
  const created_at = clock.now()
  return {
    created_at,
    delivery_id: idAt(created_at, `second ${created_at.getTime()}`),
    last_attempt_id: idAt(created_at, `attempt of second ${created_at.getTime()}`),
  }
}

/** A delivery that waits for its next attempt. */
async function queued(): Promise<string> {
  const original = await dead()
  return (await replay(original.delivery_id)).body.delivery_id
}

/** The third of a chain whose first is gone. */
async function brokenFurtherBack(): Promise<string> {
  const root_created_at = ago(29 * day_ms)
  const gone = idAt(root_created_at, 'gone')
  const second = await dead({ replay_of: gone, root_created_at })
  const third = await dead({ replay_of: second.delivery_id, root_created_at })
  return third.delivery_id
}

/** How many rows there are that a replay writes. */
async function stored() {
  const [row] = await service.sql`
    select (select count(*)::int from webhook_queue) as queued,
      (select count(*)::int from webhook_attempts) as attempts,
      (select count(*)::int from idempotency_keys) as keys`
  return row
}
