// The parts of a simulated process: the service as it is, and at each of its ends what the scheduler has in hand.

import { inOtherWords } from '../../src/compatible/events/event-words.ts'
import type { Sql } from '../../src/database/open.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import type { World } from '../../src/kernel/world.ts'
import { assemble, type Service } from '../../src/service/assemble.ts'
import { type DeliveryLoop, startDeliveries } from '../../src/webhooks/sending/delivery-loop.ts'
import { openLine } from './bank-line.ts'
import type { Chance } from './chance.ts'
import { base_url } from './places.ts'
import type { Patience } from './scheduler.ts'
import { openSqlFaults } from './sql-faults.ts'
import { openSeam } from './sql-seam.ts'
import type { Process, Surroundings } from './surroundings.ts'
import { openVendorLine } from './vendor-line.ts'

type Ways = {
  process: Process
  die: () => never
  /** Told of changed settings. */
  listeners: (() => void)[]
  wake: DeliveryLoop['wake']
}

/** Throws ConnectionLost where it cannot start. */
export async function assembleProcess(
  around: Surroundings,
  { process, die, listeners, wake }: Ways,
): Promise<{ service: Service; deliveries: DeliveryLoop }> {
  const { scheduler, plant } = around
  const chance = around.chance.fork(process.name)
  const aheadMs = () => process.skew.ahead_ms
  const clock = scheduler.clockOf(process, patienceOf, aheadMs)
  const world: World = {
    clock: plant.clock?.(clock) ?? clock,
    random: { bytes: chance.bytes },
    http: around.http(process, die),
    log: around.log,
  }
  const sql = openSql(around, chance.fork('sql'), { process, die })
  const keyring = openKeyring([around.master_key], world.random)
  const address = () => base_url
  const line = openLine({ ...around, chance: chance.fork('bank') }, process, die)
  const to_vendors = { ...around, chance: chance.fork('vendor') }
  const vendors = openVendorLine(to_vendors, { owner: process, clock: world.clock, die })
  const guarded = around.receivers.lineOf(process, die)
  const service = await assemble({
    world,
    keyring,
    database: {
      sql,
      async listen(_channel, { heard, opened }) {
        listeners.push(() => heard(''))
        opened()
        return async () => {}
      },
    },
    three_ds: null,
    simulator: 'on',
    addresses: { base_url: address, pay_url: () => `${base_url}/pay`, internal_url: address },
    webhook_urls: { judge: async () => null },
    webhook_sending: { http: guarded, settings: around.settings, inOtherWords },
    wakeDeliveries: wake,
    wrapSimulator: () => plant.acquirer?.(line, world) ?? line,
    vendor_http: plant.vendors?.(vendors) ?? vendors,
    isClockFarOff: () => process.isFarOff(),
    gateway_limit: 0,
    trusted_proxies: [],
    pay_path: '/pay',
    demo_shop: () => null,
  })
  await teachDistinctHeaders(service)
  const deliveries = startDeliveries({
    sql,
    keyring,
    metrics: service.context.metrics,
    settings: { ...around.settings, ...plant.settings },
    inOtherWords,
    world: { ...world, clock: scheduler.clockOf(process, patienceOfLoop, aheadMs) },
    http: plant.receivers?.(guarded) ?? guarded,
  })
  return { service, deliveries }
}

function openSql(around: Surroundings, chance: Chance, { process, die }: Pick<Ways, 'process' | 'die'>): Sql {
  const { scheduler, faults, plant, changedDue } = around
  const clock = scheduler.clockOf(process)
  const fate = openSqlFaults({ faults, chance, clock, die })
  return openSeam(around.sql, {
    async run(label, start, meeting) {
      await fate.before(label)
      return scheduler.effect(process, label, () => fate.around(start), meeting ?? undefined)
    },
    changedDue,
    rewrite: plant.sql,
    hear: plant.rows,
    fail: plant.failure,
  })
}

/** A request that waits for another, or for a page of the bank's. */
function patienceOf(duration_ms: number, signal?: AbortSignal): Patience {
  return signal === undefined && duration_ms <= 200 ? 'some' : 'none'
}

/** The pauses in which the delivery loop waits for its bell. What ends is written after 5 ms. */
function patienceOfLoop(duration_ms: number, signal?: AbortSignal): Patience {
  return signal !== undefined && duration_ms <= 250 && duration_ms !== 5 ? 'all' : 'none'
}

const taught = new WeakSet<object>()

/** Fastify's stand-in for a request has no `headersDistinct`, which real ones have. */
async function teachDistinctHeaders({ app }: Service): Promise<void> {
  const { raw } = await app.inject({ method: 'GET', url: '/nothing-is-here' })
  const kind = Object.getPrototypeOf(raw.req) as object
  if (taught.has(kind)) return
  taught.add(kind)
  Object.defineProperty(kind, 'headersDistinct', {
    get(this: { headers: Record<string, string | string[]> }) {
      return Object.fromEntries(Object.entries(this.headers).map(([name, value]) => [name, [value].flat()]))
    },
  })
}
