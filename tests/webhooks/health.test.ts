// What processes learn of endpoints from each other: who is down is not asked again, in spite of a start or a failed write.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../src/database/open.ts'
import type { ClaimedDelivery } from '../../src/webhooks/queue/claimed-delivery.ts'
import type { StoredBreaker } from '../../src/webhooks/sending/breaker.ts'
import type { DeliveryLoop } from '../../src/webhooks/sending/delivery-loop.ts'
import { openHealth } from '../../src/webhooks/sending/health.ts'
import { saveHealth } from '../../src/webhooks/sending/health-store.ts'
import { openLanes } from '../../src/webhooks/sending/lanes.ts'
import { manualClock } from '../support/clock.ts'
import { until } from '../support/service.ts'
import { addEndpoints, newKeyring, openPosts, pollClock, startLoop, urlOf } from '../support/webhook-loop.ts'
import {
  at,
  emptyQueue,
  merchant_id,
  noon,
  openQueue,
  type Queue,
  queueRows,
  runInto,
  tell,
} from '../support/webhook-rows.ts'
import { quiet } from '../support/world.ts'

const keyring = newKeyring()
let queue: Queue
let sql: Sql
let loop: DeliveryLoop | null = null

beforeAll(async () => {
  queue = await openQueue()
  sql = queue.sql
})
afterEach(async () => {
  await loop?.stop()
  loop = null
  await emptyQueue(sql)
})
afterAll(() => queue.drop())

const saveOpen = (endpoint_id: string, open_until: Date, changed_at = at(-10)) =>
  saveHealth(sql, {
    merchant_id,
    endpoint_id,
    state: 'open',
    open_until,
    changed_at,
    reopen_count: 2,
    last_failure: '500',
  })

/** The numbers of attempts of what waits, by endpoint. */
async function waiting(): Promise<Record<string, number[]>> {
  const numbers: Record<string, number[]> = {}
  for (const { endpoint_id, attempt_number } of await queueRows(sql)) {
    numbers[endpoint_id] = [...(numbers[endpoint_id] ?? []), attempt_number].toSorted()
  }
  return numbers
}

test('a process that starts claims nothing for endpoints that are down, and one delivery each when it is time to see', async () => {
  await addEndpoints(sql, keyring, 3)
  for (let n = 1; n <= 6; n++) await tell(sql, { payment_id: `pay_${n}` })
  await saveOpen('e0001', at(30))
  await saveOpen('e0002', at(60))
  const [clock, http] = [pollClock(), openPosts()]
  const passUntil = async (time: Date) => {
    while (clock.now() < time) await clock.poll()
  }
  loop = startLoop(sql, { clock, http, keyring })
  const none = [0, 0, 0, 0, 0, 0]
  await until(waiting, ({ e0000 }) => e0000 === undefined)
  await passUntil(at(29))
  expect(await waiting()).toEqual({ e0001: none, e0002: none })

  http.hold()
  await passUntil(at(40))
  expect(await waiting()).toEqual({ e0001: [0, 0, 0, 0, 0, 1], e0002: none })
  expect(http.came.slice(6)).toEqual([urlOf('e0001')])
  http.release()
  await until(waiting, ({ e0001 }) => e0001 === undefined)
  await passUntil(at(59))
  expect(await waiting()).toEqual({ e0002: none })
  await passUntil(at(62))
  await until(waiting, ({ e0002 }) => e0002 === undefined)
})

