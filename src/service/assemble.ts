// Puts the service together from a world, a database and a configuration. main.ts and the tests differ only in those.

import type { FastifyInstance } from 'fastify'
import { couldBeCard } from '../cards/card-data.ts'
import { adviseOn } from '../compatible/advice.ts'
import type { SingleSignOnConfig, ThreeDsFile } from '../config/config.ts'
import { connectors } from '../connections/connectors.ts'
import type { Addresses, CheckUp } from '../context.ts'
import { dashboardRoutes } from '../dashboard/routes.ts'
import { singleSignOnPages } from '../dashboard/sign-in/single-sign-on-pages.ts'
import { streamChanges } from '../dashboard/stream/stream-changes.ts'
import { cellOf, cellsOf } from '../database/cells/cells.ts'
import type { Database } from '../database/open.ts'
import { openCardRangeStore } from '../database/stores/card-range-store.ts'
import type { KeyWatch } from '../database/stores/key-watch.ts'
import type { Access } from '../http/access.ts'
import { openMetrics } from '../http/metrics.ts'
import { type OwnCalls, openOwnCalls } from '../http/own-calls.ts'
import type { Page } from '../http/pages.ts'
import { openRefusalLog } from '../http/refusal-log.ts'
import { openRequestCounts } from '../http/request-counts.ts'
import { openRequestLog, type RequestLog } from '../http/request-log.ts'
import type { Kernel } from '../http/run-route.ts'
import { openServer } from '../http/server.ts'
import { openUnnamedProxy, type UnnamedProxy } from '../http/unnamed-proxy.ts'
import { type Bells, openBells } from '../kernel/bell.ts'
import { openIds } from '../kernel/ids.ts'
import { openJobRuns } from '../kernel/job-runs.ts'
import type { Keyring } from '../kernel/keyring.ts'
import { openSlots } from '../kernel/slots.ts'
import type { Tracing } from '../kernel/tracing.ts'
import type { SessionId } from '../kernel/values.ts'
import { languageFor } from '../kernel/words.ts'
import type { World } from '../kernel/world.ts'
import { type Directory, openDirectory } from '../merchants/directory.ts'
import { openKeyUses } from '../merchants/key-store.ts'
import { type Assets, assetPages, keepForLater, readAssets, readDashboardAssets } from '../pages/assets.ts'
import { cardFieldsPage } from '../pages/card-fields.ts'
import { checkoutSessionPages } from '../pages/checkout-session.ts'
import { dashboardPages } from '../pages/dashboard.ts'
import { type DemoShop, demoShopPages } from '../pages/demo-shop.ts'
import { hostedSessionPage } from '../pages/hosted-session.ts'
import { messagePage } from '../pages/message-page.ts'
import { payPage } from '../pages/pay.ts'
import { paymentLinkPages } from '../pages/payment-link.ts'
import type { Context } from '../payments/context.ts'
import { openLimitLog } from '../payments/limits/limit-log.ts'
import { receiveNotices } from '../payments/notices/receive-notices.ts'
import { isClientSecret } from '../payments/sessions/client-secret.ts'
import { openSessionInserts } from '../payments/sessions/insert-sessions.ts'
import { daysKept, default_unpaid_sessions_days } from '../payments/sessions/purge-sessions.ts'
import { openIntegrationOfSession } from '../payments/sessions/session-integration.ts'
import { pages, routes, streams } from '../routes.ts'
import { openThreeDs } from '../three-ds/open.ts'
import { dashboardAddress } from '../users/page-origin.ts'
import { hashes_at_once } from '../users/passwords.ts'
import { begin_path, openSingleSignOn, prove_path } from '../users/single-sign-on.ts'
import { type AcquiringParts, openAcquiring } from './acquiring.ts'
import { openCheckUp } from './check-up.ts'
import { connectionsMax } from './open-files-limit.ts'
import { metrics_path, operationalPages } from './operational.ts'
import { limitedTogether, type OtherProcesses } from './request-listeners.ts'
import { openSimulatedIssuer } from './simulated-issuer.ts'
import { tracedInserts, tracedThreeDs } from './traced-ports.ts'

