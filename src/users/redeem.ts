// A person comes in by a link: makes an account, joins a merchant, or resets their account.

import { insertLine } from '../audit/journal-store.ts'
import { isUniqueViolation } from '../database/failures.ts'
import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import { deleteIdentities } from './identity-store.ts'
import { type NamedLink, spendLink, withdrawOpenWelcomes, withdrawResetsOf } from './link-store.ts'
import { linkUsed } from './links.ts'
import { insertMembership, listMembershipsOf, signInRequired } from './member.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from './one-time-codes.ts'
import type { PageOrigin } from './page-origin.ts'
import {
  deletePasskeys,
  insertPasskey,
  judgeNewPasskey,
  type Passkey,
  type RegistrationResponseJSON,
} from './passkeys.ts'
import { faultOfPassword } from './password-rules.ts'
import { hashesOf, hashNewPassword, old_hashes_max } from './passwords.ts'
import { lockLink, requireSession } from './rights.ts'
import { endSessions, type Factor, type FoundSession, isLocked } from './session.ts'
import { authorOf, type Sender, startSession, type UsersContext } from './start-session.ts'
import { forgetEveryTry } from './tries.ts'
import {
  anyUserExists,
  findUser,
  insertUser,
  type Membership,
  plainEmail,
  plainName,
  replaceRecoveryCodes,
  updateUser,
} from './user.ts'
import { type Author, personLine } from './user-journal.ts'

/** What the person chose; exactly one of the two ways. */
export type Arrival = {
  email: string
  name: string
  passkey: RegistrationResponseJSON | null
  password: string | null
}

/** A new session for a person who is not signed in yet: its token, and when it began. */
export type Redemption = {
  entry: { token: string; user_id: string; at: Date } | null
  recovery_codes: string[]
}

type Way = { passkey: Omit<Passkey, 'user_id' | 'name'> | null; password_hash: string | null }

/** The id of the account that this link makes. It is known beforehand, so that a passkey can be made for it. */
export function userIdOf({ keyring }: Pick<UsersContext, 'keyring'>, link: NamedLink): string {
  return link.user_id ?? `usr_${keyring.mac('account by link', link.link_id).toString('hex', 0, 12)}`
}

/** The e-mail address of the account that this link makes. */
export function emailOf(link: NamedLink, typed_address: string): string {
  const email = link.email ?? plainEmail(typed_address)
  if (email !== null) return email
  throw new Refusal('invalid_request', 'email must be an e-mail address.', { field: 'email' })
}

/**
 * A person with an account is asked to sign in, because a link to a merchant must not open existing accounts. Throws
 * the refusals of links, `invalid_request` and `sign_in_failed`.
 */
export async function redeem(
  context: UsersContext,
  { link, arrival, page }: { link: NamedLink; arrival: Arrival; page: PageOrigin },
  { sender, session }: { sender: Sender; session: FoundSession | null },
): Promise<Redemption> {
  if (link.purpose !== 'reset' && link.holder_id !== null) {
    return join(context, link, { sender, session })
  }
  const user_id = userIdOf(context, link)
  const email = emailOf(link, arrival.email)
  const name = plainName(arrival.name) ?? link.user_name
  if (name === null) {
    throw new Refusal(
      'invalid_request',
      'name must have 1 to 100 characters, and none that controls text or turns it round.',
      { field: 'name' },
    )
  }
  const way = await wayOf(context, { link, arrival, page, own_words: [email, name] })
  const codes = newRecoveryCodes(context.world.random)
  try {
    const entry = await context.sql.begin(async (tx) => {
      const at = context.world.clock.now()
      if (!(await lockLink(tx, link, user_id))) throw linkUsed()
      // Sessions are locked before links.
      if (link.purpose === 'reset') await reopen(tx, { user_id, way, at })
      if (!(await spendLink(tx, link.link_id, at))) throw linkUsed()
      // The service makes such links only for the first owner, who comes before any account exists.
      if (link.made_by === 'service' && (await anyUserExists(tx))) throw linkUsed()
      if (link.purpose !== 'reset') {
        const { is_operator } = link
        const { password_hash } = way
        await insertUser(tx, { user_id, email, name, is_operator, password_hash, created_at: at })
        await withdrawOpenWelcomes(tx, at)
      }
      if (way.passkey) await insertPasskey(tx, { ...way.passkey, user_id, name: 'First passkey' })
      await replaceRecoveryCodes(tx, user_id, codes.map(hashOfRecoveryCode))
      await grant(tx, context, { link, user_id, at, sender })
      const author = authorOf(user_id, sender)
      const detail = { link_id: link.link_id, way: way.passkey ? 'passkey' : 'password' }
      const change = link.purpose === 'reset' ? 'user.reset' : 'user.created'
      await insertLine(tx, personLine(context, author, { subject: user_id, change, detail, at }))
      const factors: Factor[] = ['link', way.passkey ? 'passkey' : 'password']
      const whole = { user_id, factors, is_half: false, sender }
      return { token: await startSession(tx, context, whole), user_id, at }
    })
    return { entry, recovery_codes: codes }
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // Two tabs with one link make the same account: the slower one finds it.
    if (await findUser(context.sql, user_id)) throw linkUsed()
    const words = 'email has an account already: sign in with it.'
    throw new Refusal('invalid_request', words, { field: 'email', fault: 'has_account' })
  }
}

