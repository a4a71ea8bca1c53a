// Who works for which merchant and in which role. Also who passes the doors of the dashboard, and how others are
// refused.

import { rowValues } from '../database/driver/rows.ts'
import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { MerchantId, Mode } from '../kernel/values.ts'
import type { PageOrigin } from './page-origin.ts'
import type { Role, StaffPermission } from './roles.ts'
import type { FoundSession } from './session.ts'
import type { Membership, User } from './user.ts'

/** An admitted request, with the origin of its page. */
export type Visitor = { page: PageOrigin }

/** A signed-in person with their session. */
export type Person = Visitor & { session: FoundSession; user_id: string; is_operator: boolean }

/** A person at work for a merchant. Handlers of keyed routes accept a member in place of a key. */
export type Member = Person & {
  merchant_id: MerchantId
  role: Role
  /** The permission that the rule requires. */
  permission: StaffPermission
  /** The mode that the rule found; null where the route has none. */
  mode: Mode | null
  can(permission: StaffPermission, mode: Mode): boolean
  /**
   * Judges the member again inside the transaction that writes their act, and locks the rows behind that judgement.
   * Returns the member as of then; throws what the door throws.
   */
  judge(tx: AnySql): Promise<Member>
}

/** The same member, whom the transaction that writes also judges by `refuse`. */
export function judgedBy(member: Member, refuse: (now: Member) => void): Member {
  const judge = async (tx: AnySql) => {
    const now = await member.judge(tx)
    refuse(now)
    return now
  }
  return { ...member, judge }
}

export function permissionDenied(permission: StaffPermission): Refusal {
  return new Refusal('permission_denied', `Your role lacks the permission ${permission}.`)
}

/** To people who are no members, a merchant looks as if it did not exist. */
export function notThere(): Refusal {
  return new Refusal('resource_not_found', 'There is nothing with this id.')
}

export function signInRequired(): Refusal {
  return new Refusal('sign_in_required', 'Sign in first.')
}

/** False if the person is a member already, whose role then stays. */
export async function insertMembership(sql: AnySql, membership: Membership): Promise<boolean> {
  const { count } = await sql`
    insert into memberships ${rowValues(sql, membership)} on conflict do nothing`
  return count > 0
}

type MembershipOfUser = Pick<Membership, 'merchant_id' | 'role'> & {
  merchant_name: string
  is_live: boolean
}

export async function listMembershipsOf(sql: AnySql, user_id: string): Promise<MembershipOfUser[]> {
  return sql<MembershipOfUser[]>`
    select m.merchant_id, m.role, a.name as merchant_name, a.live as is_live
    from memberships m join merchants a using (merchant_id)
    where m.user_id = ${user_id} order by a.name, m.merchant_id`
}

type Colleague = Membership & {
  email: string
  name: string
  is_operator: boolean
  seen_at: Date | null
  disabled_at: Date | null
  has_passkey: boolean
  has_one_time_codes: boolean
}

/** The members of a merchant, oldest first. */
export async function listMembers(sql: AnySql, merchant_id: string): Promise<Colleague[]> {
  return sql<Colleague[]>`
    select m.*, u.email, u.name, u.is_operator, u.seen_at, u.disabled_at,
      exists (select from passkeys p where p.user_id = u.user_id) as has_passkey,
      u.totp_sealed is not null as has_one_time_codes
    from memberships m join users u using (user_id)
    where m.merchant_id = ${merchant_id} order by m.created_at, m.user_id`
}

export type LockedMember = Membership & Pick<User, 'disabled_at'>

/** Locks all members of a merchant, always in the same order, so that the last owner stays the last one meanwhile. */
export async function lockMembers(tx: AnySql, merchant_id: string): Promise<LockedMember[]> {
  return tx<LockedMember[]>`
    select m.*, u.disabled_at from memberships m join users u using (user_id)
    where m.merchant_id = ${merchant_id} order by m.user_id for update of m`
}

export async function setRole(
  tx: AnySql,
  { merchant_id, user_id }: Pick<Membership, 'merchant_id' | 'user_id'>,
  role: Role,
): Promise<void> {
  await tx`
    update memberships set role = ${role}
    where merchant_id = ${merchant_id} and user_id = ${user_id}`
}

export async function deleteMembership(
  tx: AnySql,
  { merchant_id, user_id }: Pick<Membership, 'merchant_id' | 'user_id'>,
): Promise<void> {
  await tx`delete from memberships where merchant_id = ${merchant_id} and user_id = ${user_id}`
}

/** Notes that a person reviewed all members. Returns how many there are. */
export async function markReviewed(tx: AnySql, merchant_id: string, at: Date): Promise<number> {
  const { count } = await tx`
    update memberships set reviewed_at = ${at} where merchant_id = ${merchant_id}`
  return count
}
