// What the webhook benchmarks are played on: a database of their own, endpoints of several merchants, the engine and the
// receiver, each a process.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { keepMasterKey } from '../src/config/master-key.ts'
import { migrate } from '../src/database/migrate.ts'
import { openDatabase, type Sql } from '../src/database/open.ts'
import { openIds } from '../src/kernel/ids.ts'
import { openKeyring } from '../src/kernel/keyring.ts'
import { eventTypes } from '../src/kernel/values.ts'
import { createMerchant } from '../src/merchants/manage.ts'
import { openWorld } from '../src/outgoing/real-world.ts'
import { newEndpoint } from '../src/webhooks/endpoints/create-endpoint.ts'
import { insertEndpoint } from '../src/webhooks/endpoints/endpoint-store.ts'
import { type Child, startChild } from './deliver-child.ts'
import type { EngineOrder, EngineSetting } from './deliver-engine.ts'
import type { Target } from './deliver-events.ts'
import type { Ports, Receipts, ReceiverOrder, ReceiverSetting } from './deliver-receiver.ts'
import { withDataFolder } from './service.ts'

export type Stage = {
  data_dir: string
  sql: Sql
  engine: Child<EngineOrder>
  receiver: Child<ReceiverOrder>
  ports: Ports
  /** Endpoints that answer at once. */
  answering: Target[]
  /** Endpoints that answer after 9 s. */
  hanging: Target[]
}

export const endpoints: ReceiverSetting = { answering: 50, hanging: 100, hang_ms: 9_000 }

export async function withStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  return withDataFolder(async (data_dir) => {
    const world = openWorld({ log_level: 'error', clock_offset_seconds: 0 })
    const { clock, log, random } = world
    const database = await openDatabase({ url: null, connections_max: 8, data_dir, clock, log })
    const { sql } = database
    const children: Child<never>[] = []
    try {
      await migrate({ sql, clock, log })
      const keyring = openKeyring(keepMasterKey(data_dir, random), random)
      const receiver = await startChild<ReceiverOrder>('deliver-receiver.ts', endpoints, logIn(data_dir))
      children.push(receiver)
      const ports = await receiver.ask<Ports>({ order: 'ports' })
      const ids = openIds(random, keyring)
      const office = { sql, clock, keyring, ids, actor: 'operator' } as const
      const answering = await makeEndpoints(office, ports.answering)
      const hanging = await makeEndpoints(office, ports.hanging)
      const engine = await startEngine({ data_dir })
      children.push(engine)
      return await work({ data_dir, sql, engine, receiver, ports, answering, hanging })
    } finally {
      for (const child of children) await child.stop()
      await database.close()
    }
  })
}

type EndpointParts = Parameters<typeof newEndpoint>[0] & Parameters<typeof createMerchant>[0]

/** Each merchant has one endpoint for each type of event, so that each event makes one delivery. */
async function makeEndpoints(office: EndpointParts, ports: number[]): Promise<Target[]> {
  const targets: Target[] = []
  const merchant = { live: false, live_enabled: false, acquiring_profile: null }
  for (let from = 0; from < ports.length; from += eventTypes.length) {
    const { merchant_id } = await createMerchant(office, { name: 'Tea & Sons', ...merchant })
    for (const [at, port] of ports.slice(from, from + eventTypes.length).entries()) {
      const type = eventTypes[at]!
      const url = `http://127.0.0.1:${port}/hooks/${merchant_id}?type=${type}`
      const asked = { merchant_id, url, event_filter: [type], now: office.clock.now() }
      await insertEndpoint(office.sql, newEndpoint(office, asked, office), null)
      targets.push({ merchant_id, type })
    }
  }
  return targets
}

/** Another process like the engine's. Its loop stands still until it is told to start. */
export function startEngine({ data_dir }: Pick<Stage, 'data_dir'>): Promise<Child<EngineOrder>> {
  const setting: EngineSetting = { data_dir }
  return startChild('deliver-engine.ts', setting, logIn(data_dir))
}

export function logIn(data_dir: string): string {
  return join(data_dir, 'deliver.log')
}

export function merchantsOf(targets: Target[]): string[] {
  return [...new Set(targets.map(({ merchant_id }) => merchant_id))]
}

/** Deliveries that wait or are under way. */
export async function queueDepth(sql: Sql, merchants: string[]): Promise<number> {
  const [row] = await sql<{ depth: number }[]>`
    select count(*)::int as depth from webhook_queue where merchant_id = any(${merchants}::text[])`
  return row!.depth
}

const drain_limit_ms = 120_000

/** Waits until all deliveries to the endpoints that answer are settled. Throws where that takes too long. */
export async function drained({ sql, answering }: Stage): Promise<void> {
  const merchants = merchantsOf(answering)
  const give_up = performance.now() + drain_limit_ms
  while ((await queueDepth(sql, merchants)) > 0) {
    if (performance.now() > give_up) throw new Error('the queue does not get empty')
    await pause(10)
  }
}

/** When each delivery of a series came. Throws where one that is due did not come, or any came twice. */
export async function arrivals(
  { receiver }: Stage,
  isDue: (index: number) => boolean = () => true,
): Promise<Float64Array> {
  const { at_ms, repeated } = await receiver.ask<Receipts>({ order: 'noted' })
  const lost = at_ms.filter((at, index) => at === 0 && isDue(index)).length
  if (lost > 0 || repeated > 0) throw new Error(`${lost} deliveries lost, ${repeated} repeated`)
  return at_ms
}