/** A person with an account accepts an invitation. Their session must be whole and not locked. */
async function join(
  context: UsersContext,
  link: NamedLink,
  { sender, session }: { sender: Sender; session: FoundSession | null },
): Promise<Redemption> {
  const at = context.world.clock.now()
  const is_open = session !== null && !session.is_half && !isLocked(session, at)
  if (!is_open || session.user_id !== link.holder_id) throw signInRequired()
  const { user_id } = session
  await context.sql.begin(async (tx) => {
    if (!(await lockLink(tx, link, user_id))) throw linkUsed()
    await requireSession(tx, session)
    if (!(await spendLink(tx, link.link_id, at))) throw linkUsed()
    await grant(tx, context, { link, user_id, at, sender })
  })
  return { entry: null, recovery_codes: [] }
}

/** What the link gives: a membership, the operator's mark. */
export async function grant(
  tx: AnySql,
  context: UsersContext,
  { link, user_id, at, sender }: { link: NamedLink; user_id: string; at: Date; sender: Sender },
): Promise<void> {
  const author = authorOf(user_id, sender)
  const { merchant_id, role, is_operator, made_by: invited_by } = link
  await withdrawResetsOf(tx, user_id, at)
  if (is_operator) {
    await updateUser(tx, user_id, { is_operator })
    const fields = { subject: user_id, change: 'user.operator', detail: { is_operator }, at }
    await insertLine(tx, personLine(context, author, fields))
  }
  if (merchant_id === null || role === null) return
  await addMember(tx, context, { merchant_id, user_id, role, invited_by, at }, author)
}

/** Makes a person a member; a member keeps their role. The transaction has locked the person. */
export async function addMember(
  tx: AnySql,
  context: Pick<UsersContext, 'ids'>,
  { at, ...membership }: Omit<Membership, 'created_at' | 'reviewed_at'> & { at: Date },
  author: Author,
): Promise<void> {
  const { merchant_id, user_id: subject, role, invited_by } = membership
  if (!(await insertMembership(tx, { ...membership, created_at: at, reviewed_at: null }))) return
  const fields = { merchant_id, subject, change: 'member.joined', detail: { role, invited_by }, at }
  await insertLine(tx, personLine(context, author, fields))
}

/** Removes all earlier ways in and ends all sessions, because a thief may have them. */
async function reopen(tx: AnySql, { user_id, way, at }: { user_id: string; way: Way; at: Date }): Promise<void> {
  const before = await findUser(tx, user_id)
  if (before?.disabled_at !== null) throw linkUsed()
  await updateUser(tx, user_id, {
    password_hash: way.password_hash,
    old_hashes: hashesOf(before).slice(0, old_hashes_max),
    totp_sealed: null,
    totp_pending: null,
    known_since: at,
  })
  await forgetEveryTry(tx, user_id)
  await deletePasskeys(tx, user_id)
  await deleteIdentities(tx, user_id)
  await endSessions(tx, user_id, { but: null, at })
}

async function wayOf(
  context: UsersContext,
  request: { link: NamedLink; arrival: Arrival; page: PageOrigin; own_words: string[] },
): Promise<Way> {
  const { link, arrival, page, own_words } = request
  const { passkey, password } = arrival
  if ((passkey === null) === (password === null)) {
    throw new Refusal('invalid_request', 'Send either a passkey or a password.', {
      field: 'passkey',
    })
  }
  if (passkey) {
    const newPasskey = await judgeNewPasskey(context, { page, purpose: `link ${link.link_id}` }, passkey)
    if (newPasskey) return { passkey: newPasskey, password_hash: null }
    const words = 'passkey is not one that was made for this link.'
    throw new Refusal('invalid_request', words, { field: 'passkey' })
  }
  const { user_id } = link
  const names = user_id ? await merchantNamesOf(context, user_id) : [link.merchant_name ?? '']
  refuseBadPassword(password!, [...own_words, ...names])
  const before = user_id ? await findUser(context.sql, user_id) : undefined
  const password_hash = await hashNewPassword(context, password!, before ? hashesOf(before) : [])
  return { passkey: null, password_hash }
}

export function refuseBadPassword(password: string, own_words: string[]): void {
  const fault = faultOfPassword(password, own_words)
  if (fault === null) return
  const { words, ...rule } = fault
  throw new Refusal('invalid_request', `password ${words}.`, { field: 'password', ...rule })
}

/** The names of the merchants that a person works for. */
export async function merchantNamesOf({ sql }: UsersContext, user_id: string): Promise<string[]> {
  return (await listMembershipsOf(sql, user_id)).map(({ merchant_name }) => merchant_name)
}
