// Builds the service from the configuration, starts it, and stops it in order.

import { hostname } from 'node:os'
import type { Config } from './config/config.ts'
import { type ClockWatch, startClockWatch } from './database/clock/clock-watch.ts'
import { recordClockOffset } from './database/clock/service-clock.ts'
import type { Database } from './database/open.ts'
import { openPresence, type Presence } from './database/presence/presence.ts'
import { type KeyWatch, openKeyWatch } from './database/stores/key-watch.ts'
import { openMetrics } from './http/metrics.ts'
import { openUnnamedProxy, type UnnamedProxy } from './http/unnamed-proxy.ts'
import { type Changes, hearChanges } from './merchants/directory.ts'
import { firstMerchants } from './merchants/store.ts'
import { type LogLines, steadyClock } from './outgoing/real-world.ts'
import { receiptModes } from './payments/receipts/mailer.ts'
import type { Between } from './service/acquiring.ts'
import { apiUrlJudge } from './service/api-urls.ts'
import { assemble, type ServiceOptions } from './service/assemble.ts'
import { startBackground } from './service/background.ts'
import { type Demo, demoShopOf, keepDemo } from './service/demo.ts'
import { inviteFirstOwner } from './service/first-owner.ts'
import { listenAll, listenerAddress } from './service/listen.ts'
import { type News, openNews } from './service/news.ts'
import { metrics_path } from './service/operational.ts'
import { keepFolder, type Opened, open, type ServiceResources } from './service/resources.ts'
import { type Stoppable, stopInOrder } from './service/stop.ts'
import { openWebhookSending, webhookUrls } from './service/webhooks.ts'
import { firstCommand } from './users/page-origin.ts'

export type RunningService = {
  base_url: string
  database: string
  demo: Demo | null
  /** The page of the people who work here. */
  dashboard_url: string
  /** Where the metrics are, if they have a port of their own. */
  metrics_url: string | null
  /** By which the first of them comes in, once; null where there is one, or nobody sees it. */
  welcome_url: string | null
  /** The command that makes such a link; null where there is a link, or somebody has an account. */
  welcome_command: string | null
  /**
   * Turns readiness off for a while so that proxies turn elsewhere, ends what is in flight, then everything else. A
   * second call waits for the first. False where something did not end in time: the process must end all the same.
   */
  stop(): Promise<boolean>
}

/**
 * Starts API, pages and worker. `demo` creates the demo merchant on a database that is not the embedded one. `terminal`
 * says that a person alone reads what is printed: only then a link for the first owner is made.
 */
