// People as rows: their account, its passwords, one-time codes and recovery codes, and what of it others may see.

import { assignments, rowValues } from '../database/driver/rows.ts'
import type { AnySql, Sql } from '../database/open.ts'
import { unshown } from '../kernel/values.ts'
import type { Role } from './roles.ts'

export type User = {
  user_id: string
  email: string
  name: string
  is_operator: boolean
  password_hash: string | null
  old_hashes: string[]
  totp_sealed: Buffer | null
  totp_pending: Buffer | null
  totp_last_step: number
  tries: number
  locked_until: Date | null
  known_since: Date | null
  created_at: Date
  seen_at: Date | null
  warned_at: Date | null
  disabled_at: Date | null
}

export type NewUser = Pick<User, 'user_id' | 'email' | 'name' | 'is_operator' | 'created_at'> & {
  password_hash: string | null
}

export type Membership = {
  merchant_id: string
  user_id: string
  role: Role
  /** As the journal names its author. */
  invited_by: string | null
  created_at: Date
  reviewed_at: Date | null
}

/** As it is stored and compared; null for what is no address. */
export function plainEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email) && !unshown.test(email) ? email : null
}

/** A person's name without white space around it; null for one that is none. */
export function plainName(text: string): string | null {
  const name = text.trim()
  return name.length >= 1 && name.length <= 100 && !unshown.test(name) ? name : null
}

/** Throws a unique violation where the address has an account. */
export async function insertUser(sql: AnySql, user: NewUser): Promise<void> {
  await sql`insert into users ${rowValues(sql, user)}`
}

export async function findUser(sql: AnySql, user_id: string): Promise<User | undefined> {
  const [row] = await sql<User[]>`select * from users where user_id = ${user_id}`
  return row
}

export async function findUserByEmail(sql: AnySql, email: string): Promise<User | undefined> {
  const [row] = await sql<User[]>`select * from users where email = ${email}`
  return row
}

export async function anyUserExists(sql: AnySql): Promise<boolean> {
  const rows = await sql`select 1 from users limit 1`
  return rows.length > 0
}

/**
 * Locks a person, and all operators who may sign in, always in the same order: who is the last one must not change meanwhile.
 * Returns the operators.
 */
export async function lockOperators(tx: AnySql, user_id: string): Promise<Pick<User, 'user_id'>[]> {
  const rows = await tx<Pick<User, 'user_id' | 'is_operator' | 'disabled_at'>[]>`
    select user_id, is_operator, disabled_at from users
    where user_id = ${user_id} or (is_operator and disabled_at is null)
    order by user_id for no key update`
  return rows.filter(({ is_operator, disabled_at }) => is_operator && disabled_at === null)
}

/** Changes the columns that are given. False where there is no such person. */
export async function updateUser(
  sql: AnySql,
  user_id: string,
  change: Partial<Omit<User, 'user_id' | 'created_at'>>,
): Promise<boolean> {
  const { count } = await sql`
    update users set ${assignments(sql, change)} where user_id = ${user_id}`
  return count > 0
}

/** Puts the same password's hash under another key in place; false where the password was changed since it was read. */
export async function rehash(
  sql: Sql,
  { user_id, password_hash, before }: { user_id: string; password_hash: string; before: string },
): Promise<boolean> {
  const { count } = await sql`
    update users set password_hash = ${password_hash}
    where user_id = ${user_id} and password_hash = ${before}`
  return count > 0
}

/** Uses up a step of one-time codes. False where it, or a later one, was used before. */
export async function spendStep(sql: AnySql, user_id: string, step: number): Promise<boolean> {
  const { count } = await sql`
    update users set totp_last_step = ${step}
    where user_id = ${user_id} and totp_last_step < ${step}`
  return count > 0
}

