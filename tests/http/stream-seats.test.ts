// The seats of streams that an account has in all processes together.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { gone_after_ms, openPresence } from '../../src/database/presence/presence.ts'
import { openStreamSeats } from '../../src/http/stream-seats.ts'
import { manualClock } from '../support/clock.ts'
import { freshDatabase } from '../support/database.ts'
import { listen } from '../support/listener.ts'
import { startService, until } from '../support/service.ts'
import { quiet } from '../support/world.ts'

const clock = manualClock()
const fresh = await freshDatabase()
const database = await fresh.open()
const { sql } = database
const random = { bytes: randomBytes }
beforeEach(async () => {
  await sql`delete from processes`
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const place = { host: 'web1', pid: 1 }

async function start() {
  const world = { clock, random, log: quiet }
  const parts = { sql, world, place, databaseNow: clock.now }
  const presence = await openPresence({ ...parts, serves: true })
  return { ...presence, ...openStreamSeats({ ...parts, process_id: presence.process_id }) }
}

const rows = () => sql`select owner from stream_seats`

test('are as many as one process would give, and free again when a stream ends', async () => {
  const [one, other] = [await start(), await start()]
  const leave = await one.take('m_a', 3)
  await other.take('m_a', 3)
  await other.take('m_a', 3)
  expect([await one.take('m_a', 3), await other.take('m_a', 3)]).toEqual([null, null])
  expect(await one.take('m_b', 3)).not.toBeNull()
  leave!()
  await until(rows, ({ length }) => length === 3)
  expect(await other.take('m_a', 3)).not.toBeNull()
  await other.stop()
  expect(await rows()).toHaveLength(1)
  await one.stop()
  expect(await rows()).toEqual([])
})

test('of a process that died count until it was silent for long', async () => {
  const [one, other] = [await start(), await start()]
  const { process_id } = other
  await other.take('m_a', 1)
  await other.stop()
  const seen_at = new Date(clock.now().getTime() - gone_after_ms)
  await sql`insert into processes (process_id, serves, seen_at) values (${process_id}, true, ${seen_at})`
  await sql`insert into stream_seats (seat_id, process_id, owner) values ('x', ${process_id}, 'm_a')`
  expect(await one.take('m_a', 1)).toBeNull()
  await sql`update processes set seen_at = ${new Date(seen_at.getTime() - 1)} where process_id = ${process_id}`
  expect(await one.take('m_a', 1)).not.toBeNull()
  await one.stop()
})

test('are free where they cannot be counted', async () => {
  const one = await start()
  await one.stop()
  // Its row is gone, so the database refuses.
  const leave = await one.take('m_a', 1)
  expect([typeof leave, await rows()]).toEqual(['function', []])
})

test('a stream that finds none free is refused, and one that ends leaves its seat', async () => {
  const world = { clock, random, log: quiet }
  const presence = await openPresence({ sql, world, place, serves: true, databaseNow: clock.now })
  const together = { ...presence, now: clock.now }
  const service = await startService({ clock, database: fresh, together })
  const { base_url, account } = service
  const { merchant_id, secret_key } = account
  const open = () => listen({ base_url, secret_key, path: '/v1/logs/stream' })
  await sql`
    insert into stream_seats (seat_id, process_id, owner)
    select 'other' || n, ${presence.process_id}, ${merchant_id} from generate_series(1, 19) n`
  const listener = await open()
  await expect(open()).rejects.toThrow(/^429 .*rate_limit_exceeded/)
  listener.hangUp()
  await until(rows, ({ length }) => length === 19)
  ;(await open()).hangUp()
  await service.close()
  await presence.stop()
})