export async function serve(
  config: Config,
  options: {
    demo: boolean
    terminal?: boolean
    examine?: ServiceOptions['examine']
    /** Takes the log; left out, standard output does. */
    logLines?: LogLines | undefined
  },
  between: Between = {},
): Promise<RunningService> {
  if (options.demo) keepFolder(config.data_dir)
  const opened = wrapped(await open(config, options.logLines), between)
  const { world, database } = opened
  const watch = await watchClock(config, opened)
  const sending = openWebhookSending(config, world.clock)
  const last = [clockOf(watch), testsOf(sending), vendorsOf(opened), databaseOf(database), ...tracesOf(opened)]
  const { first, then, steps } = stepsTo(...last)
  let internal = () => ''
  const base = () => config.base_url ?? internal()
  const pay = () => config.pay_url ?? `${base()}/pay`
  let demo: Demo | null = null
  try {
    const unnamedProxy = openUnnamedProxy(world)
    const { keys, presence, news } = await joinOthers(opened, { config, watch, proxy: unnamedProxy, then })
    const { events, requests, wakeDeliveries, committed } = news
    const service = await assemble({
      ...opened,
      ...askedFor(config),
      together: { ...presence, now: watch.databaseNow },
      addresses: { base_url: base, pay_url: pay, internal_url: () => internal() },
      examine: options.examine,
      webhook_urls: webhookUrls(config, world.clock),
      webhook_sending: sending,
      judge_api_url: apiUrlJudge(config, world.clock),
      wakeDeliveries,
      events,
      requests,
      unnamedProxy,
      clock_fault: watch.fault,
      keys,
      isClockFarOff: watch.isFarOff,
      demo_shop: () => demo && demoShopOf(demo),
      demoMerchant: () => demo,
    })
    first.push({ name: 'requests', end: service.close })
    const { app, metricsApp, context, endChallenges } = service
    context.metrics.watchClockSkew(watch.skewSeconds)
    // Requests come before `listenAll` says that it listens.
    internal = () => (app.server.listening ? listenerAddress(app, config) : '')
    await listenAll(service, config)
    const dashboard_url = context.addresses.dashboard_url()
    const wants_demo = database.kind === 'embedded' || options.demo
    const operator = { sql: database.sql, ids: context.ids, clock: world.clock }
    const addresses = { base_url: base(), pay_url: pay(), dashboard_url }
    if (wants_demo) demo = await keepDemo(operator, { data_dir: config.data_dir, ...addresses })
    const welcomes = demo !== null && database.kind === 'embedded' && options.terminal === true
    const welcome_url = welcomes ? await inviteFirstOwner(context, demo!.merchant_id) : null
    const { metrics, key_uses, jobRuns } = context
    const { whenChanged } = context.directory
    const own = { metrics, key_uses, jobRuns, endChallenges, delivering: presence.delivering, whenChanged }
    lookAtEach(whenChanged, keys)
    const parts = { ...opened, ...own, trust: keys.within(watch), databaseNow: watch.databaseNow, committed }
    const background = await startBackground(config, parts)
    first.push(backgroundOf(background))
    news.deliverBy(background)
    const seconds = config.drain_seconds
    const drain = { seconds, over: () => service.drain(seconds * 1000) }
    return {
      base_url: base(),
      database: database.description,
      demo,
      dashboard_url,
      metrics_url: metricsApp && `${listenerAddress(metricsApp, config)}${metrics_path}`,
      welcome_url,
      welcome_command: welcome_url
        ? null
        : await firstCommand(database.sql, config, demo ?? (await soleMerchant(database))),
      stop: once(() => stopInOrder(world, { drain, steps })),
    }
  } catch (error) {
    await stopInOrder(world, { drain: noDrain, steps })
    throw error
  }
}

/** The one merchant there is; null with none or several. */
async function soleMerchant({ sql }: Database): Promise<{ merchant_id: string } | null> {
  const merchants = await firstMerchants(sql, 2)
  return merchants.length === 1 ? merchants[0]! : null
}

/** For what no proxy sends requests to. */
const noDrain = { seconds: 0, over: async () => {} }

/** What the service takes from its settings as it stands there. */
function askedFor(config: Config) {
  const { three_ds, simulator, gateway_limit, connection_limit, trusted_proxies } = config
  const { dashboard_url, single_sign_on, sign_in, request_log, unpaid_sessions_days, clock_offset_seconds } = config
  const { program } = config
  return {
    three_ds,
    simulator,
    gateway_limit,
    connection_limit,
    trusted_proxies,
    dashboard_url,
    single_sign_on,
    sign_in,
    request_log,
    unpaid_sessions_days,
    clock_offset_seconds,
    program,
    metrics_apart: config.metrics_port !== null,
    receipt_modes: receiptModes(config.mail),
    pay_path: config.pay_url ? new URL(config.pay_url).pathname.replace(/\/$/, '') : '/pay',
  }
}

