// The SQL of links by which people come in: made, read, used once.

import { rowValues } from '../database/driver/rows.ts'
import type { AnySql, Sql } from '../database/open.ts'
import type { Role } from './roles.ts'

export type SignInLink = {
  link_id: string
  token_hash: Buffer
  purpose: 'welcome' | 'invite' | 'reset'
  /** Null if the person who opens the link chooses it. */
  email: string | null
  user_id: string | null
  merchant_id: string | null
  role: Role | null
  is_operator: boolean
  /** In the form in which the journal names the author. */
  made_by: string
  created_at: Date
  expires_at: Date
  used_at: Date | null
  withdrawn_at: Date | null
}

export type NamedLink = SignInLink & {
  merchant_name: string | null
  /** The name on the account that a reset link reopens. */
  user_name: string | null
  /** The person who has an account with the link's address, if there is one. */
  holder_id: string | null
}

export async function insertLink(sql: AnySql, link: SignInLink): Promise<void> {
  await sql`insert into sign_in_links ${rowValues(sql, link)}`
}

export async function findLink(sql: AnySql, token_hash: Buffer): Promise<NamedLink | undefined> {
  const [row] = await sql<NamedLink[]>`
    select l.*, a.name as merchant_name, u.name as user_name, h.user_id as holder_id
    from sign_in_links l
    left join merchants a using (merchant_id)
    left join users u on u.user_id = l.user_id
    left join users h on h.email = l.email
    where l.token_hash = ${token_hash}`
  return row
}

/** Marks a link as used. False if it was used, was withdrawn or has expired. */
export async function spendLink(tx: AnySql, link_id: string, at: Date): Promise<boolean> {
  const { count } = await tx`
    update sign_in_links set used_at = ${at}
    where link_id = ${link_id} and used_at is null and withdrawn_at is null and expires_at > ${at}`
  return count > 0
}

/** The invitations to a merchant that can still be used, newest first. */
export async function listInvitations(sql: AnySql, merchant_id: string, now: Date): Promise<SignInLink[]> {
  return sql<SignInLink[]>`
    select * from sign_in_links
    where merchant_id = ${merchant_id} and used_at is null and withdrawn_at is null
      and expires_at > ${now} and purpose = 'invite'
    order by created_at desc`
}

export async function withdrawInvitation(
  sql: AnySql,
  { merchant_id, link_id, at }: { merchant_id: string; link_id: string; at: Date },
): Promise<SignInLink | undefined> {
  const [row] = await sql<SignInLink[]>`
    update sign_in_links set withdrawn_at = ${at}
    where merchant_id = ${merchant_id} and link_id = ${link_id} and purpose = 'invite'
      and used_at is null and withdrawn_at is null
    returning *`
  return row
}

/** A newer link replaces earlier links for the same purpose. */
export async function withdrawAlike(
  tx: AnySql,
  { purpose, email, user_id, merchant_id }: SignInLink,
  at: Date,
): Promise<void> {
  await tx`
    update sign_in_links set withdrawn_at = ${at}
    where purpose = ${purpose} and used_at is null and withdrawn_at is null
      and email is not distinct from ${email} and user_id is not distinct from ${user_id}
      and merchant_id is not distinct from ${merchant_id}`
}

/**
 * Withdraws links that a person made, when they lose the right to make them: invitations to one merchant, or to any
 * merchant if it is null, and resets.
 */
export async function withdrawLinksBy(
  tx: AnySql,
  { user_id, merchant_id, at }: { user_id: string; merchant_id: string | null; at: Date },
): Promise<void> {
  const whose = merchant_id === null ? tx`true` : tx`merchant_id = ${merchant_id}`
  await tx`
    update sign_in_links set withdrawn_at = ${at}
    where made_by = ${`user ${user_id}`} and used_at is null and withdrawn_at is null
      and (purpose = 'reset' or ${whose})`
}

/**
 * A reset link is valid only for what the account could do when the link was made. If its rights change, the link is
 * withdrawn, because its maker may not have power over the new ones.
 */
export async function withdrawResetsOf(tx: AnySql, user_id: string, at: Date): Promise<void> {
  await tx`
    update sign_in_links set withdrawn_at = ${at}
    where purpose = 'reset' and user_id = ${user_id} and used_at is null and withdrawn_at is null`
}

/** Once any account exists, links for the first owner are void. */
export async function withdrawOpenWelcomes(tx: AnySql, at: Date): Promise<void> {
  await tx`
    update sign_in_links set withdrawn_at = ${at}
    where purpose = 'welcome' and email is null and used_at is null and withdrawn_at is null`
}

/** Withdraws all links that could still be used. Returns how many. */
export async function withdrawEveryLink(tx: AnySql, at: Date): Promise<number> {
  const { count } = await tx`
    update sign_in_links set withdrawn_at = ${at}
    where used_at is null and withdrawn_at is null and expires_at > ${at}`
  return count
}

const kept_ms = 90 * 24 * 3600_000

/** Deletes links that expired 90 days ago. */
export async function purgeLinks(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    delete from sign_in_links where expires_at < ${new Date(now.getTime() - kept_ms)}`
  return count
}
