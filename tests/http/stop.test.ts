// An orderly stop: what is in flight is answered, what comes after is not taken.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { freshDatabase } from '../support/database.ts'
import { socketOf, throughPort } from '../support/database-proxy.ts'
import { answer, serve, work } from '../support/programs.ts'
import { drivenClock, driving, startService, until } from '../support/service.ts'

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

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('a process drains for as long as it is told, and a second %s ends it at once', async (signal, status) => {
  const database = await freshDatabase()
  const { said, stop } = await serve({
    env: { ...envOf(database.url), RIPPER_DRAIN_SECONDS: '60' },
  })
  const ready = async () => (await fetch(`${said.base_url}/readyz`, closing)).status
  expect(await ready()).toBe(200)
  let is_over = false
  const ended = stop(signal).finally(() => {
    is_over = true
  })
  await until(ready, (answered) => answered === 503)
  // Signals that come at once count as one, so the second has to be said again.
  const signalAgain = async () => {
    void stop(signal)
    return is_over
  }
  await until(signalAgain, (over) => over)
  expect((await ended).status).toBe(status)
  await database.drop()
})

test('which keys were used is written down at the stop, where no job has done it yet', async () => {
  const database = await freshDatabase()
  const env = envOf(database.url)
  const { said, stop } = await serve({ env })
  const { merchant_id } = await answer(['merchant', 'create', '--name', 'Tea'], { env })
  const { secret_key } = await answer(['key', 'create', '--merchant', merchant_id], { env })
  const headers = { ...closing.headers, 'x-service-api-key': secret_key }
  expect((await fetch(`${said.base_url}/v1/payments`, { headers })).status).toBe(200)
  await stop()
  const { sql, close } = await database.open()
  expect(await sql`select 1 from api_keys where last_used_at is not null`).toHaveLength(1)
  await close()
  await database.drop()
})

test('a process ends though a silent database closes none of its connections', async () => {
  const database = await freshDatabase()
  const way = await openDeafWay(socketOf(database.url))
  const url = throughPort(database.url, way.port)
  const { stop } = await work({ env: { ...envOf(url), RIPPER_LOG_LEVEL: 'info' } })
  const { status, stdout } = await stop()
  expect(way.open()).toBeGreaterThan(0)
  const told = stdout.split('\n').filter((line) => line.startsWith('{"level"'))
  const last = told.map((line) => JSON.parse(line)).slice(-2)
  expect(last).toMatchObject([{ msg: 'stopping', drain_seconds: 0 }, { msg: 'stopped' }])
  expect(status).toBe(0)
  way.close()
  await database.drop()
})

/** A way on which nobody hears that one side wants to end: as with a proxy before a server that stands still. */
async function openDeafWay(path: string) {
  const near_ends = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    near_ends.add(near)
    const far = connect(path)
    for (const end of [near, far]) end.on('error', () => {})
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => near.write(bytes))
    near.on('close', () => {
      near_ends.delete(near)
      far.destroy()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    open: () => near_ends.size,
    close() {
      server.close()
      for (const near of near_ends) near.destroy()
    },
  }
}

function envOf(database_url: string) {
  return {
    RIPPER_DATABASE_URL: database_url,
    RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
    RIPPER_PORT: '0',
    RIPPER_DATABASE_CONNECTIONS: '2',
  }
}

/** Each request over a connection of its own. */
const closing = { headers: { connection: 'close' } }
