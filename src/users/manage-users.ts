// What an operator does about people at the command line. Access to the server is the root of trust.

import { insertLine } from '../audit/journal-store.ts'
import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { ManageContext } from '../merchants/manage.ts'
import { withdrawLinksBy, withdrawResetsOf } from './link-store.ts'
import { type MadeLink, makeLink } from './links.ts'
import { listMembershipsOf, lockMembers, setRole } from './member.ts'
import type { Role } from './roles.ts'
import { endSessions } from './session.ts'
import { refuseLastOwner } from './team.ts'
import { forgetEveryTry } from './tries.ts'
import { findUserByEmail, lockOperators, type User, updateUser } from './user.ts'
import { personLine } from './user-journal.ts'

export type LinkOffice = ManageContext & { dashboard_url: string }

/**
 * Makes a link for an address. A person with an account gets what the request names once they have signed in. If the
 * request names nothing, the link resets their account. Throws `invalid_request` for a disabled account, and for a
 * member of the merchant, since a link changes no role.
 */
export async function makeLinkFor(
  { sql, ids, clock, actor, by, dashboard_url }: LinkOffice,
  request: { email: string; is_operator: boolean; merchant_id: string | null; role: Role | null },
): Promise<MadeLink> {
  const user = await findUserByEmail(sql, request.email)
  if (user?.disabled_at) {
    const words = `${request.email} is disabled: ripper user unlock ${request.email} comes first.`
    throw new Refusal('invalid_request', words)
  }
  const memberships = user ? await listMembershipsOf(sql, user.user_id) : []
  const membership = memberships.find(({ merchant_id }) => merchant_id === request.merchant_id)
  if (membership) {
    const words = `${request.email} is ${membership.role} of ${membership.merchant_id} already: ripper user role changes that.`
    throw new Refusal('invalid_request', words)
  }
  const gives = request.is_operator || request.merchant_id !== null
  const is_reset = user !== undefined && !gives
  const is_invitation = !is_reset && (user !== undefined || !request.is_operator)
  const purpose = is_reset ? 'reset' : is_invitation && gives ? 'invite' : 'welcome'
  const addresses = { dashboard_url: () => dashboard_url }
  const context = { sql, ids, world: { clock }, addresses }
  const author = { actor, request_id: null, ...(by !== undefined && { by }) }
  return makeLink(context, { ...request, purpose, user_id: is_reset ? user.user_id : null }, author)
}

/** Ends all sessions and disables the account until `unlock`. Throws `invalid_request` for the last operator. */
export function disableUser(context: ManageContext, email: string): Promise<User> {
  return changeUser(context, { email, change: 'user.disabled' }, async (tx, user, at) => {
    const { user_id } = user
    await refuseLastOperator(tx, user)
    await updateUser(tx, user_id, { disabled_at: at, known_since: at })
    await endSessions(tx, user_id, { but: null, at })
    await withdrawLinksBy(tx, { user_id, merchant_id: null, at })
  })
}

/** Forgets failed tries, and enables a disabled account. */
export function unlockUser(context: ManageContext, email: string): Promise<User> {
  return changeUser(context, { email, change: 'user.unlocked' }, async (tx, { user_id }, at) => {
    // Otherwise the job that disables unused accounts would disable it again at once.
    await updateUser(tx, user_id, { disabled_at: null, warned_at: null, seen_at: at })
    await forgetEveryTry(tx, user_id)
  })
}

/** Gives or takes the operator's mark, and ends all sessions. Throws `invalid_request` for the last operator. */
export function markOperator(
  context: ManageContext,
  { email, is_operator }: { email: string; is_operator: boolean },
): Promise<User> {
  const fields = { email, change: 'user.operator', detail: { is_operator } }
  return changeUser(context, fields, async (tx, user, at) => {
    const { user_id } = user
    if (!is_operator) await refuseLastOperator(tx, user)
    await updateUser(tx, user_id, { is_operator })
    await endRights(tx, user_id, at)
  })
}

/** Gives a member another role, and ends their sessions. Throws `invalid_request` for the last owner. */
export function changeRoleOf(
  context: ManageContext,
  { email, merchant_id, role }: { email: string; merchant_id: string; role: Role },
): Promise<User> {
  const fields = { email, merchant_id, change: 'member.role', detail: { role } }
  return changeUser(context, fields, async (tx, { user_id }, at) => {
    const all = await lockMembers(tx, merchant_id)
    const before = all.find((each) => each.user_id === user_id)
    if (!before) {
      const words = `${email} is no member of ${merchant_id}: ripper user link invites them.`
      throw new Refusal('resource_not_found', words)
    }
    if (role !== 'owner') refuseLastOwner(all, before)
    await setRole(tx, { merchant_id, user_id }, role)
    await endRights(tx, user_id, at)
  })
}

/** What a person began under their earlier rights ends together with those rights. */
async function endRights(tx: AnySql, user_id: string, at: Date): Promise<void> {
  await endSessions(tx, user_id, { but: null, at })
  await withdrawLinksBy(tx, { user_id, merchant_id: null, at })
  await withdrawResetsOf(tx, user_id, at)
}

/** One operator must be left: no provider and no merchant can shut the way in by an operator's password. */
async function refuseLastOperator(tx: AnySql, { user_id, email }: User): Promise<void> {
  const operators = await lockOperators(tx, user_id)
  if (operators.some((each) => each.user_id !== user_id)) return
  if (!operators.some((each) => each.user_id === user_id)) return
  const words = `${email} is the last operator: ripper user operator EMAIL makes somebody else one first.`
  throw new Refusal('invalid_request', words)
}

/** Returns how many sessions ended. */
export async function signOutUser(context: ManageContext, email: string): Promise<number> {
  let ended_count = 0
  await changeUser(context, { email, change: 'user.signed_out' }, async (tx, { user_id }, at) => {
    ended_count = await endSessions(tx, user_id, { but: null, at })
  })
  return ended_count
}

/** Throws `resource_not_found`. */
async function changeUser(
  { sql, ids, clock, actor, by }: ManageContext,
  { email, ...fields }: { email: string; change: string; merchant_id?: string; detail?: object },
  work: (tx: AnySql, user: User, at: Date) => Promise<unknown>,
): Promise<User> {
  const at = clock.now()
  const author = { actor, request_id: null, ...(by !== undefined && { by }) }
  return sql.begin(async (tx) => {
    const user = await findUserByEmail(tx, email)
    if (!user) throw new Refusal('resource_not_found', `There is nobody with the address ${email}.`)
    await work(tx, user, at)
    await insertLine(tx, personLine({ ids }, author, { ...fields, subject: user.user_id, at }))
    return user
  })
}
