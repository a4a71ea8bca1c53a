// How an operator makes, rotates and disables connections. Each change is announced to every process.

import { isUniqueViolation } from '../database/failures.ts'
import { Refusal } from '../kernel/errors.ts'
import { routingsIn } from '../kernel/ids.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { ConnectionId } from '../kernel/values.ts'
import type { AccountConnection } from '../merchants/account-connection.ts'
import { accountLine, openLine } from '../merchants/account-lines.ts'
import { type ManageContext, merchantOrRefuse } from '../merchants/manage.ts'
import { notifyOfChange } from '../merchants/store.ts'
import { beginAs } from '../merchants/write-as.ts'
import { type Connection, type Credentials, rotation_overlap_ms, sealCredentials } from './connection.ts'
import { disableConnectionRow, findConnection, insertConnection, replaceCredentials } from './connection-store.ts'

export type ConnectionOffice = ManageContext & { keyring: Keyring }

/** `credentials` were judged before. Throws `resource_not_found`, or `invalid_request` if the label is taken. */
export async function createConnection(
  context: ConnectionOffice,
  given_merchant_id: string,
  request: Pick<AccountConnection, 'kind' | 'connector' | 'label' | 'mode'> & {
    credentials: Credentials
  },
): Promise<Connection> {
  const { sql, ids, clock, keyring } = context
  const { credentials, kind, connector, label, mode } = request
  const { merchant_id, routing } = await merchantOrRefuse(sql, given_merchant_id)
  const at = clock.now()
  const connection: Connection = {
    merchant_id,
    connection_id: ids.connection(routing, at),
    kind,
    connector,
    label,
    mode,
    state: 'active',
    created_at: at,
    rotated_at: null,
    disabled_at: null,
  }
  const { connection_id: subject } = connection
  const fields = { change: 'connection.created', detail: { kind, connector, label, mode }, at }
  const line = accountLine(context, { merchant_id, subject, ...fields })
  const sealed_credentials = sealCredentials(keyring, connection, credentials)
  try {
    await beginAs(sql, context, async (tx) => {
      await insertConnection(tx, { ...connection, sealed_credentials }, line)
      await notifyOfChange(tx, merchant_id)
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const words = `The merchant has a connection labelled ${label} already.`
    throw new Refusal('invalid_request', words, { field: 'label', fault: 'taken' })
  }
  return connection
}

/** Throws `resource_not_found`. */
export async function connectionOrRefuse(
  { sql, keyring }: Pick<ConnectionOffice, 'sql' | 'keyring'>,
  connection_id: string,
) {
  const connection = await findConnection(sql, connection_id, routingsIn(connection_id, keyring))
  if (!connection) throw noConnection(connection_id)
  return connection
}

/**
 * `credentials` were judged before. A disabled connection is rotated too, because it still settles its earlier charges.
 */
export async function rotateCredentials(
  context: ConnectionOffice,
  connection_id: string,
  credentials: Credentials,
): Promise<Connection & { previous_until: Date }> {
  const { sql, clock, keyring } = context
  const connection = await connectionOrRefuse(context, connection_id)
  const at = clock.now()
  const next = {
    sealed_credentials: sealCredentials(keyring, connection, credentials),
    previous_until: new Date(at.getTime() + rotation_overlap_ms),
  }
  const line = openLine(context, { change: 'connection.rotated', at })
  await beginAs(sql, context, async (tx) => {
    if (!(await replaceCredentials(tx, connection, next, line))) throw noConnection(connection_id)
    await notifyOfChange(tx, connection.merchant_id)
  })
  return { ...connection, rotated_at: at, previous_until: next.previous_until }
}

/** New charges no longer use the connection. A disabled one stays as it is. */
export async function disableConnection(
  context: ConnectionOffice,
  connection_id: ConnectionId | string,
): Promise<Connection> {
  const { sql, clock } = context
  const connection = await connectionOrRefuse(context, connection_id)
  const line = openLine(context, { change: 'connection.disabled', at: clock.now() })
  await beginAs(sql, context, async (tx) => {
    if (await disableConnectionRow(tx, connection, line)) await notifyOfChange(tx, connection.merchant_id)
  })
  return connectionOrRefuse(context, connection_id)
}

function noConnection(connection_id: string): Refusal {
  return new Refusal('resource_not_found', `There is no connection ${connection_id}.`)
}
