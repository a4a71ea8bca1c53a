// The machinery of `npm run upgrade`, with one release twice: side by side under load, then the first is stopped.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { look_every_ms, openBalancer } from '../../proofs/upgrade/balancer.ts'
import { commitOf, copyRelease, thisRelease } from '../../proofs/upgrade/release.ts'
import { runUpgrade } from '../../proofs/upgrade/upgrade.ts'
import { ownMigrations } from '../../src/database/migrate.ts'
import { manualClock } from '../support/clock.ts'
import { until } from '../support/service.ts'

const no_history = commitOf('HEAD') === null

test.skipIf(no_history)(
  'two of one release serve side by side, and nothing is lost when the first one goes',
  async () => {
    const old = copyRelease('HEAD')
    try {
      const report = await runUpgrade({
        old,
        seed: 'short',
        seconds: 3,
        shoppers: 3,
        shops: 1,
        returns: false,
        drain_seconds: 5,
        tell: () => {},
      })
      expect(report.faults, `kept in ${report.folder}`).toEqual([])
      expect(report.phases.map(({ step }) => step.running)).toEqual(['old', 'old and new', 'new'])
      expect(report.keys).toBeGreaterThan(5)
      expect([...report.errors.keys()]).toEqual([])
    } finally {
      old.remove()
    }
  },
  240_000,
)

test('a release that history does not have is refused by name', () => {
  expect(() => copyRelease('no-such-release')).toThrow('no-such-release is not in the history')
})

test('this release drains, and knows its newest migration', () => {
  expect(thisRelease()).toMatchObject({ name: 'new', commit: null, drains: true })
  expect(thisRelease().migration).toBe(ownMigrations().at(-1)!.number)
})

test('the balancer leaves out a service that is not ready, goes elsewhere where it is refused, and repeats nothing', async () => {
  let is_ready = true
  const [one, other] = await Promise.all([listen(answering), listen(answering)])
  // It looks only when it is told to, so that it does not know who is gone.
  const clock = manualClock()
  const balancer = await openBalancer(clock)
  const ask = async (path = '/') => (await fetch(balancer.base_url + path, { method: 'POST' })).text()
  const bothReady = (wanted: boolean) =>
    until(
      async () => [one, other].every((each) => balancer.isReady(each.address) === wanted),
      (found) => found,
    )

  function answering(path: string, server: Server) {
    if (path === '/readyz') return is_ready ? 200 : 503
    if (path === '/cut') return null
    return (server.address() as AddressInfo).port
  }

  balancer.add(one.address)
  balancer.add(other.address)
  await bothReady(true)
  expect(new Set([await ask(), await ask()])).toHaveLength(2)

  await expect(ask('/cut')).rejects.toThrow()
  expect(balancer.counts).toEqual({ forwarded: 2, refused: 0, cut: 1, homeless: 0 })

  await other.close()
  expect(new Set([await ask(), await ask()])).toEqual(new Set([String(one.port)]))
  expect(balancer.counts).toMatchObject({ forwarded: 4, refused: 1 })

  is_ready = false
  await clock.advance(look_every_ms)
  await bothReady(false)
  await expect(ask()).rejects.toThrow()
  expect(balancer.counts).toMatchObject({ forwarded: 4, homeless: 1 })
  await balancer.close()
  await one.close()
})

/** Answers with a status, or a number as text; null cuts the connection. */
async function listen(answering: (path: string, server: Server) => number | null) {
  const server = createServer((request, response) => {
    const said = answering(request.url!, server)
    if (said === null) request.socket.destroy()
    else if (request.url === '/readyz') response.writeHead(said).end()
    else response.end(String(said))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    address: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
