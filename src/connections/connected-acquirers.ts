// The acquirers and 3-D Secure providers behind connections: opened by name alone, their credentials read from the database when they are called.

import type { Acquirer } from '../acquirers/acquirer.ts'
import { modeOfPayments } from '../kernel/connection-mode.ts'
import type { Mode } from '../kernel/values.ts'
import { acquirerName, connectionNamed } from '../merchants/account-connection.ts'
import type { FetchedThreeDs } from '../three-ds/three-ds.ts'
import type { Wire } from '../vendor-wire/wire.ts'
import { listConnections } from './connection-store.ts'
import type { KnownConnector } from './connectors.ts'
import { type CredentialsParts, credentialsReader } from './read-credentials.ts'

export type ConnectedAcquirers = {
  /**
   * Null if the name is no connection's, or if its connector is not built in. Whether the connection exists shows when
   * it is called.
   */
  named(name: string): Acquirer | null
  /** The acquirers of all merchants, also those of disabled connections, with the mode of their payments. */
  list(): Promise<{ mode: Mode; acquirer: Acquirer; is_disabled: boolean }[]>
}

type Parts = CredentialsParts & {
  wire: Wire
  /** Our mark at acquirers. */
  installation: string
  connectors: readonly KnownConnector[]
}

export function openConnectedAcquirers(parts: Parts): ConnectedAcquirers {
  const { sql, connectors, wire, installation } = parts
  const { clock } = parts.world
  const acquirers = new Map<string, Acquirer>()

  function named(name: string): Acquirer | null {
    const openAcquirer = acquirers.get(name)
    if (openAcquirer) return openAcquirer
    const connection = connectionNamed(name)
    const connector = connectors.find((each) => each.name === connection?.connector)
    if (!connection || !connector?.open) return null
    const credentials = credentialsReader(parts, connection)
    const acquirer = connector.open({ name, installation, credentials, wire, clock })
    acquirers.set(name, acquirer)
    return acquirer
  }

  return {
    named,
    async list() {
      const all = await listConnections(sql, null)
      return all.flatMap((connection) => {
        const acquirer = connection.kind === 'acquirer' && named(acquirerName(connection))
        const is_disabled = connection.state === 'disabled'
        return acquirer ? [{ mode: modeOfPayments[connection.mode], acquirer, is_disabled }] : []
      })
    },
  }
}

/**
 * Null if the name is no connection's, or if its connector is not built in. Whether the connection exists shows when it
 * is called. In test mode the vendor's sandbox is called.
 */
type ConnectedThreeDs = (mode: Mode, name: string) => FetchedThreeDs | null

/**
 * The 3-D Secure providers behind connections: opened by name alone, their credentials read from the database when
 * they are called.
 */
export function openConnectedThreeDs(
  parts: CredentialsParts & { wire: Wire; connectors: readonly KnownConnector[] },
): ConnectedThreeDs {
  const { connectors, wire, world } = parts
  const providers = new Map<string, FetchedThreeDs>()

  return (mode, name) => {
    const key = `${mode} ${name}`
    const openProvider = providers.get(key)
    if (openProvider) return openProvider
    const connection = connectionNamed(name)
    const connector = connectors.find((each) => each.name === connection?.connector)
    if (!connection || !connector?.openThreeDs) return null
    const credentials = credentialsReader(parts, connection)
    const threeDs = connector.openThreeDs({ name, mode, credentials, wire, world })
    providers.set(key, threeDs)
    return threeDs
  }
}
