// What every verb is given: the world, the database, and what this process keeps. Built once, in service/assemble.ts.

import type { Sql } from './database/open.ts'
import type { Metrics } from './http/metrics.ts'
import type { RequestLog } from './http/request-log.ts'
import type { Ids } from './kernel/ids.ts'
import type { Keyring } from './kernel/keyring.ts'
import type { World } from './kernel/world.ts'
import type { Directory } from './merchants/directory.ts'

export type Context = {
  world: World
  sql: Sql
  ids: Ids
  keyring: Keyring
  metrics: Metrics
  requests: RequestLog
  directory: Directory
  addresses: Addresses
  /** Checks the address of a webhook endpoint: why it is refused, in plain words, or null. */
  webhook_urls: { judge(url: string): Promise<string | null> }
  /** Wakes this process's delivery loop after a commit and, for an event, the streams of its merchant. */
  wakeDeliveries(what: 'event' | 'replay', merchant_id: string): void
  /**
   * Calls the listener after this process has committed an event of the merchant. Returns the function that removes it.
   */
  hearEvents(merchant_id: string, listener: () => void): () => void
}

/** The service's own addresses, known once the server listens. */
export type Addresses = {
  /** The public address of the API and pages, without a slash at its end. */
  base_url(): string
  pay_url(): string
  /** Where this process reaches itself: the simulator's callbacks come here in test mode. */
  internal_url(): string
}
