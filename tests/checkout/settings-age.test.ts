// How long a process goes by settings whose change it never heard of.

import { expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { useService } from '../support/use-service.ts'

const clock = manualClock()
const service = await useService({ clock })

test.each([
  ['29 s later', 29_000, 404],
  ['30 s later', 30_000, 401],
  ['with a clock that was put back by a second', -1_000, 401],
  ['with a clock that was put back by six days', -6 * 24 * 3_600_000, 401],
])('a key that was withdrawn unheard, %s', async (_, later_ms, status) => {
  const { client, key_id } = await service.newAccount()
  const read = async () => (await client.readSession(`cs_${'0'.repeat(24)}`)).status
  expect(await read()).toBe(404)
  await service.sql`update api_keys set revoked_at = ${new Date(0)} where key_id = ${key_id}`
  await clock.advance(later_ms)
  expect(await read()).toBe(status)
})

test('a key that a clock ahead of ours withdrew opens no more', async () => {
  const { client, key_id } = await service.newAccount()
  const tomorrow = new Date(clock.now().getTime() + 24 * 3_600_000)
  await service.sql`update api_keys set revoked_at = ${tomorrow} where key_id = ${key_id}`
  expect((await client.readSession(`cs_${'0'.repeat(24)}`)).status).toBe(401)
})