/** Starts the background jobs and the delivery of webhooks alone. */
export async function work(config: Config, between: Between = {}): Promise<Pick<RunningService, 'database' | 'stop'>> {
  const opened = wrapped(await open(config), between)
  const { world, database } = opened
  const watch = await watchClock(config, opened)
  const { first, then, steps } = stepsTo(
    ...[clockOf(watch), vendorsOf(opened), databaseOf(database)],
    ...tracesOf(opened),
  )
  const stopping = { drain: noDrain, steps }
  try {
    const { keys, presence, news } = await joinOthers(opened, { config, watch, proxy: null, then })
    const changes = await hearChanges(database)
    then.push(changesOf(changes))
    const { databaseNow } = watch
    const { delivering } = presence
    const { whenChanged } = changes
    lookAtEach(whenChanged, keys)
    const trust = keys.within(watch)
    const own = { metrics: openMetrics(), trust, databaseNow, delivering, whenChanged }
    const parts = { ...opened, ...own, committed: news.committed }
    const background = await startBackground(config, parts)
    first.push(backgroundOf(background))
    news.deliverBy(background)
    const stop = once(() => stopInOrder(world, stopping))
    return { database: database.description, stop }
  } catch (error) {
    await stopInOrder(world, stopping)
    throw error
  }
}

function wrapped(opened: Opened, { wrapSimulator, wrapVendors }: Between) {
  const { vendor_http } = opened
  return { ...opened, vendor_http: wrapVendors?.(vendor_http) ?? vendor_http, wrapSimulator }
}

function watchClock(config: Config, { world, database }: ServiceResources): Promise<ClockWatch> {
  const { clock_offset_seconds: offset_seconds } = config
  return startClockWatch({ sql: database.sql, world, steady: steadyClock, offset_seconds })
}

/** What is ended, in this order. By the second step, all that a request leaves to be delivered is in the database. */
function stepsTo(...last: Stoppable[]) {
  const first: Stoppable[] = []
  const then: Stoppable[] = []
  return { first, then, steps: [first, then, last] }
}

type Joining = {
  config: Config
  watch: ClockWatch
  /** Null in a process that takes no requests. */
  proxy: UnnamedProxy | null
  /** Where it is noted what is to be ended. */
  then: Stoppable[]
}

async function joinOthers(opened: ServiceResources, { config, watch, proxy, then }: Joining) {
  const { sql } = opened.database
  const { world, keyring } = opened
  const keys = openKeyWatch({ sql, keyring, log: world.log })
  const { databaseNow } = watch
  const requests = { serves: proxy !== null, unnamedProxy: proxy?.address }
  const place = { host: hostname(), pid: process.pid }
  const presence = await openPresence({ sql, world, place, ...requests, databaseNow, keys })
  then.push(presenceOf(presence))
  await recordClockOffset(sql, config.clock_offset_seconds)
  const news = await openNews({ ...opened, isAlone: () => presence.delivering() === 1 })
  then.push(newsOf(news))
  return { keys, presence, news }
}

/** The sign that others make a key current comes with those of settings. */
function lookAtEach(whenChanged: Changes['whenChanged'], keys: KeyWatch): void {
  whenChanged(() => {
    keys.look().catch(() => {})
  })
}

function backgroundOf({ stop }: { stop(): Promise<void> }): Stoppable {
  return { name: 'deliveries and jobs', end: stop }
}

function changesOf({ close }: Changes): Stoppable {
  return { name: 'changes of settings', end: close }
}

function newsOf({ stop }: News): Stoppable {
  return { name: 'messages of other processes', end: stop }
}

function presenceOf({ stop }: Presence): Stoppable {
  return { name: 'signs to other processes', end: stop }
}

function clockOf({ stop }: ClockWatch): Stoppable {
  return { name: 'watch on the clock', end: stop }
}

function testsOf({ http }: ReturnType<typeof openWebhookSending>): Stoppable {
  return { name: 'test events', end: http.close }
}

function vendorsOf({ vendor_http }: Opened): Stoppable {
  return { name: 'connections to vendors', end: vendor_http.close }
}

function databaseOf({ close }: Database): Stoppable {
  return { name: 'database', end: close }
}

/** By then, every span has ended that is going to. */
function tracesOf({ tracing }: Opened): Stoppable[] {
  return tracing ? [{ name: 'traces', end: tracing.close }] : []
}

function once<T>(stop: () => Promise<T>): () => Promise<T> {
  let stopping: Promise<T> | null = null
  return () => {
    stopping ??= stop()
    return stopping
  }
}
