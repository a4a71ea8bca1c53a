// The whole service in this process, on a database of its own: what the tests of HTTP, races and secrets begin with.

import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Acquirer } from '../../src/acquirers/acquirer.ts'
import { inOtherWords } from '../../src/compatible/events/event-words.ts'
import type { SingleSignOnConfig, ThreeDsFile } from '../../src/config/config.ts'
import type { KnownConnector } from '../../src/connections/connectors.ts'
import { type ConnectionOffice, createConnection } from '../../src/connections/manage-connections.ts'
import type { CheckUp } from '../../src/context.ts'
import type { Sql } from '../../src/database/open.ts'
import type { KeyWatch } from '../../src/database/stores/key-watch.ts'
import { permissions } from '../../src/http/access.ts'
import type { RequestLog } from '../../src/http/request-log.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import type { Tracing } from '../../src/kernel/tracing.ts'
import type { Mode } from '../../src/kernel/values.ts'
import type { Clock, Http, Log, VendorHttp } from '../../src/kernel/world.ts'
import type { Integration } from '../../src/merchants/integration.ts'
import {
  createIntegration,
  createKey,
  createMerchant,
  type ManageContext,
  type NewKey,
} from '../../src/merchants/manage.ts'
import type { Merchant } from '../../src/merchants/merchant.ts'
import { openGuardedHttp } from '../../src/outgoing/guarded-http.ts'
import { openEndpointUrlJudge } from '../../src/outgoing/judge-endpoint-url.ts'
import { openHttp } from '../../src/outgoing/real-world.ts'
import type { DemoShop } from '../../src/pages/demo-shop.ts'
import type { Context } from '../../src/payments/context.ts'
import { assemble } from '../../src/service/assemble.ts'
import { type Deliveries, deliverInCells } from '../../src/service/cell-work.ts'
import type { OtherProcesses } from '../../src/service/request-listeners.ts'
import type { DeliverySettings } from '../../src/webhooks/sending/deliver.ts'
import { startDeliveries } from '../../src/webhooks/sending/delivery-loop.ts'
import { type Client, openClient } from './client.ts'
import { type ManualClock, manualClock } from './clock.ts'
import { type FreshDatabase, freshDatabase, type LockLimit } from './database.ts'
import { realClock } from './world.ts'

export type LogLine = { level: keyof Log; fields: object; message: string }

export type Account = {
  merchant_id: string
  key_id: string
  secret_key: string
  publishable_key: string | null
  integration: Integration | null
  client: Client
}

export type Service = {
  base_url: string
  /** Null where the service itself serves them. */
  metrics_url: string | null
  sql: Sql
  log: LogLine[]
  context: Context
  database: FreshDatabase
  operator: ConnectionOffice
  /** A merchant with a default integration and a key that may do everything. */
  account: Account
  client: Client
  newAccount(asked?: AccountOptions): Promise<Account>
  /** A further integration and key of a merchant. */
  addPlace(merchant_id: string, integration?: Partial<Integration>): Promise<Account>
  drain(duration_ms: number): Promise<void>
  /** What the job of the simulated bank does. */
  endChallenges(): Promise<number>
  close(): Promise<void>
}

