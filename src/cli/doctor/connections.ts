// The check of connections: whether the vendors take the credentials that are sealed for them.

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
import { listSweeps } from '../../payments/orphans/orphan-store.ts'
import { openWire } from '../../vendor-wire/wire.ts'
import { keyringOf } from './database.ts'
import { listSealedConnections } from './doctor-store.ts'
import { type Check, counted, named, ok, problem, warning } from './finding.ts'

export type ConnectionFacts = {
  disabled: number
  /** Disabled ones that the search for orphans has not reached for hours. */
  unsearched: { connection_id: string; label: string; since: Date }[]
  /** Active ones. `reason` says why the vendor does not take its credentials; null where it does. */
  checked: { connection_id: string; label: string; reason: string | null }[]
  /** Active ones whose key looks like one of the vendor's other environment, and is led to another address. */
  doubtful: { connection_id: string; label: string; doubt: string }[]
  /** Active ones of vendors that this release cannot talk to. */
  not_built_in: { connection_id: string; connector: string }[]
}

export const connectionChecks: Check<ConnectionFacts>[] = [
  {
    name: 'Connections',
    judge({ disabled, unsearched, checked, doubtful, not_built_in }) {
      const failing = checked.filter(({ reason }) => reason !== null)
      if (failing.length > 0) {
        const words = failing.map((each) => `${each.connection_id} (${each.label}): ${each.reason}`)
        return problem(
          `checks fail: ${named(words)}`,
          'ripper connection check tells more; ripper connection rotate puts other credentials in place, and disable ends one.',
        )
      }
      if (not_built_in.length > 0) {
        const words = not_built_in.map((each) => `${each.connection_id} (${each.connector})`)
        return problem(
          `this release cannot talk to the vendors of ${named(words)}`,
          'Payments do not go there: name another connection in the acquiring profile, or disable it.',
        )
      }
      if (doubtful.length > 0) {
        const words = doubtful.map((each) => `${each.connection_id} (${each.label}): ${each.doubt}`)
        return warning(
          `taken because of their api_url: ${named(words)}`,
          'If api_url leads to the vendor, ripper connection rotate puts a key of the right environment in place.',
        )
      }
      if (unsearched.length > 0) {
        const words = unsearched.map(
          ({ connection_id, label, since }) =>
            `${connection_id} (${label}), since ${since.toISOString().slice(0, 16)}Z`,
        )
        return warning(
          `disabled connections do not answer: ${named(words)}`,
          'What was charged there cannot be looked up, captured or refunded: ripper connection rotate puts a key in place that works.',
        )
      }
      if (checked.length + disabled === 0) return ok('there is none')
      return ok(`${counted(checked.length, 'active one')} checked, ${disabled} disabled`)
    },
  },
]

/** Less than all of it may take, so that a vendor's silence is told as that. */
const check_ms = 2_000

/** Asks the vendors of active connections, all at once, whether they take the credentials. */
export async function readConnections(config: Config, sql: Sql): Promise<ConnectionFacts> {
  const rows = await listSealedConnections(sql)
  const active = rows.filter(({ state }) => state === 'active')
  const { keyring } = keyringOf(config)
  const clock = realClock()
  const http = openVendorHttp({ clock, allowed_networks: config.connection_allowed_networks })
  const wire = openWire(http)
  try {
    const checkable = active.filter((row) => keyring !== null && isBuiltIn(row, connectors))
    const checked = checkable.map(async (row) => {
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
