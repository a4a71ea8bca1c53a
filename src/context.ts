// What every verb is given: the world, the database, and what this process keeps. Built once, in service/assemble.ts.

import type { Sql } from './database/open.ts'
import type { Metrics } from './http/metrics.ts'
import type { RefusalLog } from './http/refusal-log.ts'
import type { RequestCounts } from './http/request-counts.ts'
import type { RequestLog } from './http/request-log.ts'
import type { Ids } from './kernel/ids.ts'
import type { JobRuns } from './kernel/job-runs.ts'
import type { Keyring } from './kernel/keyring.ts'
import type { Slots } from './kernel/slots.ts'
import type { GuardedHttp, World } from './kernel/world.ts'
import type { Directory } from './merchants/directory.ts'
import type { KeyUses } from './merchants/key-store.ts'

export type Context = {
  world: World
  sql: Sql
  ids: Ids
  keyring: Keyring
  metrics: Metrics
  requests: RequestLog
  /** Keeps refused requests; null where RIPPER_REQUEST_LOG is off. */
  refusals: RefusalLog | null
  directory: Directory
  /** The last runs of this process's jobs. */
  jobRuns: JobRuns
  /** Why this process's clock is wrong; null where it is right. */
  clockFault(): string | null
  /** What `ripper doctor` finds now; null where nobody gave the process its checks. */
  checkUp: (() => Promise<CheckUp>) | null
  /** When secret keys were used last, as far as it is not written yet. */
  key_uses: KeyUses
  addresses: Addresses
  /** What signing in needs of this process. */
  doorkeeper: Doorkeeper
  /** Checks the address of a webhook endpoint: why it is refused, in plain words, or null. */
  webhook_urls: { judge(url: string): Promise<string | null> }
  /** How webhooks are sent: for a test event that a person waits for, and to say how long a delivery is tried. */
  webhook_sending: {
    http: Pick<GuardedHttp, 'post'>
    settings: {
      /** Seconds after each failed attempt. */
      schedule: readonly number[]
      timeout_ms: number
      connect_timeout_ms: number
      clock_offset_seconds: number
    }
    inOtherWords: InOtherWords
  }
  /** Wakes this process's delivery loop after a commit and, for an event, the streams of its merchant. */
  wakeDeliveries(what: 'event' | 'replay', merchant_id: string): void
  /**
   * Calls the listener after this process has committed an event of the merchant. Returns the function that removes it.
   */
  hearEvents(merchant_id: string, listener: () => void): () => void
}

/** An event as `events` has it, for an endpoint that is told in the other platform's words. */
export type StoredEvent = {
  merchant_id: string
  /** Its subject. */
  payment_id: string
  sequence: number
  body: string
  /** Null for the version by default. */
  compatible_version: string | null
}

/**
 * Reads what the other platform's words need besides the events' own bodies; it never changes. For each event, in their
 * order, returns the function that makes its body.
 */
export type InOtherWords = (sql: Sql, events: readonly StoredEvent[]) => Promise<(() => string)[]>

/** The doctor's findings, and when it looked. */
export type CheckUp = {
  looked_at: Date
  checks: {
    name: string
    status: 'ok' | 'warning' | 'problem' | 'not_checked'
    found: string
    to_do: string | null
  }[]
}

/** The service's own addresses, known once the server listens. */
export type Addresses = {
  /** The public address of the API and pages, without a slash at its end. */
  base_url(): string
  pay_url(): string
  /** The page of the people who work here, by name rather than by a loopback number. */
  dashboard_url(): string
  /** Where this process reaches itself: the simulator's callbacks come here in test mode. */
  internal_url(): string
}

export type Doorkeeper = {
  /**
   * How many passwords are hashed at once; see kernel/slots.ts. What strangers try takes no place of those who are in, or who
   * were in at this browser.
   */
  hashing: Record<'of_strangers' | 'of_known', Slots>
  /** Counts tries of an address; null where nothing is limited. */
  tries: RequestCounts | null
  /** Counts names that nobody has, always: each is a line in a journal that is never purged. */
  unknown_names: RequestCounts
  /** How far the service's clock is shifted. One-time codes go by real time. */
  clock_offset_seconds: number
  /** RIPPER_SIGN_IN: whether people have to show both a passkey and a password. */
  wants_both: boolean
  /** The provider of single sign-on: its name for people, and where the page leads to it. */
  single_sign_on: { name: string; path: string; prove_path: string } | null
  /** What people here type before a command. */
  program: string
  demoMerchant(): { merchant_id: string } | null
  /** Whose passwords are shut, since single sign-on stands in for them. Those of operators never are. */
  shut_domains: string[]
}
