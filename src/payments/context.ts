// What payments need besides the general context: the ports to acquirers and 3-D Secure, and the sessions' facts that the
// process keeps.

import type { Acquirer } from '../acquirers/acquirer.ts'
import type { Vendors } from '../connections/vendors.ts'
import type { Context as Common } from '../context.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Mode } from '../kernel/values.ts'
import type { World } from '../kernel/world.ts'
import type { PostedThreeDs, ThreeDs } from '../three-ds/three-ds.ts'
import type { NewSession, Session } from './session.ts'

export type Context = Common & {
  insertSession: InsertSession
  integrationOfSession: IntegrationOfSession
  /** The acquirer with this name: `checkout:conn_…`. In test mode it is the simulator, unless the name is a connection's. */
  acquirerOf(mode: Mode, name: string | null): Acquirer
  listAcquirers: ListAcquirers
  /** The card numbers that a connector's vendor publishes for its sandbox. */
  sandboxNumbers(connector: string): readonly string[]
  /** Vendors as whoever sets up connections deals with them. */
  vendors: Vendors
  /** Our mark at acquirers. */
  installation: string
  /** Our own 3DS Servers. Null if no Directory Server is configured for the mode. */
  three_ds: Record<Mode, PostedThreeDs | null>
  /** The 3-D Secure provider with this name: `3dsecureio:conn_…`. Null names the mode's own 3DS Server. */
  threeDsOf(mode: Mode, name: string | null): ThreeDs | null
  /** For how many days sessions that nobody paid are kept. */
  unpaid_days: Record<Mode, number>
  /** The modes whose payments get a receipt by mail. */
  receipt_modes: readonly Mode[]
  /**
   * Whether test sessions created by pages count towards limits. They do not if the gateway has no limit, as in a load test.
   */
  counts_test_sessions: boolean
  /** Tells operators that a limit, one of a few by its name, refuses shoppers of a merchant. */
  limitLog: { note(limit: string, merchant_id: string): void; close(): void }
}

/**
 * All acquirers that may hold an authorisation of ours, with their mode. Listed anew each time, since connections come and go.
 */
export type ListAcquirers = () => Promise<
  readonly {
    mode: Mode
    acquirer: Acquirer
    /** Whether it is a disabled connection's, whose credentials may have ended. */
    is_disabled?: boolean
  }[]
>

/** Inserts a session with its idempotency key and its line. Throws KeyTakenError, with nothing written, if the key exists. */
export type InsertSession = (row: NewSession) => Promise<void>

/** The merchant and integration of a session; null if there is no such session. */
export type IntegrationOfSession = (
  session_id: string,
) => Promise<Pick<Session, 'merchant_id' | 'integration_id'> | null>

/** The context of functions that settle money: in the service, in a worker, and in a command. */
export type SettlementContext = Pick<Context, 'sql' | 'ids' | 'acquirerOf' | 'wakeDeliveries'> & {
  world: Pick<World, 'clock' | 'random' | 'log'>
  metrics: Pick<Metrics, 'paymentConfirmed'>
  /** See JobContext. */
  stopping?: AbortSignal
}
