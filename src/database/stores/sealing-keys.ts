// Detects a wrong master key at the start: with it no sealed value would open, and no client secret would be valid.

import type { Keyring } from '../../kernel/keyring.ts'
import type { Sql } from '../open.ts'

/**
 * Records the current key, and returns whether it is another than before. Throws an Error for people if the previously
 * current key is not among the given keys.
 */
export async function checkSealingKeys(
  sql: Sql,
  keyring: Pick<Keyring, 'current_key_id' | 'key_ids'>,
  now: Date,
): Promise<boolean> {
  const newest = await newestSealingKey(sql)
  if (newest !== null && !keyring.key_ids.includes(newest)) {
    throw new Error(
      `RIPPER_MASTER_KEY must hold the key ${newest}, which this database was sealed with ` +
        `(given: ${keyring.key_ids.join(', ')}). To rotate, set the new key first and the old one after a comma.`,
    )
  }
  if (newest === keyring.current_key_id) return false
  await sql`
    insert into sealing_keys (key_id, made_current_at) values (${keyring.current_key_id}, ${now})
    on conflict (key_id) do update set made_current_at = excluded.made_current_at`
  return newest !== null
}

/** The id of the last current key; null if nothing was ever sealed. */
export async function newestSealingKey(sql: Sql): Promise<string | null> {
  const [newest] = await listSealingKeys(sql, 1)
  return newest?.key_id ?? null
}

/** Keys that were ever current, the last one first. */
export async function listSealingKeys(sql: Sql, limit: number): Promise<{ key_id: string; made_current_at: Date }[]> {
  return sql<{ key_id: string; made_current_at: Date }[]>`
    select key_id, made_current_at from sealing_keys order by made_current_at desc, key_id limit ${limit}`
}
