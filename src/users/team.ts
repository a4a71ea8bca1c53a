// Who works for a merchant: invitations, roles, leaving. Only owners decide about owners, and the last one stays.

import { insertLine } from '../audit/journal-store.ts'
import type { AnySql } from '../database/open.ts'
import type { KeyRow } from '../http/idempotency.ts'
import { storeKey } from '../http/key-gate.ts'
import { Refusal } from '../kernel/errors.ts'
import { listInvitations, withdrawInvitation, withdrawLinksBy, withdrawResetsOf } from './link-store.ts'
import { type MadeLink, makeLinkIn } from './links.ts'
import {
  deleteMembership,
  type LockedMember,
  listMembers,
  type Member,
  markReviewed,
  notThere,
  setRole,
} from './member.ts'
import { hasPowerOver, lockMember, lockMemberBeside, lockTeam, mayDecideAbout } from './rights.ts'
import type { Role } from './roles.ts'
import { endSessions } from './session.ts'
import { authorOf, type Sender, type UsersContext } from './start-session.ts'
import { findUser, type Membership, plainEmail } from './user.ts'
import { personLine } from './user-journal.ts'

/**
 * Throws `invalid_request`, and `permission_denied` if an admin invites an owner or replaces the invitation of one.
 * `record` is that of `storeKey`.
 */
export async function invite(
  context: UsersContext,
  member: Member,
  { email, role }: { email: string; role: Role },
  sender: Sender,
  record: (newLink: MadeLink) => KeyRow | null = () => null,
): Promise<MadeLink> {
  const { merchant_id, user_id } = member
  const plain = plainEmail(email)
  if (plain === null) {
    throw new Refusal('invalid_request', 'email must be an e-mail address.', { field: 'email' })
  }
  return context.sql.begin(async (tx) => {
    const { now } = await lockTeam(tx, member)
    refuseUnlessOwner(now, role)
    const colleagues = await listMembers(tx, merchant_id)
    if (colleagues.some((each) => each.email === plain)) {
      const fault = { field: 'email', fault: 'is_member' } as const
      throw new Refusal('invalid_request', 'email belongs to a member already.', fault)
    }
    // The new invitation replaces earlier ones to the same address.
    const open = await listInvitations(tx, merchant_id, context.world.clock.now())
    for (const each of open) if (each.email === plain) refuseUnlessOwner(now, each.role)
    const linkRequest = { purpose: 'invite' as const, email: plain, user_id: null, merchant_id, role }
    const author = authorOf(user_id, sender)
    const newLink = await makeLinkIn(tx, context, { ...linkRequest, is_operator: false }, author)
    await storeKey(tx, record(newLink))
    return newLink
  })
}

/** Throws `permission_denied` if an admin withdraws the invitation of an owner. */
export async function withdraw(context: UsersContext, member: Member, link_id: string, sender: Sender): Promise<void> {
  const { merchant_id, user_id } = member
  await context.sql.begin(async (tx) => {
    const now = await lockMember(tx, member)
    const at = context.world.clock.now()
    const link = await withdrawInvitation(tx, { merchant_id, link_id, at })
    if (!link) throw notThere()
    refuseUnlessOwner(now, link.role)
    const fields = { merchant_id, subject: link_id, change: 'link.withdrawn', at }
    await insertLine(tx, personLine(context, authorOf(user_id, sender), fields))
  })
}

/** A new role ends the person's sessions. */
export async function changeRole(
  context: UsersContext,
  member: Member,
  { user_id, role }: { user_id: string; role: Role },
  sender: Sender,
): Promise<void> {
  await changeMembership(context, member, { user_id, role }, async (tx, before, at) => {
    const { merchant_id } = member
    await setRole(tx, { merchant_id, user_id }, role)
    const detail = { role, before: before.role }
    const fields = { merchant_id, subject: user_id, change: 'member.role', detail, at }
    await insertLine(tx, personLine(context, authorOf(member.user_id, sender), fields))
  })
}

