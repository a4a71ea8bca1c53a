// Parts of a statement that makes a change and stores its idempotency key, both or neither. `with gate as (…), key as
// (<insertKeyIfOpen>), … <gateResult>`: the gate finds and locks the rows to change; the changes are made if `key` has
// a row.

import { rowIf, rowValues } from '../database/driver/rows.ts'
import type { AnySql, Fragment } from '../database/open.ts'
import { type KeyRow, KeyTakenError, type ReservedKey } from './idempotency.ts'

/** The body of the CTE `key`. For a request without a key it has a row if the gate has one. */
export function insertKeyIfOpen(sql: AnySql, key: KeyRow | ReservedKey | null) {
  if (key === null) return sql`select 1 from gate`
  return insertedOnce(sql, rowIf(sql, stored(key), 'gate'))
}

/** The same for a statement without a gate. */
export function insertKey(sql: AnySql, key: KeyRow | null) {
  return key === null ? sql`select 1` : insertedOnce(sql, rowValues(sql, stored(key)))
}

/**
 * Stores a request's key on its own, in a transaction of several statements. Throws KeyTakenError if the key is stored
 * already.
 */
export async function storeKey(tx: AnySql, key: KeyRow | null): Promise<void> {
  if (key === null) return
  const rows = await tx`${insertKey(tx, key)}`
  if (rows.length === 0) throw new KeyTakenError()
}

function insertedOnce(sql: AnySql, row: Fragment) {
  return sql`insert into idempotency_keys ${row} on conflict do nothing returning 1`
}

/** Under the current master key. */
function stored({ fingerprints, ...key }: KeyRow | ReservedKey) {
  return { ...key, fingerprint: fingerprints()[0]! }
}

export type GateResult = { is_open: boolean; is_keyed: boolean }

/** The end of the statement. */
export function gateResult(sql: AnySql) {
  return sql`select exists (select 1 from gate) as is_open, exists (select 1 from key) as is_keyed`
}

/** Whether the change was made; false if the gate had no row. Throws KeyTakenError if the key was stored already. */
export function hasPassed(rows: readonly GateResult[]): boolean {
  const { is_open, is_keyed } = rows[0]!
  if (is_open && !is_keyed) throw new KeyTakenError()
  return is_open
}
