// The SQL of accounts at a provider of single sign-on.

import { rowValues } from '../database/driver/rows.ts'
import type { AnySql, Sql } from '../database/open.ts'
import type { NamedLink } from './link-store.ts'

export type ProviderIdentity = { issuer: string; subject: string; user_id: string; created_at: Date }

/** The person who has this account at the provider; null if there is none who may sign in. */
export async function findIdentity(
  sql: Sql,
  { issuer, subject }: Pick<ProviderIdentity, 'issuer' | 'subject'>,
): Promise<string | null> {
  const [row] = await sql<{ user_id: string }[]>`
    select user_id from user_identities join users using (user_id)
    where issuer = ${issuer} and subject = ${subject} and disabled_at is null`
  return row?.user_id ?? null
}

/** Throws a unique violation if the account belongs to a person already. */
export async function insertIdentity(sql: AnySql, identity: ProviderIdentity): Promise<void> {
  await sql`insert into user_identities ${rowValues(sql, identity)}`
}

/** A reset unlinks all of a person's accounts, because one of them may be a thief's. */
export async function deleteIdentities(sql: AnySql, user_id: string): Promise<void> {
  await sql`delete from user_identities where user_id = ${user_id}`
}

/** The newest link by which the owner of this address may make an account. */
export async function findInvitation(sql: Sql, email: string, now: Date): Promise<NamedLink | undefined> {
  const [row] = await sql<NamedLink[]>`
    select l.*, a.name as merchant_name, null as user_name, u.user_id as holder_id
    from sign_in_links l left join merchants a using (merchant_id) left join users u on u.email = l.email
    where l.email = ${email} and l.purpose <> 'reset' and l.used_at is null
      and l.withdrawn_at is null and l.expires_at > ${now}
    order by l.created_at desc limit 1`
  return row
}
