// Builds the service from the configuration, starts it, and stops it in order.

import { accessSync, constants } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Context } from './checkout/context.ts'
import { receiptModes } from './checkout/receipts/mailer.ts'
import { type Config, ConfigError } from './config/config.ts'
import { checkDataFolder, makeDataFolder } from './config/data-folder.ts'
import { keepMasterKey, readMasterKey } from './config/master-key.ts'
import { type ClockWatch, startClockWatch } from './database/clock/clock-watch.ts'
import { recordClockOffset } from './database/clock/service-clock.ts'
import { isMade } from './database/embedded/home.ts'
import { migrate, refuseUnlessMigrated } from './database/migrate.ts'
import { type Database, openDatabase } from './database/open.ts'
import { checkSealingKeys } from './database/stores/sealing-keys.ts'
import { openMetrics } from './http/metrics.ts'
import { type Keyring, openKeyring } from './kernel/keyring.ts'
import type { Clock, VendorHttp, World } from './kernel/world.ts'
import { liveMerchantExists } from './merchants/store.ts'
import { openEndpointUrlJudge } from './outgoing/judge-endpoint-url.ts'
import { type LogTo, openWorld, steadyClock } from './outgoing/real-world.ts'
import { openVendorHttp } from './outgoing/vendor-http.ts'
import type { SimulatorWrapper } from './service/acquiring.ts'
import { assemble, type Service } from './service/assemble.ts'
import { startBackground } from './service/background.ts'
import { type Demo, demoShopOf, keepDemo } from './service/demo.ts'
import { type Stoppable, stopInOrder } from './service/stop.ts'

export type ServiceResources = { world: World; database: Database; keyring: Keyring }

type Opened = ServiceResources & { vendor_http: VendorHttp }

export type RunningService = {
  base_url: string
  database: string
  demo: Demo | null
  /**
   * Turns readiness off for a while so that proxies turn elsewhere, ends what is in flight, then everything else. A
   * second call waits for the first. False where something did not end in time: the process must end all the same.
   */
  stop(): Promise<boolean>
}

/** Opens the database, of which it makes what is missing: what a service and a worker begin with. */
export async function open(config: Config): Promise<Opened> {
  const mended = config.database_url === null ? keepFolder(config.data_dir) : []
  return openWith(config, 'stdout', {
    prepare({ sql }, { log, clock }) {
      for (const words of mended) log.warn({}, words)
      return migrate({ sql, log, clock })
    },
    masterKeys: ({ random }) => keepMasterKey(config.data_dir, random),
  })
}

/**
 * Opens an existing database for a command. Where there is none, or one of another release, it refuses: a command in
 * the wrong folder must not create an empty database, and a command of a new release must not begin the upgrade.
 */
export async function openExisting(config: Config): Promise<Opened> {
  const { data_dir } = config
  if (config.database_url === null && !isMade(data_dir)) {
    throw new ConfigError(
      'RIPPER_DATA_DIR',
      `must name the folder of the service: there is no database in ${resolve(data_dir)}. A first start, or ripper ` +
        'migrate, makes one.',
    )
  }
  return openWith(config, 'stderr', {
    prepare: ({ sql }) => refuseUnlessMigrated(sql),
    masterKeys() {
      const kept = readMasterKey(data_dir)
      if (kept) return kept
      throw new Error(`There is no master key in ${resolve(data_dir)}: put master.key back there.`)
    },
  })
}