/** Ends the membership, and with it the person's sessions. */
export async function removeMember(
  context: UsersContext,
  member: Member,
  user_id: string,
  sender: Sender,
): Promise<void> {
  await changeMembership(context, member, { user_id, role: null }, async (tx, before, at) => {
    const { merchant_id } = member
    await deleteMembership(tx, { merchant_id, user_id })
    const detail = { role: before.role }
    const fields = { merchant_id, subject: user_id, change: 'member.removed', detail, at }
    await insertLine(tx, personLine(context, authorOf(member.user_id, sender), fields))
  })
}

/** Notes that a person reviewed all members and their roles. */
export async function review(context: UsersContext, member: Member, sender: Sender): Promise<Date> {
  const { sql, world } = context
  const { merchant_id, user_id } = member
  const at = world.clock.now()
  await sql.begin(async (tx) => {
    await lockTeam(tx, member)
    const members = await markReviewed(tx, merchant_id, at)
    const change = 'members.reviewed'
    const fields = { merchant_id, subject: merchant_id, change, detail: { members }, at }
    await insertLine(tx, personLine(context, authorOf(user_id, sender), fields))
  })
  return at
}

/**
 * Makes a link that resets a colleague's account. Its maker could use it, so they must have power over everything that
 * the account may do. Throws `permission_denied`.
 */
export async function makeResetLink(
  context: UsersContext,
  member: Member,
  user_id: string,
  sender: Sender,
): Promise<MadeLink> {
  return context.sql.begin(async (tx) => {
    const { now, own, theirs } = await lockMemberBeside(tx, member, user_id)
    const role = theirs?.roles.get(member.merchant_id)
    const colleague = await findUser(tx, user_id)
    if (!theirs || !colleague || role === undefined) throw notThere()
    refuseUnlessOwner(now, role)
    if (!hasPowerOver(own, theirs)) {
      const words = 'This person may do more elsewhere than you may: an operator makes their link.'
      throw new Refusal('permission_denied', words)
    }
    return makeLinkIn(tx, context, resetOf(colleague), authorOf(member.user_id, sender))
  })
}

/** The kind of link that resets an account. */
export function resetOf({ user_id, email }: { user_id: string; email: string }) {
  const nothing = { merchant_id: null, role: null, is_operator: false }
  return { purpose: 'reset' as const, email, user_id, ...nothing }
}

async function changeMembership(
  { sql, world }: UsersContext,
  member: Member,
  { user_id, role }: { user_id: string; role: Role | null },
  work: (tx: AnySql, before: Membership, at: Date) => Promise<void>,
): Promise<void> {
  await sql.begin(async (tx) => {
    const at = world.clock.now()
    const { now, all } = await lockTeam(tx, member)
    const before = all.find((each) => each.user_id === user_id)
    if (!before) throw notThere()
    refuseUnlessOwner(now, before.role)
    if (role !== null) refuseUnlessOwner(now, role)
    if (role !== 'owner') refuseLastOwner(all, before)
    await work(tx, before, at)
    await endSessions(tx, user_id, { but: member.session.session_id, at })
    await withdrawLinksBy(tx, { user_id, merchant_id: member.merchant_id, at })
    await withdrawResetsOf(tx, user_id, at)
  })
}

/**
 * Throws `invalid_request` if no other owner would be left. A disabled owner does not count, because they cannot let
 * anybody in.
 */
export function refuseLastOwner(all: LockedMember[], { user_id, role }: LockedMember): void {
  if (role !== 'owner') return
  const others = all.filter((each) => each.role === 'owner' && each.user_id !== user_id && each.disabled_at === null)
  if (others.length > 0) return
  const words = 'This is the last owner: make somebody else an owner first.'
  throw new Refusal('invalid_request', words, { field: 'user_id' })
}

function refuseUnlessOwner({ role: own }: { role: Role }, concerned_role: Role | null): void {
  if (mayDecideAbout(own, concerned_role)) return
  throw new Refusal('permission_denied', 'Only an owner decides about owners.')
}
