// The acquirers behind connections: opened by name alone, their credentials read from the database when they are called.

import type { Acquirer } from '../acquirers/acquirer.ts'
import type { Sql } from '../database/open.ts'
import { routingsIn } from '../kernel/ids.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { Mode } from '../kernel/values.ts'
import type { Clock, World } from '../kernel/world.ts'
import {
  acquirerName,
  type ConnectionMode,
  connectionNamed,
} from '../merchants/account-connection.ts'
import type { Wire } from '../vendors/wire.ts'
import { type Credentials, openCredentials } from './connection.ts'
import { findConnection, listConnections } from './connection-store.ts'
import type { KnownConnector } from './connector.ts'

export type ConnectedAcquirers = {
  /**
   * Null for a name that is no connection's, and where its connector is not built in. That there is such a connection is
   * seen when it is called.
   */
  named(name: string): Acquirer | null
  /** Of all merchants, those of disabled connections too, with the mode of their payments. */
  list(): Promise<{ mode: Mode; acquirer: Acquirer }[]>
}

type Parts = {
  sql: Sql
  keyring: Keyring
  world: Pick<World, 'clock' | 'log'>
  wire: Wire
  /** Our mark at acquirers. */
  installation: string
  connectors: readonly KnownConnector[]
}

/** A rotation takes so long at most to be heard of. */
const credentials_age_max_ms = 10_000

export function openConnectedAcquirers(parts: Parts): ConnectedAcquirers {
  const { sql, connectors, wire, installation } = parts
  const { clock } = parts.world
  const opened = new Map<string, Acquirer>()

  function named(name: string): Acquirer | null {
    const known = opened.get(name)
    if (known) return known
    const wanted = connectionNamed(name)
    const connector = connectors.find((each) => each.name === wanted?.connector)
    if (!wanted || !connector?.open) return null
    const credentials = keptBriefly(clock, () => readCredentials(parts, wanted))
    const acquirer = connector.open({ name, installation, credentials, wire, clock })
    opened.set(name, acquirer)
    return acquirer
  }

  return {
    named,
    async list() {
      const all = await listConnections(sql, null)
      return all.flatMap((connection) => {
        const acquirer = connection.kind === 'acquirer' && named(acquirerName(connection))
        return acquirer ? [{ mode: modeOfPayments[connection.mode], acquirer }] : []
      })
    },
  }
}

const modeOfPayments: Record<ConnectionMode, Mode> = { live: 'live', sandbox: 'test' }

/** Those that are sent. Throws where the database does not answer. */
async function readCredentials(
  { sql, keyring, world }: Parts,
  { connector, connection_id }: NonNullable<ReturnType<typeof connectionNamed>>,
): Promise<Credentials | null> {
  const row = await findConnection(sql, connection_id, routingsIn(connection_id, keyring))
  if (row?.connector !== connector) return null
  try {
    return openCredentials(keyring, row, row.sealed_credentials)
  } catch (error) {
    const fields = { connection_id, error: (error as Error).message }
    world.log.error(fields, 'credentials of the connection do not open')
    return null
  }
}

/** Reads anew once the answer is old, and after a failure or none; once for all who ask meanwhile. */
function keptBriefly<T>(clock: Clock, read: () => Promise<T | null>): () => Promise<T | null> {
  let kept: { value: Promise<T | null>; asked_ms: number } | null = null
  return () => {
    const now_ms = clock.now().getTime()
    const age_ms = kept === null ? Number.NaN : now_ms - kept.asked_ms
    if (kept !== null && age_ms >= 0 && age_ms < credentials_age_max_ms) return kept.value
    const asked = { value: read(), asked_ms: now_ms }
    const forget = () => {
      if (kept === asked) kept = null
    }
    kept = asked
    asked.value.then((found) => found === null && forget(), forget)
    return asked.value
  }
}
