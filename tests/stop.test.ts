// An orderly stop: what is in flight is answered, what comes after is not taken.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { manualClock } from './clock.ts'
import { freshDatabase } from './database.ts'
import { serve } from './programs.ts'
import { drivenClock, driving, startService, until } from './service.ts'

test('a charge under way is answered before the service stops', async () => {
  const clock = drivenClock()
  const service = await startService({ clock })
  const { client, base_url } = service
  const session = await client.open()
  await client.present(session, '4000009190780000') // approves after 8 s
  const confirming = client.confirm(session)
  await clock.pause()
  const stopping = service.close()
  await expect(fetch(`${base_url}/healthz`)).rejects.toThrow()
  const { body } = await driving(clock, confirming)
  expect(body).toMatchObject({ status: 'captured' })
  await stopping
})

test('while it drains it is not ready, and takes what comes; then it takes nothing more', async () => {
  const clock = manualClock()
  const { base_url, client, drain, close } = await startService({ clock })
  const readiness = async () => (await fetch(`${base_url}/readyz`, closing)).status
  expect(await readiness()).toBe(200)
  let is_over = false
  const draining = drain(5_000).then(() => {
    is_over = true
  })
  for (const passed_ms of [0, 4_999]) {
    await clock.advance(passed_ms)
    expect(await readiness()).toBe(503)
    expect((await fetch(`${base_url}/healthz`, closing)).status).toBe(200)
    expect((await client.pay()).body).toMatchObject({ status: 'captured' })
    expect(is_over).toBe(false)
  }
  await clock.advance(1)
  await draining
  await close()
  await expect(readiness()).rejects.toThrow()
})

test('a process drains for as long as it is told, and a second signal ends it at once', async () => {
  const database = await freshDatabase()
  const { said, stop } = await serve({
    env: {
      RIPPER_DATABASE_URL: database.url,
      RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
      ...{ RIPPER_PORT: '0', RIPPER_DRAIN_SECONDS: '60', RIPPER_DATABASE_CONNECTIONS: '2' },
    },
  })
  const ready = async () => (await fetch(`${said.base_url}/readyz`, closing)).status
  expect(await ready()).toBe(200)
  let is_over = false
  const ended = stop().finally(() => {
    is_over = true
  })
  await until(ready, (status) => status === 503)
  // Signals that come at once count as one, so the second has to be said again.
  const signalAgain = async () => {
    void stop()
    return is_over
  }
  await until(signalAgain, (over) => over)
  expect((await ended).status).toBe(130)
  await database.drop()
})

/** Each request over a connection of its own. */
const closing = { headers: { connection: 'close' } }
