// How long a process goes by settings whose change it never heard of.

import { afterAll, expect, test } from 'vitest'
import { settings_channel } from '../../src/merchants/store.ts'
import { manualClock } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { startService, until } from '../support/service.ts'

const clock = manualClock()
/** What the service has heard of changed settings. */
const heard: string[] = []
const database = await freshDatabase()
const service = await startService({ clock, database: { ...database, open: openHeard } })
afterAll(async () => {
  await service.close()
  await database.drop()
})

async function openHeard(options: Parameters<FreshDatabase['open']>[0]) {
  const opened = await database.open(options)
  const listen: typeof opened.listen = (channel, listener) => {
    const hear = (payload: string) => {
      listener.heard(payload)
      if (channel === settings_channel) heard.push(payload)
    }
    return opened.listen(channel, { ...listener, heard: hear })
  }
  return { ...opened, listen }
}

/** The service has heard of all that is new of the account: later news would empty its memory. */
async function newAccount() {
  const account = await service.newAccount()
  const mark = `of ${account.key_id}`
  await service.sql`select pg_notify(${settings_channel}, ${mark})`
  await until(
    async () => heard,
    (news) => news.includes(mark),
  )
  return account
}

test.each([
  ['29 s later', 29_000, 404],
  ['30 s later', 30_000, 401],
  ['with a clock that was put back by a second', -1_000, 401],
  ['with a clock that was put back by six days', -6 * 24 * 3_600_000, 401],
])('a key that was withdrawn unheard, %s', async (_, later_ms, status) => {
  const { client, key_id } = await newAccount()
  const read = async () => (await client.readSession(`cs_${'0'.repeat(24)}`)).status
  expect(await read()).toBe(404)
  await service.sql`update api_keys set revoked_at = ${new Date(0)} where key_id = ${key_id}`
  await clock.advance(later_ms)
  expect(await read()).toBe(status)
})

test('a key that a clock ahead of ours withdrew opens no more', async () => {
  const { client, key_id } = await newAccount()
  const tomorrow = new Date(clock.now().getTime() + 24 * 3_600_000)
  await service.sql`update api_keys set revoked_at = ${tomorrow} where key_id = ${key_id}`
  expect((await client.readSession(`cs_${'0'.repeat(24)}`)).status).toBe(401)
})