export type ServiceOptions = {
  clock?: Clock
  gateway_limit?: number
  /** Whether the metrics have a listener of their own. */
  metrics_apart?: boolean
  /** Whether the simulated bank runs; it does where nothing is said. */
  simulator?: 'on' | 'off'
  trusted_proxies?: string[]
  /** Live Directory Servers; live mode has none otherwise. */
  three_ds?: ThreeDsFile
  /** Of another service, whose master key is then to be given too. */
  database?: FreshDatabase
  /** How long statements wait for a lock; not to be given with a database that is there already. */
  lock_limit?: LockLimit
  /** The public address, where another process of the same installation has it too. */
  base_url?: string
  /** Another way to the same database. */
  database_url?: string
  master_key?: Buffer
  /** Several, of which the first seals; in place of one. */
  master_keys?: Buffer[]
  demo_shop?(): DemoShop | null
  /** The modes whose payments have a receipt; none where nothing is said. */
  receipt_modes?: Mode[]
  /** The dashboard's own origin, if it has one. */
  dashboard_url?: string
  single_sign_on?: SingleSignOnConfig
  sign_in?: 'any' | 'passkey_and_password'
  request_log?: 'on' | 'off'
  /** What is limited together with other processes; nothing is otherwise. */
  together?: OtherProcesses
  /** The log of requests, where other processes' are to appear in it. */
  requests?: RequestLog
  /** Whether it has the current master key. */
  keys?: Pick<KeyWatch, 'fault' | 'look'>
  /** What `ripper doctor` would do. */
  examine?: () => Promise<CheckUp['checks']>
  /** How far the clock is shifted. */
  clock_offset_seconds?: number
  /** Where hosted pages are, if not below the service's own address. */
  pay_url?: string
  /** Stands between the service and what it posts to. */
  http?: (http: Http) => Http
  /** Stands between the service and its acquirer. */
  wrapSimulator?: (simulator: Acquirer) => Acquirer
  /** Vendors that live payments may go to; those that are built in, where none are given. */
  connectors?: readonly KnownConnector[]
  /** How vendors are called; they are not, where it is not given. */
  vendor_http?: Pick<VendorHttp, 'send'>
  /** Networks that webhooks may be sent to. */
  allowed_networks?: string[]
  /** Finds the addresses of a private name that an endpoint is to have. */
  resolve?: (name: string) => Promise<string[]>
  /** Nothing is traced where it is not given. */
  tracing?: Tracing
  /** Delivers webhooks, to receivers on this machine too. */
  deliver?: Partial<DeliverySettings>
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const clock = options.clock ?? realClock
  const database = options.database ?? (await freshDatabase('migrated', options.lock_limit))
  const opened = await database.open({
    connections_max: 8,
    tracing: options.tracing ?? null,
    ...(options.database_url && { url: options.database_url }),
  })
  const log: LogLine[] = []
  const http = openHttp(clock)
  const world = {
    clock,
    random: { bytes: randomBytes },
    http: options.http?.(http) ?? http,
    log: logInto(log),
  }
  const keyring = openKeyring(options.master_keys ?? [options.master_key ?? randomBytes(32)], world.random)
  const allowed_networks = options.allowed_networks ?? (options.deliver ? loopback : [])
  const { resolve } = options
  const judgeUrl = openEndpointUrlJudge({ clock, allowed_networks, ...(resolve && { resolve }) })
  const guarded = openGuardedHttp({ clock, allowed_networks })
  let deliveries: Deliveries | null = null
  let base_url = ''
  const address = () => base_url
  const { app, metricsApp, context, drain, close, endChallenges } = await assemble({
    world,
    database: opened,
    keyring,
    three_ds: options.three_ds ?? null,
    simulator: options.simulator ?? 'on',
    addresses: {
      base_url: () => options.base_url ?? base_url,
      pay_url: () => options.pay_url ?? `${base_url}/pay`,
      internal_url: address,
    },
    webhook_urls: { judge: async (url) => (await judgeUrl(url))?.reason ?? null },
    webhook_sending: {
      http: guarded,
      settings: { ...delivery_settings, ...options.deliver },
      inOtherWords,
    },
    wakeDeliveries: (what, merchant_id) => deliveries?.wake(what, merchant_id),
    receipt_modes: options.receipt_modes ?? [],
    dashboard_url: options.dashboard_url ?? null,
    single_sign_on: options.single_sign_on ?? null,
    sign_in: options.sign_in ?? 'any',
    request_log: options.request_log ?? 'on',
    tracing: options.tracing ?? null,
    examine: options.examine,
    clock_offset_seconds: options.clock_offset_seconds ?? 0,
    ...(options.wrapSimulator && { wrapSimulator: options.wrapSimulator }),
    ...(options.together && { together: options.together }),
    ...(options.requests && { requests: options.requests }),
    ...(options.keys && { keys: options.keys }),
    ...(options.connectors && { connectors: options.connectors }),
    ...(options.vendor_http && { vendor_http: options.vendor_http }),
    gateway_limit: options.gateway_limit ?? 0,
    metrics_apart: options.metrics_apart ?? false,
    trusted_proxies: options.trusted_proxies ?? [],
    pay_path: '/pay',
    demo_shop: () => options.demo_shop?.() ?? null,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const metrics = await metricsApp?.listen({ host: '127.0.0.1', port: 0 })
  base_url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const operator: ConnectionOffice = { sql: opened.sql, ids: context.ids, clock, keyring, actor: 'operator' }
  const newAccount = (asked?: AccountOptions) => openAccount(operator, base_url, asked)
  const addPlace = (merchant_id: string, integration: Partial<Integration> = {}) =>
    openPlace(operator, base_url, { merchant_id, integration, key: {} })
  const account = await newAccount()
  if (options.deliver) {
    deliveries = deliverInCells(opened.sql, (sql) =>
      startDeliveries({
        world,
        keyring,
        sql,
        metrics: context.metrics,
        tracing: options.tracing ?? null,
        http: openGuardedHttp({ clock, allowed_networks }),
        inOtherWords,
        settings: { ...delivery_settings, ...options.deliver },
      }),
    )
  }
  return {
    base_url,
    metrics_url: metrics ? `${metrics}/metrics` : null,
    sql: opened.sql,
    log,
    context,
    database,
    operator,
    account,
    newAccount,
    addPlace,
    drain,
    endChallenges,
    client: account.client,
    async close() {
      await close()
      await deliveries?.stop()
      await guarded.close()
      await opened.close()
      if (!options.database) await database.drop()
    },
  }
}

export const shop = 'https://shop.example'

export const loopback = ['127.0.0.0/8', '::1/128']

export const delivery_settings: DeliverySettings = {
  schedule: [5, 30],
  timeout_ms: 15_000,
  connect_timeout_ms: 5_000,
  lease_slack_ms: 15_000,
  clock_offset_seconds: 0,
}

export type AccountOptions = {
  merchant?: Partial<Merchant>
  /** Null for a merchant without any. */
  integration?: Partial<Integration> | null
  key?: Partial<NewKey>
}

async function openAccount(
  operator: ConnectionOffice,
  base_url: string,
  { merchant = {}, integration = {}, key = {} }: AccountOptions = {},
): Promise<Account> {
  const { merchant_id } = await createMerchant(operator, {
    name: 'Tea & Sons',
    live: false,
    live_enabled: false,
    acquiring_profile: null,
    ...merchant,
  })
  const label = merchant.acquiring_profile?.acquirer
  if (typeof label === 'string') await connectBank(operator, merchant_id, label)
  return openPlace(operator, base_url, { merchant_id, integration, key })
}

type PlaceOptions = Required<Pick<AccountOptions, 'integration' | 'key'>> & { merchant_id: string }

async function openPlace(
  operator: ConnectionOffice,
  base_url: string,
  { merchant_id, integration, key }: PlaceOptions,
): Promise<Account> {
  const rules = { name: 'default', is_default: true, allowed_origins: [shop], ...integration }
  const take = rules.is_default ? (['is_default'] as const) : []
  const made = integration && (await createIntegration(operator, merchant_id, rules, { take: [...take] }))
  const { secret_key, key: row } = await newKey(operator, merchant_id, key)
  return {
    merchant_id,
    secret_key,
    key_id: row.key_id,
    publishable_key: row.publishable_key,
    integration: made?.integration ?? null,
    client: openClient({ base_url, secret_key }),
  }
}

/** A live connection to `bank`, which only tests have: nothing is sent to it where no such connector is given. */
export function connectBank(operator: ConnectionOffice, merchantId: string, label: string) {
  const bank = { kind: 'acquirer', connector: 'bank', mode: 'live' } as const
  return createConnection(operator, merchantId, { ...bank, label, credentials: {} })
}

/** A key that may do everything, but for what is asked. */
export function newKey(operator: ManageContext, merchantId: string, asked: Partial<NewKey> = {}) {
  return createKey(operator, merchantId, {
    permissions: [...permissions],
    mode: 'any',
    allowed_addresses: [],
    allowed_origins: [],
    expires_at: null,
    pair: true,
    ...asked,
  })
}

/** A manual clock that tells who pauses: sleeps that nothing else could end. Time limits of calls are none. */
export type DrivenClock = ManualClock & {
  /** Resolves with the shortest pause as soon as somebody pauses. */
  pause(): Promise<number>
  /** Resolves when somebody falls asleep for just so long, from now on. */
  nextSleep(duration_ms: number): Promise<void>
}

export function drivenClock(): DrivenClock {
  const clock = manualClock()
  const pauses = new Map<symbol, number>()
  const watching = new Set<() => void>()
  const awaited = new Map<number, () => void>()
  return {
    ...clock,
    async sleep(duration_ms, signal) {
      awaited.get(duration_ms)?.()
      if (signal) return clock.sleep(duration_ms, signal)
      const name = Symbol()
      pauses.set(name, clock.now().getTime() + duration_ms)
      const asleep = clock.sleep(duration_ms)
      for (const look of [...watching]) look()
      await asleep
      pauses.delete(name)
    },
    async pause() {
      if (pauses.size === 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        watching.add(resolve)
        await promise
        watching.delete(resolve)
      }
      return Math.max(0, Math.min(...pauses.values()) - clock.now().getTime())
    },
    nextSleep: (duration_ms) =>
      new Promise((resolve) => {
        awaited.set(duration_ms, resolve)
      }),
  }
}

/** Lets time pass whenever somebody pauses, until the promise settles. */
export async function driving<T>(clock: DrivenClock, promise: Promise<T>): Promise<T> {
  const over = promise.then(
    () => null,
    () => null,
  )
  for (;;) {
    const pause_ms = await Promise.race([over, clock.pause()])
    if (pause_ms === null) return promise
    await clock.advance(pause_ms)
  }
}

/** Asks again, for up to 45 s, until the answer fits; what it waits for happens without any clock of ours. */
export async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const give_up = performance.now() + 45_000
  for (;;) {
    const answer = await ask()
    if (fits(answer)) return answer
    if (performance.now() > give_up) throw new Error('it did not come to pass')
    await realClock.sleep(2)
  }
}

export function logInto(lines: LogLine[]): Log {
  const at = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields, message })
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