describe('between two processes', () => {
  const clockAtNoon = () => manualClock(noon)
  const open = (parts = { clock: clockAtNoon(), lanes: openLanes() }) => {
    const { lanes } = parts
    const told: object[] = []
    const log = { ...quiet, warn: (fields: object) => told.push(fields) }
    return { ...parts, told, health: openHealth({ sql, world: { ...parts, log } }, lanes) }
  }
  const of = { merchant_id, endpoint_id: 'a' } as ClaimedDelivery
  const opened = (changed_ms: number): StoredBreaker => ({
    open_until_ms: changed_ms + 30_000,
    reopen_count: 1,
    changed_ms,
  })
  const closed = (changed_ms: number): StoredBreaker => ({ open_until_ms: null, reopen_count: 0, changed_ms })
  const rows = () => sql`select endpoint_id, state, changed_at from webhook_endpoint_health`

  test('what could not be written is written at the next exchange: the newest alone', async () => {
    const { health, told } = open()
    const refused = () => told.filter((fields) => /full_disk/.test(JSON.stringify(fields))).length
    await sql`alter table webhook_endpoint_health add constraint full_disk check (false) not valid`
    health.keep(of, opened(noon.getTime()), '500')
    await health.exchange()
    await health.exchange()
    expect(refused()).toBe(2)
    health.keep(of, closed(at(1).getTime()), null)
    health.keep({ ...of, endpoint_id: 'b' }, opened(at(2).getTime()), '500')
    await health.exchange()
    expect(refused()).toBe(3)
    await sql`alter table webhook_endpoint_health drop constraint full_disk`
    expect(await rows()).toEqual([])
    await health.exchange()
    expect(await rows()).toEqual([
      { endpoint_id: 'a', state: 'closed', changed_at: at(1) },
      { endpoint_id: 'b', state: 'open', changed_at: at(2) },
    ])
  })

  test('what turns while it is being written is written too', async () => {
    await saveOpen('a', at(60))
    const { health } = open()
    health.keep(of, opened(noon.getTime()), '500')
    const { running } = await sql.begin(async (tx) => {
      await tx`select 1 from webhook_endpoint_health for update`
      const started = await runInto(sql, () => health.exchange())
      health.keep(of, closed(at(1).getTime()), null)
      return started
    })
    await running
    expect(await rows()).toMatchObject([{ state: 'open', changed_at: noon }])
    await health.exchange()
    expect(await rows()).toMatchObject([{ state: 'closed', changed_at: at(1) }])
  })

  test('what was written once is not written again over what another has seen since', async () => {
    const { health } = open()
    health.keep(of, closed(noon.getTime()), null)
    await health.exchange()
    await sql`delete from webhook_endpoint_health`
    await health.exchange()
    expect(await rows()).toEqual([])
  })

  test('what another process writes is known within five seconds', async () => {
    const { clock, lanes, health } = open()
    const standings = () => {
      const { rooms } = lanes.shares({ is_retry: false, unwritten: 0, now_ms: clock.now().getTime() })
      return rooms.map(({ endpoint_id, standing }) => `${endpoint_id} ${standing}`)
    }
    await health.exchange()
    await saveOpen('a', at(60), at(1))
    await clock.advance(4_999)
    await health.exchange()
    expect(standings()).toEqual([])
    await clock.advance(1)
    await health.exchange()
    expect(standings()).toEqual(['a shut'])

    await saveOpen('a', at(120), at(6))
    await clock.advance(5_000)
    await health.exchange()
    await clock.advance(60_000)
    expect(standings()).toEqual(['a shut'])
    await clock.advance(50_000)
    expect(standings()).toEqual(['a other'])
  })

  test('a process that is not alone lets the one that opened a breaker see first, and hears within five seconds that it closed', async () => {
    const company = { processes: () => 4, probe_ms: 25_000 }
    const { clock, lanes, health } = open({ clock: clockAtNoon(), lanes: openLanes(company) })
    const standing = () => {
      const { rooms } = lanes.shares({ is_retry: false, unwritten: 0, now_ms: clock.now().getTime() })
      return rooms.map(({ standing }) => standing).join()
    }
    await saveOpen('a', at(60), at(1))
    await health.exchange()
    await clock.advance(84_999)
    expect(standing()).toBe('shut')
    await clock.advance(1)
    expect([standing(), lanes.listOpen()]).toEqual(['other', ['a']])

    await saveHealth(sql, {
      merchant_id,
      endpoint_id: 'a',
      state: 'closed',
      open_until: null,
      reopen_count: 0,
      last_failure: null,
      changed_at: at(86),
    })
    await clock.advance(5_000)
    await health.exchange()
    expect(lanes.listOpen()).toEqual([])
  })
})