async function openWith(
  config: Config,
  log_to: LogTo,
  how: {
    prepare(database: Database, world: World): Promise<unknown>
    /** For a configuration without a master key. */
    masterKeys(world: World): Buffer[]
  },
): Promise<Opened> {
  const world = openWorld(config, log_to)
  const database = await openDatabase({
    url: config.database_url,
    data_dir: config.data_dir,
    connections_max: config.database_connections,
    log: world.log,
    clock: world.clock,
  })
  try {
    await how.prepare(database, world)
    await refuseShiftedClock(config, database)
    const master_keys = config.master_keys ?? how.masterKeys(world)
    const keyring = openKeyring(master_keys, world.random)
    await checkSealingKeys(database.sql, keyring, world.clock.now())
    const { connection_allowed_networks: allowed_networks } = config
    const vendorHttp = openVendorHttp({ clock: world.clock, allowed_networks })
    return { world, database, keyring, vendor_http: vendorHttp }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Starts API, pages and worker. `demo` creates the demo merchant on a database that is not the embedded one. */
export async function serve(
  config: Config,
  options: { demo: boolean },
  wrapSimulator?: SimulatorWrapper,
): Promise<RunningService> {
  if (options.demo) keepFolder(config.data_dir)
  const opened = await open(config)
  const { world, database } = opened
  const watch = await watchClock(config, opened)
  let internal = ''
  const base = () => config.base_url ?? internal
  const pay = () => config.pay_url ?? `${base()}/pay`
  let service: Service | null = null
  // Events wait in the database until they are delivered.
  let wakeDeliveries: Context['wakeDeliveries'] = () => {}
  let demo: Demo | null = null
  try {
    service = await assemble({
      ...opened,
      wrapSimulator,
      three_ds: config.three_ds,
      simulator: config.simulator,
      gateway_limit: config.gateway_limit,
      connection_limit: config.connection_limit,
      trusted_proxies: config.trusted_proxies,
      addresses: {
        base_url: base,
        pay_url: pay,
        internal_url: () => internal,
      },
      receipt_modes: receiptModes(config.mail),
      webhook_urls: webhookUrls(config, world.clock),
      wakeDeliveries: (...told) => wakeDeliveries(...told),
      pay_path: config.pay_url ? new URL(config.pay_url).pathname.replace(/\/$/, '') : '/pay',
      clock_fault: watch.fault,
      isClockFarOff: watch.isFarOff,
      demo_shop: () => demo && demoShopOf(demo),
    })
    const { app, context, drain, close } = service
    context.metrics.watchClockSkew(watch.skewSeconds)
    await listen(app, config)
    await recordClockOffset(database.sql, config.clock_offset_seconds)
    internal = internalAddress(config.host, (app.server.address() as AddressInfo).port)
    const wants_demo = database.kind === 'embedded' || options.demo
    const operator = { sql: database.sql, ids: context.ids, clock: world.clock }
    if (wants_demo) {
      const { data_dir } = config
      demo = await keepDemo(operator, { data_dir, base_url: base(), pay_url: pay() })
    }
    const { metrics } = context
    const parts = { ...opened, metrics, trust: watch, wrapSimulator }
    const background = await startBackground(config, parts)
    wakeDeliveries = background.wake
    const { drain_seconds: seconds } = config
    const stop = once(() =>
      stopInOrder(world, {
        drain: { seconds, over: () => drain(seconds * 1000) },
        // By then, everything that a request leaves to be delivered is in the database.
        steps: [
          [{ name: 'requests', end: close }, backgroundOf(background)],
          [clockOf(watch), vendorsOf(opened), databaseOf(database)],
        ],
      }),
    )
    return { base_url: base(), database: database.description, demo, stop }
  } catch (error) {
    await service?.close()
    await watch.stop()
    await opened.vendor_http.close()
    await database.close()
    throw error
  }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => '' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new ConfigError('RIPPER_PORT', `must be a free port: ${port} is in use.`)
    if (code === 'EACCES')
      throw new ConfigError('RIPPER_PORT', 'must be a port that this user may listen on.')
    if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') {
      throw new ConfigError('RIPPER_HOST', 'must be an address of this machine.')
    }
    throw error
  }
}

/** Returns what was wrong with the folder and has been mended. */
function keepFolder(data_dir: string): string[] {
  try {
    makeDataFolder(data_dir)
    accessSync(data_dir, constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(
      'RIPPER_DATA_DIR',
      `must be a folder that can be made and written to (${code}).`,
    )
  }
  const { mended, fault } = checkDataFolder(data_dir)
  if (fault !== null) throw new ConfigError('RIPPER_DATA_DIR', fault)
  return mended
}

function webhookUrls({ webhooks }: Config, clock: Clock) {
  const judge = openEndpointUrlJudge({ clock, allowed_networks: webhooks.allowed_networks })
  return { judge: async (url: string) => (await judge(url))?.reason ?? null }
}

/** Starts the background jobs and the delivery of webhooks alone. */
export async function work(
  config: Config,
  wrapSimulator?: SimulatorWrapper,
): Promise<Pick<RunningService, 'database' | 'stop'>> {
  const opened = await open(config)
  const { world, database } = opened
  const watch = await watchClock(config, opened)
  const parts = { ...opened, metrics: openMetrics(), trust: watch, wrapSimulator }
  const background = await startBackground(config, parts)
  // No proxy sends requests to it.
  const drain = { seconds: 0, over: async () => {} }
  const steps = [
    [backgroundOf(background)],
    [clockOf(watch), vendorsOf(opened), databaseOf(database)],
  ]
  const stop = once(() => stopInOrder(world, { drain, steps }))
  return { database: database.description, stop }
}

function watchClock(config: Config, { world, database }: ServiceResources): Promise<ClockWatch> {
  const { clock_offset_seconds: offset_seconds } = config
  return startClockWatch({ sql: database.sql, world, steady: steadyClock, offset_seconds })
}

/** A shifted clock is for looking ahead in test mode; it must never touch deadlines of real money. */
async function refuseShiftedClock(config: Config, database: Database): Promise<void> {
  if (config.clock_offset_seconds === 0 || !(await liveMerchantExists(database.sql))) return
  throw new Error(
    'RIPPER_CLOCK_OFFSET_SECONDS must be 0 or unset: this database has a live merchant.',
  )
}

function internalAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function backgroundOf({ stop }: { stop(): Promise<void> }): Stoppable {
  return { name: 'deliveries and jobs', end: stop }
}

function clockOf({ stop }: ClockWatch): Stoppable {
  return { name: 'watch on the clock', end: stop }
}

function vendorsOf({ vendor_http }: Opened): Stoppable {
  return { name: 'connections to vendors', end: vendor_http.close }
}

function databaseOf({ close }: Database): Stoppable {
  return { name: 'database', end: close }
}

function once<T>(stop: () => Promise<T>): () => Promise<T> {
  let stopping: Promise<T> | null = null
  return () => {
    stopping ??= stop()
    return stopping
  }
}
