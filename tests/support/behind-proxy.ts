// The service with a way to its database that can be cut.

import type { Client } from './client.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts'
import { type Service, startService } from './service.ts'

export type BehindProxy = {
  database: FreshDatabase
  proxy: DatabaseProxy
  service: Service
  client: Client
  /** Opens the way once more, and ends all. */
  close(): Promise<void>
}

export async function startBehindProxy(options: Parameters<typeof startService>[0] = {}): Promise<BehindProxy> {
  const database = await freshDatabase('migrated', options.lock_limit)
  const proxy = await openDatabaseProxy(database.url)
  const service = await startService({ ...options, database, database_url: proxy.url })
  return {
    database,
    proxy,
    service,
    client: service.client,
    async close() {
      proxy.start()
      await service.close()
      await proxy.close()
      await database.drop()
    },
  }
}
