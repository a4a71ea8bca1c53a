// A disabled connection whose key has ended for good: its searches fail at each try, and that must not fill the log.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectionChecks, readConnections } from '../../src/cli/doctor/connections.ts'
import { judgeAll } from '../../src/cli/doctor/finding.ts'
import { readConfig } from '../../src/config/config.ts'
import type { KnownConnector } from '../../src/connections/connectors.ts'
import { createConnection, disableConnection } from '../../src/connections/manage-connections.ts'
import { compareBooks } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { drivenClock, driving, type LogLine, logInto, type Service, startService } from '../support/service.ts'
import { hour_ms, minute_ms } from '../support/settling.ts'
import { openVendor } from '../support/vendor.ts'

const clock = drivenClock()
const vendor = openVendor()
let refuses = false
const connector: KnownConnector = {
  ...vendor.connector,
  open(connection) {
    const opened = vendor.connector.open!(connection)
    return {
      ...opened,
      async listAuthorisations(within) {
        if (refuses) throw new Error('the key is refused')
        return opened.listAuthorisations(within)
      },
    }
  },
}
let service: Service
beforeAll(async () => {
  service = await startService({ clock, connectors: [connector] })
})
afterAll(() => service.close())

const log: LogLine[] = []
const failures_logged = new Map<string, Date>()
const contextOf = ({ context }: Service) => {
  const world = { ...context.world, log: logInto(log) }
  return { ...context, world, failures_logged }
}
const sweep = () => driving(clock, sweepOrphans(contextOf(service)))
const compare = () => driving(clock, compareBooks(contextOf(service)))
const logged = (message: RegExp) => log.filter((line) => message.test(line.message)).map(({ level }) => level)

const search = /^search for orphaned authorisations failed/
const comparison = /^comparison with .* failed$/

test('its failures are logged once a day, an active one’s each time', async () => {
  const { merchant_id } = service.account
  const asked = { kind: 'acquirer', connector: 'bank', label: 'main', mode: 'live' } as const
  const credentials = { secret_key: 'ended' }
  const made = await createConnection(service.operator, merchant_id, { ...asked, credentials })
  await sweep()
  expect(log).toEqual([])
  refuses = true
  for (let sweeps = 0; sweeps < 3; sweeps++) {
    await clock.advance(5 * minute_ms)
    await sweep()
  }
  expect(logged(search)).toEqual(['error', 'error', 'error'])
  await compare()
  await clock.advance(2 * hour_ms)
  await compare()
  expect(logged(comparison)).toEqual(['error', 'error'])

  await disableConnection(service.operator, made.connection_id)
  log.length = 0
  for (let hours = 0; hours < 47; hours++) {
    await clock.advance(hour_ms)
    await sweep()
    await compare()
  }
  expect(logged(search)).toEqual(['warn', 'warn'])
  expect(logged(comparison)).toEqual(['warn', 'warn'])
}, 60_000)

test('the doctor says so', async () => {
  const [connection] = await service.sql`select connection_id from connections`
  const { connection_id } = connection!
  const since = new Date(Date.now() - 3 * hour_ms)
  const moved = service.sql`
    update orphan_sweeps set swept_until = ${since} where acquirer = ${`bank:${connection_id}`}`
  expect((await moved).count).toBe(1)
  const facts = await readConnections(readConfig({}), service.sql)
  expect(facts.unsearched).toEqual([{ connection_id, label: 'main', since }])
  const [finding] = judgeAll(connectionChecks, facts)
  expect(finding).toMatchObject({
    name: 'Connections',
    status: 'warning',
    found: expect.stringContaining(`disabled connections do not answer: ${connection_id} (main), since`),
  })
  await service.sql`update orphan_sweeps set swept_until = ${new Date()}`
  expect((await readConnections(readConfig({}), service.sql)).unsearched).toEqual([])
})
