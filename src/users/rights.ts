// Judges people again in the transaction that writes their act: since they passed the door, they may have lost rights,
// or their session may have ended. The rows behind the judgement stay locked until the transaction ends. Every
// transaction locks in one order, so that no two wait for each other: people, memberships, sessions, links, and then
// the rest.

import type { AnySql, Fragment } from '../database/open.ts'
import type { Mode } from '../kernel/values.ts'
import type { SignInLink } from './link-store.ts'
import {
  type LockedMember,
  lockMembers,
  type Member,
  notThere,
  type Person,
  permissionDenied,
  signInRequired,
} from './member.ts'
import { may, type Role } from './roles.ts'
import type { Membership, User } from './user.ts'

type OwnSession = Pick<Person['session'], 'session_id'>
type Holder = { user_id: string; session: OwnSession }

/** A person who changes their own account. Throws `sign_in_required`. */
export async function lockPerson(tx: AnySql, { user_id, session }: Holder): Promise<User> {
  const user = await lockUser(tx, user_id)
  if (!user || user.disabled_at !== null) throw signInRequired()
  await requireSession(tx, session)
  return user
}

/**
 * An operator; `changing` is the person whom the transaction changes. Throws `sign_in_required`, and
 * `resource_not_found` for a person who is no longer an operator.
 */
export async function lockOperator(tx: AnySql, { user_id, session }: Holder, { changing = false } = {}): Promise<void> {
  const [user] = await lockUsers(tx, [user_id], changing ? user_id : null)
  if (!user || user.disabled_at !== null) throw signInRequired()
  if (!user.is_operator) throw notThere()
  await requireSession(tx, session)
}

/**
 * A member as of now. Throws what the door throws: `sign_in_required`, `resource_not_found`, `permission_denied`.
 * `lockMode` reads the mode again for an act whose mode may change meanwhile.
 */
export async function lockMember(
  tx: AnySql,
  member: Member,
  lockMode?: (tx: AnySql, merchant_id: string) => Promise<Mode>,
): Promise<Member> {
  const rights = (await lockRights(tx, [member.user_id])).get(member.user_id)
  const now = judgeMember(member, rights)
  await requireSession(tx, member.session)
  if (!lockMode) return now
  return judgeMember({ ...now, mode: await lockMode(tx, member.merchant_id) }, rights)
}

/** A member and a colleague as of now, with the rights of both at every merchant. Throws what `lockMember` throws. */
export async function lockMemberBeside(
  tx: AnySql,
  member: Member,
  user_id: string,
): Promise<{ now: Member; own: Rights; theirs: Rights | undefined }> {
  const rights = await lockRights(tx, [member.user_id, user_id])
  const own = rights.get(member.user_id)
  const now = judgeMember(member, own)
  await requireSession(tx, member.session)
  return { now, own: own!, theirs: rights.get(user_id) }
}

/**
 * A member as of now, and all members of the merchant, who stay unchanged meanwhile. Throws what `lockMember` throws.
 */
export async function lockTeam(tx: AnySql, member: Member): Promise<{ now: Member; all: LockedMember[] }> {
  const { merchant_id, user_id } = member
  const [user] = await lockUsers(tx, [user_id])
  // All members at once: if two members each locked themselves first, they would wait for each other.
  const all = await lockMembers(tx, merchant_id)
  const own = all.find((each) => each.user_id === user_id)
  const roles = new Map(own ? [[merchant_id as string, own.role]] : [])
  const now = judgeMember(member, user && { ...user, roles })
  await requireSession(tx, member.session)
  return { now, all }
}

/** Throws `sign_in_required` if the session has ended. */
export async function requireSession(tx: AnySql, { session_id }: OwnSession): Promise<void> {
  if (!(await lockSession(tx, session_id))) throw signInRequired()
}

/**
 * Whether the maker of a link could make it now for the person who uses it. Both stay unchanged meanwhile, except that
 * the transaction changes the second. Links from the command line or the service have no maker who could lose a right.
 */
export async function lockLink(
  tx: AnySql,
  link: Pick<SignInLink, 'made_by' | 'purpose' | 'merchant_id' | 'role'>,
  user_id: string,
): Promise<boolean> {
  const { made_by, purpose, merchant_id, role } = link
  const maker = made_by.startsWith('user ') ? made_by.slice('user '.length) : null
  const ids = maker === null ? [user_id] : [maker, user_id]
  const rights = await lockRights(tx, ids, user_id)
  const theirs = rights.get(user_id)
  if (theirs && theirs.disabled_at !== null) return false
  if (maker === null) return true
  const own = rights.get(maker)
  if (!own || own.disabled_at !== null) return false
  if (purpose !== 'reset') return merchant_id !== null && mayManage(own, merchant_id, role!)
  return theirs !== undefined && theirs.roles.size > 0 && hasPowerOver(own, theirs)
}

function judgeMember(member: Member, own: Rights | undefined): Member {
  if (!own || own.disabled_at !== null) throw signInRequired()
  const role = own.roles.get(member.merchant_id)
  if (role === undefined) throw notThere()
  if (!may(role, member.permission, member.mode ?? 'live')) throw permissionDenied(member.permission)
  const { is_operator } = own
  return { ...member, is_operator, role, can: (permission, mode) => may(role, permission, mode) }
}

/**
 * Whether the first person has power over everything that the second person's account may do. With less power, a reset
 * link would give the first person new rights.
 */
export function hasPowerOver(own: Rights, theirs: Rights): boolean {
  if (theirs.is_operator && !own.is_operator) return false
  return [...theirs.roles].every(([merchant_id, role]) => mayManage(own, merchant_id, role))
}

/** Whether they may make a person a member with this role, or remove such a member. */
export function mayManage({ roles }: Rights, merchant_id: string, role: Role): boolean {
  const own = roles.get(merchant_id)
  return own !== undefined && may(own, 'manage_members', 'live') && mayDecideAbout(own, role)
}

/** Only owners decide about owners. */
export function mayDecideAbout(own: Role, concerned: Role | null): boolean {
  return concerned !== 'owner' || own === 'owner'
}

/** What a person may do; `roles` are by merchant. */
type Rights = Pick<User, 'user_id' | 'is_operator' | 'disabled_at'> & {
  roles: ReadonlyMap<string, Role>
}

/** An account's person, who stays unchanged meanwhile. */
export async function lockUser(tx: AnySql, user_id: string): Promise<User | undefined> {
  const [row] = await tx<User[]>`
    select * from users where user_id = ${user_id} for no key update`
  return row
}

/**
 * Locks people; `changing` is the one whom this transaction changes. Two transactions that only read rights do not wait
 * for each other.
 */
async function lockUsers(
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

/** What each of these people may do. A transaction that adds a membership locks its person first. */
async function lockRights(
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

/** Whether a session is open; it stays open until the transaction ends. */
async function lockSession(tx: AnySql, session_id: string): Promise<boolean> {
  const rows = await tx`
    select 1 from user_sessions where session_id = ${session_id} and ended_at is null for share`
  return rows.length > 0
}
