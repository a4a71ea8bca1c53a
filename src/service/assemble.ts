// Puts the service together from a world, a database and a configuration. main.ts and the tests differ only in those.

import type { FastifyInstance } from 'fastify'
import { couldBeCard } from '../cards/card-data.ts'
import { results_path } from '../checkout/authentication/receive-result.ts'
import type { Context } from '../checkout/context.ts'
import { receiveNotices } from '../checkout/notices/receive-notices.ts'
import { isClientSecret } from '../checkout/sessions/client-secret.ts'
import { openSessionInserts } from '../checkout/sessions/insert-sessions.ts'
import { openIntegrationOfSession } from '../checkout/sessions/session-integration.ts'
import { adviseOn } from '../compatible/advice.ts'
import type { ThreeDsFile } from '../config/config.ts'
import { connectors } from '../connections/connectors.ts'
import type { Addresses } from '../context.ts'
import type { Database } from '../database/open.ts'
import { openCardRangeStore } from '../database/stores/card-range-store.ts'
import type { Access } from '../http/access.ts'
import { openMetrics } from '../http/metrics.ts'
import { type OwnCalls, openOwnCalls } from '../http/own-calls.ts'
import type { Page } from '../http/pages.ts'
import { openRequestLog } from '../http/request-log.ts'
import { openServer } from '../http/server.ts'
import { openBells } from '../kernel/bell.ts'
import { openIds } from '../kernel/ids.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { SessionId } from '../kernel/values.ts'
import { languageFor } from '../kernel/words.ts'
import type { World } from '../kernel/world.ts'
import { type Directory, openDirectory } from '../merchants/directory.ts'
import { type Assets, assetPages, keepForLater, readAssets } from '../pages/assets.ts'
import { cardFieldsPage } from '../pages/card-fields.ts'
import { type DemoShop, demoShopPages } from '../pages/demo-shop.ts'
import { hostedSessionPage } from '../pages/hosted-session.ts'
import { messagePage } from '../pages/message-page.ts'
import { payPage } from '../pages/pay.ts'
import { pages, routes, streams } from '../routes.ts'
import { openThreeDs, simulator_prefix } from '../three-ds/open.ts'
import { openThreeDsSimulator, simulator_places } from '../three-ds/simulator/simulator.ts'
import { type AcquiringParts, openAcquiring } from './acquiring.ts'
import { connectionsThatFit, readOpenFilesMax } from './descriptors.ts'
import { operationalPages } from './operational.ts'
import { openSimulatorSwitch, type SimulatorSwitch } from './simulator-switch.ts'

export type ServiceOptions = Omit<AcquiringParts, 'sql'> & {
  world: World
  database: Pick<Database, 'sql' | 'listen'>
  keyring: Keyring
  three_ds: ThreeDsFile | null
  /** Whether the simulated bank runs; null where it is to run until there is a live merchant. */
  simulator: 'on' | 'off' | null
  addresses: Addresses
  gateway_limit: number
  /** Connections that callers may hold at once, where the machine allows so many. By default, as many as it allows. */
  connection_limit?: number
  trusted_proxies: string[]
  /** See Context. Left out, there are none. */
  receipt_modes?: Context['receipt_modes']
  /** Judges the addresses of webhook endpoints. */
  webhook_urls: Context['webhook_urls']
  wakeDeliveries: Context['wakeDeliveries']
  /** The path below which hosted pages are found. */
  pay_path: string
  /** Says why the process's clock is wrong, and `/readyz` is 503 then. By default the clock is right. */
  clock_fault?: () => string | null
  /** Whether the process's clock is so wrong that no request may change anything. */
  isClockFarOff?: () => boolean
  /** The demo shop's server, once the demo merchant is there. */
  demo_shop(): DemoShop | null
}

export type Service = {
  app: FastifyInstance
  context: Context
  /** Answers 503 on `/readyz` for this long and serves everything else, so that proxies turn elsewhere. */
  drain(duration_ms: number): Promise<void>
  /** Answers what is in flight, then stops. */
  close(): Promise<void>
}