export type ServiceOptions = Omit<AcquiringParts, 'sql' | 'whenChanged'> & {
  world: World
  database: Pick<Database, 'sql' | 'listen'>
  keyring: Keyring
  three_ds: ThreeDsFile | null
  /** Whether the simulated issuer of test mode runs. */
  simulator: 'on' | 'off'
  addresses: Omit<Addresses, 'dashboard_url'>
  /** The dashboard's own origin, if it has one. */
  dashboard_url?: string | null
  /** The provider of single sign-on; left out, there is none. */
  single_sign_on?: SingleSignOnConfig | null
  /** What people must show to sign in; left out, any way suffices. */
  sign_in?: 'any' | 'passkey_and_password'
  /** What people here type before a command; left out, `ripper`. */
  program?: string
  /** Known once the demo merchant exists; left out, there is none. */
  demoMerchant?: () => { merchant_id: string } | null
  /** The check of `ripper doctor`; left out, the dashboard does not show it. */
  examine?: (() => Promise<CheckUp['checks']>) | undefined
  /** Left out or null, nothing is traced. */
  tracing?: Tracing | null
  /** Whether refused requests are kept; left out, they are. */
  request_log?: 'on' | 'off'
  /** Days for which unpaid live sessions are kept; left out, the setting's default. */
  unpaid_sessions_days?: number
  /** The offset of the clock of `world`. */
  clock_offset_seconds?: number
  gateway_limit: number
  /** Whether the metrics have their own listener; left out, they have none. */
  metrics_apart?: boolean
  /** Limits that all processes share; left out, this process counts alone. */
  together?: OtherProcesses
  /** How many connections callers may have at once, if the machine allows it. By default, as many as it allows. */
  connection_limit?: number
  trusted_proxies: string[]
  /** See Context. Left out, there are none. */
  receipt_modes?: Context['receipt_modes']
  /** Judges the addresses of webhook endpoints. */
  webhook_urls: Context['webhook_urls']
  webhook_sending: Context['webhook_sending']
  wakeDeliveries: Context['wakeDeliveries']
  /** Bells by merchant, rung after commits of events. Left out, only this process's own commits ring. */
  events?: Bells
  /** Left out, it is only logged. */
  unnamedProxy?: UnnamedProxy
  /** Left out, only requests of this process are shown. */
  requests?: RequestLog
  /** The path below which hosted pages are found. */
  pay_path: string
  /** Says why the process's clock is wrong; `/readyz` then answers 503. By default the clock is right. */
  clock_fault?: () => string | null
  /** Whether this process has the current master key. Left out, it has. */
  keys?: Pick<KeyWatch, 'fault' | 'look'>
  /** Whether the process's clock is so wrong that no request may change anything. */
  isClockFarOff?: () => boolean
  /** The demo shop's server, once the demo merchant exists. */
  demo_shop(): DemoShop | null
}

export type Service = {
  app: FastifyInstance
  /** The listener of the metrics, if `app` does not serve them. */
  metricsApp: FastifyInstance | null
  context: Context
  /** Answers 503 on `/readyz` for this long and serves everything else, so that proxies turn to other processes. */
  drain(duration_ms: number): Promise<void>
  /** See JobContext. */
  endChallenges(): Promise<number>
  /** Answers open requests, then stops. */
  close(): Promise<void>
}

