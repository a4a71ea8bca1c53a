// The 3-D Secure providers behind connections: opened by name alone, their credentials read from the database when they are
// called.

import type { Mode } from '../kernel/values.ts'
import { connectionNamed } from '../merchants/account-connection.ts'
import type { FetchedThreeDs } from '../three-ds/three-ds.ts'
import type { Wire } from '../vendors/wire.ts'
import type { KnownConnector } from './known-connector.ts'
import { type CredentialsParts, credentialsReader } from './read-credentials.ts'

/**
 * Null for a name that is no connection's, and where its connector is not built in. That there is such a connection is seen
 * when it is called. In test mode the vendor's sandbox is called.
 */
export type ConnectedThreeDs = (mode: Mode, name: string) => FetchedThreeDs | null

export function openConnectedThreeDs(
  parts: CredentialsParts & { wire: Wire; connectors: readonly KnownConnector[] },
): ConnectedThreeDs {
  const { connectors, wire, world } = parts
  const opened = new Map<string, FetchedThreeDs>()

  return (mode, name) => {
    const key = `${mode} ${name}`
    const known = opened.get(key)
    if (known) return known
    const wanted = connectionNamed(name)
    const connector = connectors.find((each) => each.name === wanted?.connector)
    if (!wanted || !connector?.openThreeDs) return null
    const credentials = credentialsReader(parts, wanted)
    const threeDs = connector.openThreeDs({ name, mode, credentials, wire, world })
    opened.set(key, threeDs)
    return threeDs
  }
}
