// Opens all acquirers and the connections to 3-D Secure providers, for the service, a worker or a command.

import type { Acquirer } from '../acquirers/acquirer.ts'
import { acquirerFor } from '../acquirers/open.ts'
import { openSimulator } from '../acquirers/simulated-acquirer/simulator.ts'
import { openConnectedAcquirers, openConnectedThreeDs } from '../connections/connected-acquirers.ts'
import { connectors as built_in, type KnownConnector } from '../connections/connectors.ts'
import type { JudgeApiUrl } from '../connections/judge-credentials.ts'
import type { CredentialsParts } from '../connections/read-credentials.ts'
import type { Sql } from '../database/open.ts'
import { keepInstallation } from '../database/rollback-detection/installation.ts'
import { openLedger } from '../database/stores/simulator-ledger.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { Tracing } from '../kernel/tracing.ts'
import type { Mode } from '../kernel/values.ts'
import { OutgoingFailure, type VendorHttp, type World } from '../kernel/world.ts'
import type { Context } from '../payments/context.ts'
import { openWire } from '../vendor-wire/wire.ts'
import { tracedAcquirer } from './traced-ports.ts'

/** The 3-D Secure providers are only those behind connections. */
type Acquiring = Pick<
  Context,
  'acquirerOf' | 'listAcquirers' | 'sandboxNumbers' | 'threeDsOf' | 'installation' | 'vendors'
>

/** Wraps the simulated acquirer: tests drop its answers this way. */
export type SimulatorWrapper = (simulator: Acquirer) => Acquirer

/** Wrappers that proofs put around the acquirers and providers. */
export type Between = {
  wrapSimulator?: SimulatorWrapper
  wrapVendors?(http: VendorHttp): VendorHttp
}

export type AcquiringParts = {
  sql: Sql
  world: Pick<World, 'clock' | 'random' | 'log'>
  keyring: Keyring
  /** Left out, no vendor is ever called. */
  vendor_http?: Pick<VendorHttp, 'send'>
  /** Judges the `api_url` of a connection's credentials. Left out, none is accepted. */
  judge_api_url?: JudgeApiUrl
  wrapSimulator?: SimulatorWrapper
  /** Left out or null, calls have no spans. */
  tracing?: Tracing | null
  /** See CredentialsParts. */
  whenChanged?: CredentialsParts['whenChanged']
  /** Replaces the built-in connectors. */
  connectors?: readonly KnownConnector[]
}

export async function openAcquiring(parts: AcquiringParts): Promise<Acquiring> {
  const { sql, world, keyring, wrapSimulator, connectors = built_in } = parts
  const { clock, random } = world
  const ownSimulator = openSimulator(world, openLedger(sql))
  const simulator = wrapSimulator?.(ownSimulator) ?? ownSimulator
  const installation_id = random.bytes(12).toString('hex')
  const installation = await keepInstallation(sql, { installation_id, created_at: clock.now() })
  const wire = openWire(parts.vendor_http ?? noVendors)
  const { whenChanged } = parts
  const connections = { sql, world, keyring, wire, connectors, whenChanged }
  const connectedAcquirers = openConnectedAcquirers({ ...connections, installation })
  const connectedThreeDs = openConnectedThreeDs(connections)
  const withSpans = (mode: Mode, acquirer: Acquirer) => tracedAcquirer(acquirer, mode, parts.tracing)
  return {
    acquirerOf: (mode, name) =>
      withSpans(mode, acquirerFor({ mode, name }, { simulator, connected: connectedAcquirers.named })),
    async listAcquirers() {
      const all = [{ mode: 'test' as const, acquirer: simulator }, ...(await connectedAcquirers.list())]
      return all.map((each) => ({ ...each, acquirer: withSpans(each.mode, each.acquirer) }))
    },
    sandboxNumbers: (connector) => connectors.find(({ name }) => name === connector)?.sandbox_numbers ?? [],
    installation,
    vendors: { connectors, wire, judgeApiUrl: parts.judge_api_url ?? noApiUrl },
    threeDsOf: (mode, name) => (name === null ? null : connectedThreeDs(mode, name)),
  }
}

const noApiUrl: JudgeApiUrl = async () => 'is not taken here'

const noVendors: Pick<VendorHttp, 'send'> = {
  async send() {
    throw new OutgoingFailure('not_sent', false, 'no vendor is called here')
  },
}