/** Puts new recovery codes in place of all earlier ones. */
export async function replaceRecoveryCodes(sql: AnySql, user_id: string, hashes: Buffer[]): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${user_id}`
  for (const code_hash of hashes) {
    await sql`insert into recovery_codes ${rowValues(sql, { code_hash, user_id })}`
  }
}

/** Uses up a recovery code: of this person, or for null of whoever has it. Returns whose it was. */
export async function takeRecoveryCode(
  sql: AnySql,
  { code_hash, user_id, at }: { code_hash: Buffer; user_id: string | null; at: Date },
): Promise<string | null> {
  const whose = user_id === null ? sql`true` : sql`user_id = ${user_id}`
  const [row] = await sql<{ user_id: string }[]>`
    update recovery_codes set used_at = ${at}
    where code_hash = ${code_hash} and used_at is null and ${whose} returning user_id`
  return row?.user_id ?? null
}

export async function countRecoveryCodes(sql: AnySql, user_id: string): Promise<number> {
  const [row] = await sql<{ left: number }[]>`
    select count(*)::integer as left from recovery_codes
    where user_id = ${user_id} and used_at is null`
  return row!.left
}

/** A person as `ripper user list` shows them. */
export type ListedUser = Pick<
  User,
  'user_id' | 'email' | 'name' | 'is_operator' | 'created_at' | 'seen_at' | 'disabled_at' | 'locked_until'
> & { memberships: { merchant_id: string; role: Role }[] }

export async function listUsers(sql: Sql): Promise<ListedUser[]> {
  return sql<ListedUser[]>`
    select user_id, email, name, is_operator, created_at, seen_at, disabled_at, locked_until, (
      select coalesce(json_agg(json_build_object('merchant_id', merchant_id, 'role', role)
        order by created_at, merchant_id), '[]')
      from memberships m where m.user_id = u.user_id
    ) as memberships
    from users u order by created_at, user_id`
}

/** The names of these people by their ids; an id that nobody has is left out. */
export async function namesOf(sql: AnySql, user_ids: string[]): Promise<Record<string, string>> {
  const found = await sql<Pick<User, 'user_id' | 'name'>[]>`
    select user_id, name from users where user_id = any(${user_ids})`
  return Object.fromEntries(found.map(({ user_id, name }) => [user_id, name]))
}

/** People whom nobody saw since then. Those who never signed in count from when they were made. */
export async function listUnused(sql: Sql, since: Date): Promise<Pick<User, 'user_id' | 'email' | 'warned_at'>[]> {
  return sql<Pick<User, 'user_id' | 'email' | 'warned_at'>[]>`
    select user_id, email, warned_at from users
    where disabled_at is null and coalesce(seen_at, created_at) < ${since} order by user_id`
}

/** People whose secret of one-time codes is sealed under another key than the current one. */
export async function codeSecretsUnderOtherKeys(
  sql: Sql,
  current_key_id: string,
  { after, limit }: { after: { user_id: string }; limit: number },
): Promise<Pick<User, 'user_id' | 'totp_sealed' | 'totp_pending'>[]> {
  const current = Buffer.from(current_key_id, 'hex')
  return sql<Pick<User, 'user_id' | 'totp_sealed' | 'totp_pending'>[]>`
    select user_id, totp_sealed, totp_pending from users
    where user_id > ${after.user_id} and (substring(totp_sealed from 2 for 4) <> ${current}
      or substring(totp_pending from 2 for 4) <> ${current})
    order by user_id limit ${limit}`
}

/** Puts sealed secrets in place of those that were read; false where they have changed since. */
export async function replaceCodeSecrets(
  sql: Sql,
  read: Pick<User, 'user_id' | 'totp_sealed' | 'totp_pending'>,
  next: Pick<User, 'totp_sealed' | 'totp_pending'>,
): Promise<boolean> {
  const { count } = await sql`
    update users set totp_sealed = ${next.totp_sealed}, totp_pending = ${next.totp_pending}
    where user_id = ${read.user_id} and totp_sealed is not distinct from ${read.totp_sealed}
      and totp_pending is not distinct from ${read.totp_pending}`
  return count > 0
}
