// The SQL that locks people, and what they may do, until a transaction ends. Every transaction locks these rows in one order, so
// that no two wait for each other: people, memberships, sessions, links, and then the rest of its work.

import type { AnySql, Fragment } from '../database/open.ts'
import type { Role } from './roles.ts'
import type { Membership, User } from './user.ts'

/** What somebody may do; `roles` by merchant. */
export type Rights = Pick<User, 'user_id' | 'is_operator' | 'disabled_at'> & {
  roles: ReadonlyMap<string, Role>
}

/** The person of an account, whom nobody else changes meanwhile. */
export async function lockUser(tx: AnySql, user_id: string): Promise<User | undefined> {
  const [row] = await tx<User[]>`
    select * from users where user_id = ${user_id} for no key update`
  return row
}

/**
 * People whom nobody else changes meanwhile; `changing` is the one whom this transaction changes. Two that only read what somebody
 * may do do not wait for each other.
 */
export async function lockUsers(
  tx: AnySql,
  user_ids: string[],
  changing: string | null = null,
): Promise<Omit<Rights, 'roles'>[]> {
  const lock = (ids: string[], strength: Fragment) => tx<Omit<Rights, 'roles'>[]>`
    select user_id, is_operator, disabled_at from users
    where user_id = any(${ids}) order by user_id ${strength}`
  if (changing === null) return lock(user_ids, tx`for share`)
  const users: Omit<Rights, 'roles'>[] = []
  // One by one, in the same order: a statement locks all its rows alike.
  for (const id of [...new Set(user_ids)].sort()) {
    users.push(...(await lock([id], id === changing ? tx`for no key update` : tx`for share`)))
  }
  return users
}

/** What each of these people may do. Whoever gives one of them a further membership locks that person first. */
export async function lockRights(
  tx: AnySql,
  user_ids: string[],
  changing: string | null = null,
): Promise<Map<string, Rights>> {
  const users = await lockUsers(tx, user_ids, changing)
  const memberships = await tx<Pick<Membership, 'merchant_id' | 'user_id' | 'role'>[]>`
    select merchant_id, user_id, role from memberships
    where user_id = any(${user_ids}) order by merchant_id, user_id for share`
  const rolesOf = (id: string) => {
    const own = memberships.filter(({ user_id }) => user_id === id)
    return new Map(own.map(({ merchant_id, role }) => [merchant_id, role]))
  }
  return new Map(users.map((user) => [user.user_id, { ...user, roles: rolesOf(user.user_id) }]))
}

/** Whether a session is open; nobody ends it meanwhile. */
export async function lockSession(tx: AnySql, session_id: string): Promise<boolean> {
  const rows = await tx`
    select 1 from user_sessions where session_id = ${session_id} and ended_at is null for share`
  return rows.length > 0
}
