// Reads the credentials of a connection when it is called, and keeps them for some seconds or until a change. After a
// rotation of the master key it rewraps them without opening them.

import type { Context } from '../context.ts'
import type { Sql } from '../database/open.ts'
import { rewrapRows } from '../database/rewrap-rows.ts'
import { routingsIn } from '../kernel/ids.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { ConnectionId } from '../kernel/values.ts'
import type { World } from '../kernel/world.ts'
import { type Credentials, credentialsName, openCredentials, type SealedCredentials } from './connection.ts'
import { credentialsUnderOtherKeys, findConnection, replaceSealedCredentials } from './connection-store.ts'

export type CredentialsParts = {
  sql: Sql
  keyring: Keyring
  world: Pick<World, 'clock' | 'log'>
  /** Calls the listener after each change of settings. Left out, only the age of the kept credentials counts. */
  whenChanged?: ((listener: () => void) => void) | undefined
}

/** The parts of an acquirer's or 3-D Secure provider's name. */
type NamedConnection = { connector: string; connection_id: ConnectionId }

/** The longest time for which a rotation goes unnoticed if its announcement is lost. */
const credentials_age_max_ms = 10_000

/** The credentials to send. Null if there is no such connection, or if they do not open. */
export function credentialsReader(
  parts: CredentialsParts,
  connection: NamedConnection,
): () => Promise<Credentials | null> {
  return keptBriefly(parts, () => readCredentials(parts, connection))
}

/** Throws if the database does not answer. */
async function readCredentials(
  { sql, keyring, world }: CredentialsParts,
  { connector, connection_id }: NamedConnection,
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

/**
 * Keeps an answer for a time. It is read again when it is old, after a change, and after a failure or null.
 * Simultaneous callers share one read.
 */
function keptBriefly<T>(
  { world, whenChanged }: Pick<CredentialsParts, 'world' | 'whenChanged'>,
  read: () => Promise<T | null>,
): () => Promise<T | null> {
  let current: { value: Promise<T | null>; asked_ms: number } | null = null
  whenChanged?.(() => {
    current = null
  })
  return () => {
    const now_ms = world.clock.now().getTime()
    const age_ms = current === null ? Number.NaN : now_ms - current.asked_ms
    if (current !== null && age_ms >= 0 && age_ms < credentials_age_max_ms) return current.value
    const entry = { value: read(), asked_ms: now_ms }
    const forget = () => {
      if (current === entry) current = null
    }
    current = entry
    entry.value.then((value) => value === null && forget(), forget)
    return entry.value
  }
}

/**
 * Returns how many connections it processed. A connection that cannot be rewrapped is logged and tried again next time.
 */
export function rewrapCredentials({
  sql,
  keyring,
  world,
}: Pick<Context, 'sql' | 'keyring' | 'world'>): Promise<number> {
  return rewrapRows({
    first: { merchant_id: '', connection_id: '' },
    page: (pageRequest) => credentialsUnderOtherKeys(sql, keyring.current_key_id, pageRequest),
    rewrap(row: SealedCredentials) {
      const anew = (sealed: Buffer) => keyring.rewrap(sealed, credentialsName(row)) ?? sealed
      const { sealed_credentials, previous_sealed_credentials: previous } = row
      return replaceSealedCredentials(sql, row, {
        sealed_credentials: anew(sealed_credentials),
        previous_sealed_credentials: previous && anew(previous),
      })
    },
    failed({ connection_id }, { message }) {
      world.log.error({ connection_id, error: message }, 'credentials not wrapped anew')
    },
  })
}