export async function assemble(parts: ServiceOptions): Promise<Service> {
  const { world, database, keyring, clock_fault, keys } = parts
  const { sql } = database
  const directory = await openDirectory({ database, clock: world.clock, keyring })
  const ownCalls = openOwnCalls(keyring)
  const simulatedIssuer = openSimulatedIssuer(parts, ownCalls)
  const context = await contextOf(parts, { directory, own_calls: ownCalls })
  const assets = readAssets()
  const dashboardAssets = readDashboardAssets()
  await keepForLater(sql, world.clock.now(), assets, dashboardAssets)
  const closing = { now: false }
  const operational = operationalPages(closing, () => keys?.fault() ?? clock_fault?.() ?? null)
  const isMetrics = ({ path }: Page<Context>) => path === metrics_path
  const sharedParts = {
    ...context,
    context,
    access: accessOf(context, directory),
    advise: adviseOn,
    couldBeCard,
    own_calls: ownCalls,
    gateway_limit: parts.gateway_limit,
    trusted_proxies: parts.trusted_proxies,
    unnamedProxy: parts.unnamedProxy ?? openUnnamedProxy(world),
  }
  const app = await openServer({
    ...sharedParts,
    placeOf: placesOf(context, parts.tracing),
    routes: [...routes, ...dashboardRoutes],
    streams: [...streams, streamChanges],
    pages: [
      ...pages,
      receiveNotices(parts.connectors ?? connectors),
      ...assetPages(assets, dashboardAssets),
      ...shopperPages(assets, parts),
      ...(parts.single_sign_on ? singleSignOnPages(openSingleSignOn(parts.single_sign_on, parts)) : []),
      ...dashboardPages(dashboardAssets),
      ...operational.filter((page) => !parts.metrics_apart || !isMetrics(page)),
    ],
    missingPage: (languages, url) =>
      messagePage({
        status: 404,
        language: languageFor(null, languages),
        words: 'not_found',
        link: url.startsWith('/docs') ? { text: 'To the documentation', href: '/docs' } : undefined,
      }),
    peers: [simulatedIssuer.peer],
    ...limitedTogether(parts),
    connections_max: connectionsMax(parts.connection_limit, world.log),
    isServedAt: hostRuleOf(parts.dashboard_url ?? null) ?? undefined,
    isClockFarOff: parts.isClockFarOff,
    keys,
    tracing: parts.tracing,
  })
  const metricsApp = parts.metrics_apart
    ? await openServer({
        ...sharedParts,
        routes: [],
        streams: [],
        pages: operational.filter(isMetrics),
        peers: [],
        connections_max: metrics_connections_max,
      })
    : null
  const drain = async (duration_ms: number) => {
    closing.now = true
    await world.clock.sleep(duration_ms)
  }
  const close = async () => {
    closing.now = true
    await app.close()
    await metricsApp?.close()
    await context.refusals?.close()
    context.limitLog.close()
    simulatedIssuer.close()
    await directory.close()
  }
  return { app, metricsApp, context, drain, endChallenges: simulatedIssuer.endDue, close }
}

/** Each scraper uses one connection. */
const metrics_connections_max = 100

type ContextOptions = { directory: Directory; own_calls: OwnCalls }

async function contextOf(parts: ServiceOptions, { directory, own_calls }: ContextOptions): Promise<Context> {
  const { world, keyring, database } = parts
  const { sql } = database
  const { base_url } = parts.addresses
  const dashboardUrl = () => dashboardAddress(parts.dashboard_url ?? base_url())
  const addresses = { ...parts.addresses, dashboard_url: dashboardUrl }
  const events = parts.events ?? openBells()
  const metrics = openMetrics()
  const { whenChanged } = directory
  const acquiring = await openAcquiring({ ...parts, sql, whenChanged })
  const ownServers = openThreeDs({
    world,
    addresses,
    file: parts.three_ds,
    simulator: parts.simulator === 'on' ? own_calls : null,
    ranges: openCardRangeStore(sql),
  })
  return {
    world,
    sql,
    keyring,
    directory,
    key_uses: openKeyUses(),
    addresses,
    receipt_modes: parts.receipt_modes ?? [],
    counts_test_sessions: parts.gateway_limit > 0,
    limitLog: openLimitLog(world),
    doorkeeper: doorkeeperOf(parts),
    webhook_urls: parts.webhook_urls,
    webhook_sending: parts.webhook_sending,
    wakeDeliveries(what, merchant_id) {
      parts.wakeDeliveries(what, merchant_id)
      if (what === 'event') events.ring(merchant_id)
    },
    hearEvents: events.hear,
    requests: parts.requests ?? openRequestLog(),
    jobRuns: openJobRuns(),
    clockFault: parts.clock_fault ?? (() => null),
    checkUp: parts.examine ? openCheckUp(world, parts.examine) : null,
    insertSession: tracedInserts(parts.tracing, openSessionInserts(sql)),
    integrationOfSession: openIntegrationOfSession(sql, directory.merchantIdOfSession),
    ids: openIds(world.random, keyring),
    metrics,
    unpaid_days: daysKept(parts.unpaid_sessions_days ?? default_unpaid_sessions_days),
    refusals: parts.request_log === 'off' ? null : openRefusalLog({ sql, world, metrics }),
    ...acquiring,
    three_ds: ownServers,
    threeDsOf: tracedThreeDs(parts.tracing, (mode, name) =>
      name === null ? ownServers[mode] : acquiring.threeDsOf(mode, name),
    ),
  }
}

