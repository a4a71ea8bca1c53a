// Asks the vendors of active connections, all at once, whether they take the credentials.

import { listSweeps } from '../../checkout/orphans/orphan-store.ts'
import type { Config } from '../../config/config.ts'
import { checkConnection, isBuiltIn } from '../../connections/check-connection.ts'
import { type ConnectionRow, openCredentials } from '../../connections/connection.ts'
import { connectors } from '../../connections/connectors.ts'
import { environmentDoubt } from '../../connections/environment.ts'
import type { Sql } from '../../database/open.ts'
import type { Keyring } from '../../kernel/keyring.ts'
import { acquirerName } from '../../merchants/account-connection.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { openVendorHttp } from '../../outgoing/vendor-http.ts'
import { openWire } from '../../vendors/wire.ts'
import type { ConnectionFacts } from './connections.ts'
import { listSealedConnections } from './doctor-store.ts'
import { keyringOf } from './read-database.ts'

/** Less than all of it may take, so that a vendor's silence is told as that. */
const check_ms = 2_000

export async function readConnections(config: Config, sql: Sql): Promise<ConnectionFacts> {
  const rows = await listSealedConnections(sql)
  const active = rows.filter(({ state }) => state === 'active')
  const { keyring } = keyringOf(config)
  const clock = realClock()
  const http = openVendorHttp({ clock, allowed_networks: config.connection_allowed_networks })
  const wire = openWire(http)
  try {
    const asked = active.filter((row) => keyring !== null && isBuiltIn(row, connectors))
    const checked = asked.map(async (row) => {
      const parts = { keyring: keyring!, wire, clock, connectors }
      const answer = await checkConnection(parts, row, check_ms)
      const { connection_id, label } = row
      return { connection_id, label, reason: answer.result === 'fails' ? answer.reason : null }
    })
    return {
      disabled: rows.length - active.length,
      unsearched: await unsearchedAmong(sql, rows, clock.now()),
      checked: await Promise.all(checked),
      doubtful: keyring === null ? [] : active.flatMap((row) => doubtOf(row, keyring)),
      not_built_in: active.filter((row) => !isBuiltIn(row, connectors)),
    }
  } finally {
    await http.close()
  }
}

/** Credentials that do not open are another check's matter. */
function doubtOf(row: ConnectionRow, keyring: Keyring): ConnectionFacts['doubtful'] {
  const connector = connectors.find(({ name }) => name === row.connector)
  if (!connector) return []
  try {
    const credentials = openCredentials(keyring, row, row.sealed_credentials)
    const doubt = environmentDoubt(connector, credentials, row.mode)
    const { connection_id, label } = row
    return doubt === null ? [] : [{ connection_id, label, doubt }]
  } catch {
    return []
  }
}

/** The search comes every five minutes. */
const searched_within_ms = 2 * 3_600_000

/** One that was never searched has charged nothing. */
async function unsearchedAmong(sql: Sql, rows: ConnectionRow[], now: Date): Promise<ConnectionFacts['unsearched']> {
  const sweeps = new Map((await listSweeps(sql, null)).map(({ acquirer, swept_until }) => [acquirer, swept_until]))
  return rows.flatMap((row) => {
    const since = sweeps.get(acquirerName(row))
    if (row.state === 'active' || !since) return []
    const { connection_id, label } = row
    return now.getTime() - since.getTime() > searched_within_ms ? [{ connection_id, label, since }] : []
  })
}