export async function assemble(parts: ServiceOptions): Promise<Service> {
  const { world, database, keyring, clock_fault } = parts
  const { sql } = database
  const simulator = openSimulatorSwitch({ asked: parts.simulator, sql, world })
  await simulator.look()
  const changed = () => void simulator.look()
  const directory = await openDirectory({ database, clock: world.clock, keyring, changed })
  const ownCalls = openOwnCalls(keyring)
  const simulatedBank = openSimulatedBank(parts, ownCalls)
  const context = await contextOf(parts, { directory, simulator, own_calls: ownCalls })
  const assets = readAssets()
  await keepForLater(context, assets)
  const closing = { now: false }
  const app = await openServer({
    ...context,
    context,
    access: accessOf(context, directory),
    routes,
    streams,
    pages: [
      ...pages,
      receiveNotices(parts.connectors ?? connectors),
      ...shopperPages(assets, parts),
      ...operationalPages(closing, clock_fault),
    ],
    missingPage: (languages) =>
      messagePage({ status: 404, language: languageFor(null, languages), words: 'not_found' }),
    advise: adviseOn,
    couldBeCard,
    peers: [
      {
        prefix: simulator_prefix,
        places: simulator_places,
        isOpen: simulator.isOn,
        handle: simulatedBank.handle,
      },
    ],
    own_calls: ownCalls,
    gateway_limit: parts.gateway_limit,
    connections_max: connectionsMax(parts),
    trusted_proxies: parts.trusted_proxies,
    isClockFarOff: parts.isClockFarOff,
  })
  const drain = async (duration_ms: number) => {
    closing.now = true
    await world.clock.sleep(duration_ms)
  }
  const close = async () => {
    closing.now = true
    await app.close()
    simulatedBank.close()
    await directory.close()
  }
  return { app, context, drain, close }
}

type ContextOptions = { directory: Directory; simulator: SimulatorSwitch; own_calls: OwnCalls }

async function contextOf(
  parts: ServiceOptions,
  { directory, simulator, own_calls }: ContextOptions,
): Promise<Context> {
  const { world, keyring, addresses } = parts
  const { sql } = parts.database
  const events = openBells()
  const acquiring = await openAcquiring({ ...parts, sql })
  const ownServers = openThreeDs({
    world,
    addresses,
    file: parts.three_ds,
    simulator: { isOn: simulator.isOn, headers: own_calls.headers },
    ranges: openCardRangeStore(sql),
  })
  return {
    world,
    sql,
    keyring,
    directory,
    addresses,
    receipt_modes: parts.receipt_modes ?? [],
    counts_test_sessions: parts.gateway_limit > 0,
    webhook_urls: parts.webhook_urls,
    wakeDeliveries(what, merchant_id) {
      parts.wakeDeliveries(what, merchant_id)
      if (what === 'event') events.ring(merchant_id)
    },
    hearEvents: events.hear,
    requests: openRequestLog(),
    insertSession: openSessionInserts(sql),
    integrationOfSession: openIntegrationOfSession(sql, directory.merchantIdOfSession),
    ids: openIds(world.random, keyring),
    metrics: openMetrics(),
    ...acquiring,
    three_ds: ownServers,
    threeDsOf: (mode, name) => (name === null ? ownServers[mode] : acquiring.threeDsOf(mode, name)),
  }
}

function openSimulatedBank({ world, addresses, keyring }: ServiceOptions, ownCalls: OwnCalls) {
  return openThreeDsSimulator({
    world,
    base_url: () => addresses.internal_url() + simulator_prefix,
    public_url: () => addresses.base_url() + simulator_prefix,
    results_url: () => addresses.internal_url() + results_path,
    pages_url: () => `${addresses.base_url()}/3ds/`,
    headers: ownCalls.headers,
    signing_key: keyring.mac('simulated bank'),
  })
}

function shopperPages(assets: Assets, { pay_path, demo_shop }: ServiceOptions): Page<Context>[] {
  return [
    ...assetPages(assets),
    cardFieldsPage(assets),
    payPage(assets, pay_path),
    hostedSessionPage(pay_path),
    ...demoShopPages(assets, demo_shop),
  ]
}

function connectionsMax({ connection_limit, world }: ServiceOptions): number {
  const open_files_max = readOpenFilesMax()
  const connections_max = connectionsThatFit(connection_limit ?? Infinity, open_files_max)
  if (connection_limit !== undefined && connections_max < connection_limit) {
    const fields = { connection_limit, connections_max, open_files_max }
    world.log.warn(fields, 'fewer connections than asked for: raise the number of open files')
  }
  return connections_max
}

function accessOf({ keyring, world }: Context, directory: Directory): Access {
  return {
    findSecretKey: directory.secretKey,
    async findSession(session_id, client_secret) {
      if (!isClientSecret(keyring, session_id, client_secret)) return null
      const merchant_id = await directory.merchantIdOfSession(session_id)
      return merchant_id && { merchant_id, session_id: session_id as SessionId }
    },
    now: () => world.clock.now(),
  }
}