function doorkeeperOf(parts: ServiceOptions): Context['doorkeeper'] {
  const { world, gateway_limit, clock_offset_seconds = 0 } = parts
  const { single_sign_on: singleSignOn } = parts
  const signInRules = {
    wants_both: parts.sign_in === 'passkey_and_password',
    single_sign_on: singleSignOn ? { name: new URL(singleSignOn.issuer).hostname, path: begin_path, prove_path } : null,
    shut_domains: singleSignOn?.is_required ? singleSignOn.domains : [],
    program: parts.program ?? 'ripper',
    demoMerchant: parts.demoMerchant ?? (() => null),
  }
  const counts = () => openRequestCounts(world.random.bytes(16))
  const tries = gateway_limit > 0 ? counts() : null
  const hashing = { of_strangers: openSlots(hashes_at_once), of_known: openSlots(hashes_at_once) }
  return { hashing, tries, unknown_names: counts(), clock_offset_seconds, ...signInRules }
}

function shopperPages(assets: Assets, { pay_path, demo_shop }: ServiceOptions): Page<Context>[] {
  return [
    cardFieldsPage(assets),
    payPage(assets, pay_path),
    hostedSessionPage(pay_path),
    ...checkoutSessionPages(assets, pay_path),
    ...paymentLinkPages(assets, pay_path),
    ...demoShopPages(assets, demo_shop),
  ]
}

/** How the service recognises keys and sessions. */
function accessOf({ keyring, world, key_uses }: Context, directory: Directory): Access {
  return {
    findSecretKey: directory.secretKey,
    noteUse: ({ key_id }, at) => key_uses.note({ key_id, at }),
    async findSession(session_id, client_secret) {
      if (!isClientSecret(keyring, session_id, client_secret)) return null
      const merchant_id = await directory.merchantIdOfSession(session_id)
      return merchant_id && { merchant_id, session_id: session_id as SessionId }
    },
    now: () => world.clock.now(),
  }
}

/** `route` is the path pattern of the request; undefined if there is none. */
type HostRule = (host: string | undefined, route: string | undefined) => boolean

/** Null if the dashboard shares the service's own address. */
function hostRuleOf(dashboard_url: string | null): HostRule | null {
  if (dashboard_url === null) return null
  const { hostname, port, protocol } = new URL(dashboard_url)
  const usual_port = protocol === 'https:' ? '443' : '80'
  const own = port ? [`${hostname}:${port}`] : [hostname, `${hostname}:${usual_port}`]
  return (host, route) => {
    // Compared as text, because a parser would find the same name in texts that a proxy reads differently.
    const is_own = host !== undefined && own.includes(host.toLowerCase())
    if (route?.startsWith('/assets/')) return true
    const is_dashboard = route === '/dashboard' || route?.startsWith('/dashboard/') === true
    return is_own === is_dashboard
  }
}

/** Undefined if all rows are in one place. */
function placesOf(context: Context, tracing: Tracing | null | undefined): Kernel<Context>['placeOf'] {
  const { sql: whole } = context
  const cells = cellsOf(whole).filter(({ sql }) => sql !== whole)
  if (cells.length === 0) return undefined
  const places = new Map(
    cells.map(({ sql }) => {
      const insertSession = tracedInserts(tracing, openSessionInserts(sql))
      return [sql, { sql, context: { ...context, sql, insertSession } }] as const
    }),
  )
  return async (merchant_id) => places.get(await cellOf(whole, merchant_id))!
}
