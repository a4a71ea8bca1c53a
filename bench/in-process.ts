// The service within this process, over one connection to its database: what it does can be counted.

import type { AddressInfo } from 'node:net'
import { inOtherWords } from '../src/compatible/events/event-words.ts'
import { keepMasterKey } from '../src/config/master-key.ts'
import { migrate } from '../src/database/migrate.ts'
import { openDatabase, type Sql } from '../src/database/open.ts'
import { openKeyring } from '../src/kernel/keyring.ts'
import { openWorld } from '../src/outgoing/real-world.ts'
import { assemble } from '../src/service/assemble.ts'
import { type Demo, keepDemo } from '../src/service/demo.ts'

export type InProcess = {
  demo: Demo
  /** The service's own connection. */
  sql: Sql
  close(): Promise<void>
}

/** A database and a data folder that are empty, or that both know the demo merchant. */
export type Place = { url: string; data_dir: string }

/** No job runs, and nothing is delivered. */
export async function openInProcess(
  { url, data_dir }: Place,
  onStatement?: (text: string, node?: string) => void,
): Promise<InProcess> {
  const world = openWorld({ log_level: 'error', clock_offset_seconds: 0 })
  const { clock, log } = world
  // Each statement is prepared once, and counted once after that.
  const options = { url, data_dir, connections_max: 1, clock, log }
  const database = await openDatabase({ ...options, ...(onStatement && { onStatement }) })
  const { sql } = database
  await migrate({ sql, clock, log })
  let base_url = ''
  const service = await assemble({
    world,
    database,
    keyring: openKeyring(keepMasterKey(data_dir, world.random), world.random),
    three_ds: null,
    simulator: 'on',
    webhook_urls: { judge: async () => null },
    webhook_sending: {
      http: { post: () => Promise.reject(new Error('no endpoint is tested here')) },
      settings: { schedule: [], timeout_ms: 0, connect_timeout_ms: 0, clock_offset_seconds: 0 },
      inOtherWords,
    },
    wakeDeliveries: () => {},
    gateway_limit: 0,
    trusted_proxies: [],
    addresses: {
      base_url: () => base_url,
      pay_url: () => `${base_url}/pay`,
      internal_url: () => base_url,
    },
    pay_path: '/pay',
    demo_shop: () => null,
  })
  await service.app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  base_url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
  const office = { sql, ids: service.context.ids, clock }
  const demo = await keepDemo(office, {
    data_dir,
    base_url,
    pay_url: `${base_url}/pay`,
    dashboard_url: service.context.addresses.dashboard_url(),
  })
  return {
    demo,
    sql,
    async close() {
      await service.close()
      await database.close()
    },
  }
}
