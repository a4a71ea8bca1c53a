// Rows of people: their account, its passwords, one-time codes and recovery codes, and what others may see of it.

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
  /** In the form in which the journal names the author. */
  invited_by: string | null
  created_at: Date
  reviewed_at: Date | null
}

/** In the form in which addresses are stored and compared; null for a text that is no address. */
export function plainEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email) && !unshown.test(email) ? email : null
}

/** A person's name without surrounding white space; null for a text that is no name. */
export function plainName(text: string): string | null {
  const name = text.trim()
  return name.length >= 1 && name.length <= 100 && !unshown.test(name) ? name : null
}

/** Throws a unique violation if the address has an account. */
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
 * Locks a person and all operators who may sign in, always in the same order, so that the last operator stays the last
 * one meanwhile. Returns the operators.
 */
export async function lockOperators(tx: AnySql, user_id: string): Promise<Pick<User, 'user_id'>[]> {
  const rows = await tx<Pick<User, 'user_id' | 'is_operator' | 'disabled_at'>[]>`
    select user_id, is_operator, disabled_at from users
    where user_id = ${user_id} or (is_operator and disabled_at is null)
    order by user_id for no key update`
  return rows.filter(({ is_operator, disabled_at }) => is_operator && disabled_at === null)
}

/** Changes the given columns. False if there is no such person. */
export async function updateUser(
  sql: AnySql,
  user_id: string,
  change: Partial<Omit<User, 'user_id' | 'created_at'>>,
): Promise<boolean> {
  const { count } = await sql`
    update users set ${assignments(sql, change)} where user_id = ${user_id}`
  return count > 0
}

/**
 * Replaces the hash of a password by its hash under another key; false if the password was changed since it was read.
 */
export async function rehash(
  sql: Sql,
  { user_id, password_hash, before }: { user_id: string; password_hash: string; before: string },
): Promise<boolean> {
  const { count } = await sql`
    update users set password_hash = ${password_hash}
    where user_id = ${user_id} and password_hash = ${before}`
  return count > 0
}

/** Marks a step of one-time codes as used. False if it or a later one was used before. */
export async function spendStep(sql: AnySql, user_id: string, step: number): Promise<boolean> {
  const { count } = await sql`
    update users set totp_last_step = ${step}
    where user_id = ${user_id} and totp_last_step < ${step}`
  return count > 0
}

/** Replaces all earlier recovery codes. */
export async function replaceRecoveryCodes(sql: AnySql, user_id: string, hashes: Buffer[]): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${user_id}`
  for (const code_hash of hashes) {
    await sql`insert into recovery_codes ${rowValues(sql, { code_hash, user_id })}`
  }
}

/** Marks a recovery code as used, and returns its person. If `user_id` is given, only a code of that person counts. */
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

/** A person in the list of `ripper user list`. */
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

/** The names of these people by their ids; unknown ids are left out. */
export async function namesOf(sql: AnySql, user_ids: string[]): Promise<Record<string, string>> {
  const rows = await sql<Pick<User, 'user_id' | 'name'>[]>`
    select user_id, name from users where user_id = any(${user_ids})`
  return Object.fromEntries(rows.map(({ user_id, name }) => [user_id, name]))
}

/** People who were not seen since then. For those who never signed in, the time of their account counts. */
export async function listUnused(sql: Sql, since: Date): Promise<Pick<User, 'user_id' | 'email' | 'warned_at'>[]> {
  return sql<Pick<User, 'user_id' | 'email' | 'warned_at'>[]>`
    select user_id, email, warned_at from users
    where disabled_at is null and coalesce(seen_at, created_at) < ${since} order by user_id`
}

/** People whose one-time code secret is sealed under another key than the current one. */
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

/** Replaces the sealed secrets that were read; false if they have changed since. */
export async function replaceCodeSecrets(
  sql: Sql,
  before: Pick<User, 'user_id' | 'totp_sealed' | 'totp_pending'>,
  next: Pick<User, 'totp_sealed' | 'totp_pending'>,
): Promise<boolean> {
  const { count } = await sql`
    update users set totp_sealed = ${next.totp_sealed}, totp_pending = ${next.totp_pending}
    where user_id = ${before.user_id} and totp_sealed is not distinct from ${before.totp_sealed}
      and totp_pending is not distinct from ${before.totp_pending}`
  return count > 0
}
