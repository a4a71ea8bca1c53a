// Parts of a statement that changes something and keeps its idempotency key: both or neither, in one transaction.
//
// `with gate as (…), key as (<keyBehindGate>), … <wentThrough>`: the gate finds, and locks, what may be changed; the changes
// are made where `key` has a row.

import { rowIf, rowValues } from '../database/driver/rows.ts'
import type { AnySql, Fragment } from '../database/open.ts'
import { type KeyRow, KeyTaken, type ReservedKey } from './idempotency.ts'

/** The body of the CTE `key`. Where the request has no key it lets through what the gate does. */
export function keyBehindGate(sql: AnySql, key: KeyRow | ReservedKey | null) {
  if (key === null) return sql`select 1 from gate`
  return insertedOnce(sql, rowIf(sql, stored(key), 'gate'))
}

/** The same where nothing stands before the key. */
export function keyUngated(sql: AnySql, key: KeyRow | null) {
  return key === null ? sql`select 1` : insertedOnce(sql, rowValues(sql, stored(key)))
}

function insertedOnce(sql: AnySql, row: Fragment) {
  return sql`insert into idempotency_keys ${row} on conflict do nothing returning 1`
}

/** Under the current master key. */
function stored({ fingerprints, ...key }: KeyRow | ReservedKey) {
  return { ...key, fingerprint: fingerprints[0]! }
}

export type Gated = { is_open: boolean; is_keyed: boolean }

/** The end of the statement. */
export function wentThrough(sql: AnySql) {
  return sql`select exists (select 1 from gate) as is_open, exists (select 1 from key) as is_keyed`
}

/** Whether the change was made; false where the gate was shut. Throws KeyTaken where the key stood in the way. */
export function passed(rows: readonly Gated[]): boolean {
  const { is_open, is_keyed } = rows[0]!
  if (is_open && !is_keyed) throw new KeyTaken()
  return is_open
}
