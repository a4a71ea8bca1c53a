// What verbs are given: the world, the database and the ports. Built once, in assemble.ts.

import type { Acquirer } from './acquirers/acquirer.ts'
import type { IntegrationOfSession } from './checkout/sessions/session-integration.ts'
import type { WriteSession } from './checkout/sessions/write-sessions.ts'
import type { Sql } from './database/open.ts'
import type { Metrics } from './http/metrics.ts'
import type { RequestLog } from './http/request-log.ts'
import type { Ids } from './kernel/ids.ts'
import type { Keyring } from './kernel/keyring.ts'
import type { Mode } from './kernel/values.ts'
import type { World } from './kernel/world.ts'
import type { Directory } from './merchants/directory.ts'
import type { ThreeDs } from './three-ds/three-ds.ts'

export type Context = {
  world: World
  sql: Sql
  ids: Ids
  keyring: Keyring
  metrics: Metrics
  requests: RequestLog
  directory: Directory
  writeSession: WriteSession
  integrationOfSession: IntegrationOfSession
  /** The acquirer of a mode; live ones are named by the merchant's profile. */
  acquirerOf(mode: Mode, connection: string | null): Acquirer
  /** All of them, with the mode of their payments. */
  acquirers: readonly { mode: Mode; acquirer: Acquirer }[]
  /** Our mark at acquirers. */
  installation: string
  /** Null where no Directory Server is configured for the mode. */
  three_ds: Record<Mode, ThreeDs | null>
  addresses: Addresses
  /** The modes whose payments have a receipt mailed. */
  receipt_modes: readonly Mode[]
  /** Whether sessions that pages make in test mode are counted, too. They are not where the gateway has no limit, as in a load test. */
  counts_test_sessions: boolean
  /** Judges the address of a webhook endpoint: why it is refused, in plain words, or null. */
  webhook_urls: { judge(url: string): string | null }
  /** Tells this process's delivery loop, and of an event who hears those of the merchant, of what was committed just now. */
  wakeDeliveries(what: 'event' | 'replay', merchant_id: string): void
  /** Calls the listener after this process has committed an event of the merchant. Returns what ends that. */
  hearEvents(merchant_id: string, listener: () => void): () => void
}

/** Where the service is found. Known once the server listens. */
export type Addresses = {
  /** The public address of the API and pages, without a slash at its end. */
  base_url(): string
  pay_url(): string
  /** Where this process reaches itself: the simulator's callbacks come here in test mode. */
  internal_url(): string
}
