// Which connections an integration may name for its test sessions.

import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import { type AccountConnection, connection_kinds, testConnectionFault } from './account-connection.ts'
import type { Integration } from './integration.ts'
import { findConnectedMerchant } from './store.ts'

/** Throws `invalid_request` if a label names no connection that test sessions can use, or two name one kind. */
export async function judgeTestConnections(
  sql: AnySql,
  { merchant_id, test_connections }: Pick<Integration, 'merchant_id' | 'test_connections'>,
): Promise<void> {
  if (test_connections.length === 0) return
  const { connections } = (await findConnectedMerchant(sql, merchant_id))!
  const fault = testConnectionsFault(connections, test_connections)
  if (fault) throw new Refusal('invalid_request', `Test sessions cannot use ${fault}.`)
}

/** What of the labels test sessions cannot use, and why: `trial, which is disabled`. Null if they can use all. */
export function testConnectionsFault(
  connections: readonly AccountConnection[],
  labels: readonly string[],
): string | null {
  const entries = labels.map((label) => ({
    label,
    connection: connections.find((each) => each.label === label),
  }))
  for (const { label, connection } of entries) {
    const fault = testConnectionFault(connection)
    if (fault) return `${label}, ${fault}`
  }
  for (const kind of connection_kinds) {
    const [one, other] = entries.filter(({ connection }) => connection!.kind === kind)
    if (other) return `both ${one!.label} and ${other.label}: they are of one kind, ${kind}`
  }
  return null
}
