// A merchant's connections as its account has them: what a charge has to know, without any secret.

import type { ConnectionMode } from '../kernel/connection-mode.ts'
import { type ConnectionId, type Mode, no_acquirer } from '../kernel/values.ts'
import type { Integration } from './integration.ts'
import { completeProfileOf, type Merchant } from './merchant.ts'

export const connection_kinds = ['acquirer', 'three_ds'] as const
export type ConnectionKind = (typeof connection_kinds)[number]

export type AccountConnection = {
  connection_id: ConnectionId
  kind: ConnectionKind
  /** The vendor: `checkout`, `stripe`. */
  connector: string
  /** The merchant's own name for the connection. The acquiring profile refers to it by this name. */
  label: string
  mode: ConnectionMode
  /** A disabled connection takes no new charges. Its earlier charges are still looked up, captured and voided there. */
  state: 'active' | 'disabled'
}

/** The name of the acquirer behind a connection, as payments keep it. */
export function acquirerName({ connector, connection_id }: { connector: string; connection_id: string }): string {
  return `${connector}:${connection_id}`
}

/** A 3-D Secure provider is named in the same way. */
export const threeDsName = acquirerName

/** The name of a 3-D Secure provider that there is not. */
const no_provider = 'none'

/** The connector and connection in such a name; null for the simulator and for any other text. */
export function connectionNamed(acquirer: string): { connector: string; connection_id: ConnectionId } | null {
  const [, connector, connection_id] = /^([a-z0-9-]+):(conn_[0-9a-f]{24})$/.exec(acquirer) ?? []
  return connector === undefined ? null : { connector, connection_id: connection_id as ConnectionId }
}

type Connected = { connections: readonly AccountConnection[] }

/** The connection with this label, if new live payments may go to it; else null. */
export function usableConnection(
  { connections }: Connected,
  kind: ConnectionKind,
  label: string | undefined,
): AccountConnection | null {
  const connection = connections.find((each) => each.kind === kind && each.label === label)
  return connection?.state === 'active' && connection.mode === 'live' ? connection : null
}

/** The acquirer that may get a charge after a soft decline at the first one; null if the profile names none to use. */
export function fallbackAcquirer(
  account: Connected & { merchant: Pick<Merchant, 'acquiring_profile'> },
  mode: Mode,
): string | null {
  if (mode === 'test') return null
  const label = completeProfileOf(account.merchant)?.fallback_acquirer
  const connection = usableConnection(account, 'acquirer', label)
  return connection && acquirerName(connection)
}

type TestRules = Pick<Integration, 'test_connections'>

/**
 * The connection of this kind that an integration's test sessions use. Null if it names none, so that they use the simulator.
 * `unusable` if it names one that new payments cannot go to.
 */
export function testConnection(
  { connections }: Connected,
  kind: ConnectionKind,
  { test_connections }: TestRules,
): AccountConnection | 'unusable' | null {
  const candidates = connections.filter(({ label }) => test_connections.includes(label))
  const connection = candidates.find((each) => each.kind === kind)
  // A connection of an unknown label may be of this kind.
  if (!connection) return candidates.length < test_connections.length ? 'unusable' : null
  return testConnectionFault(connection) === null ? connection : 'unusable'
}

/** Why an integration's test sessions cannot use a connection; null if they can. */
export function testConnectionFault(connection: Pick<AccountConnection, 'mode' | 'state'> | undefined): string | null {
  if (!connection) return 'which is missing'
  if (connection.mode !== 'sandbox') return `which is of mode ${connection.mode}, not sandbox`
  return connection.state === 'disabled' ? 'which is disabled' : null
}

/** The acquirer for a new payment; null for the simulator, and for live mode without a usable connection. */
export function acquirerForNew(
  account: Connected & { merchant: Pick<Merchant, 'acquiring_profile'> },
  { mode, rules }: { mode: Mode; rules: TestRules },
): string | null {
  if (mode === 'test') {
    const sandboxConnection = testConnection(account, 'acquirer', rules)
    return sandboxConnection === 'unusable' ? no_acquirer : sandboxConnection && acquirerName(sandboxConnection)
  }
  const label = completeProfileOf(account.merchant)?.acquirer
  const connection = usableConnection(account, 'acquirer', label)
  return connection && acquirerName(connection)
}

/**
 * The 3-D Secure provider for a new authentication: a connection's name, or one that no provider has if the integration's test
 * connection cannot be used. Null if the mode's own provider is to be asked.
 */
export function threeDsForNew(
  account: Connected & { merchant: Pick<Merchant, 'acquiring_profile'> },
  { mode, rules }: { mode: Mode; rules: TestRules },
): string | null {
  if (mode === 'test') {
    const sandboxConnection = testConnection(account, 'three_ds', rules)
    return sandboxConnection === 'unusable' ? no_provider : sandboxConnection && threeDsName(sandboxConnection)
  }
  const label = completeProfileOf(account.merchant)?.three_ds
  const connection = usableConnection(account, 'three_ds', label)
  return connection && threeDsName(connection)
}
