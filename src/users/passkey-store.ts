// The SQL of passkeys.

import { rowValues } from '../database/driver/rows.ts'
import type { AnySql } from '../database/open.ts'
import type { Passkey } from './passkeys.ts'

/** Throws a unique violation where the passkey is known. */
export async function insertPasskey(sql: AnySql, passkey: Passkey): Promise<void> {
  await sql`insert into passkeys ${rowValues(sql, passkey)}`
}

/** The passkey of a person who may sign in. */
export async function findPasskey(sql: AnySql, credential_id: string): Promise<Passkey | undefined> {
  const [row] = await sql<Passkey[]>`
    select p.* from passkeys p join users u using (user_id)
    where p.credential_id = ${credential_id} and u.disabled_at is null`
  return row
}

/** Oldest first. */
export async function listPasskeys(sql: AnySql, user_id: string): Promise<Passkey[]> {
  return sql<Passkey[]>`
    select * from passkeys where user_id = ${user_id} order by created_at, credential_id`
}

/** Notes the use of a passkey; false where the same challenge, or a later one, was answered before. */
export async function notePasskeyUse(
  sql: AnySql,
  credential_id: string,
  {
    counter,
    is_backed_up,
    challenged_at,
    at,
  }: Pick<Passkey, 'counter' | 'is_backed_up' | 'challenged_at'> & { at: Date },
): Promise<boolean> {
  const { count } = await sql`
    update passkeys set counter = ${counter}, is_backed_up = ${is_backed_up},
      challenged_at = ${challenged_at}, used_at = ${at}
    where credential_id = ${credential_id} and challenged_at < ${challenged_at}`
  return count > 0
}

export async function deletePasskey(
  sql: AnySql,
  { credential_id, user_id }: Pick<Passkey, 'credential_id' | 'user_id'>,
): Promise<boolean> {
  const { count } = await sql`
    delete from passkeys where credential_id = ${credential_id} and user_id = ${user_id}`
  return count > 0
}

export async function deletePasskeys(sql: AnySql, user_id: string): Promise<void> {
  await sql`delete from passkeys where user_id = ${user_id}`
}
