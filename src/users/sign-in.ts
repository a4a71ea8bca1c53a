// Signs people in: by passkey, by password with a one-time or a recovery code. No refusal says which part was wrong.

import { insertLine } from '../audit/journal-store.ts'
import { networkOf } from '../http/gateway-limit.ts'
import { Refusal } from '../kernel/errors.ts'
import { type Author, personLine } from './lines.ts'
import { listMembershipsOf } from './membership-store.ts'
import { openCodeSecret, plainCode, realNow, stepOfCode } from './one-time-codes.ts'
import type { PageOrigin } from './page-origin.ts'
import { findPasskey, listPasskeys, notePasskeyUse } from './passkey-store.ts'
import { type AuthenticationResponseJSON, judgePasskeyUse } from './passkeys.ts'
import { hashing, hashPassword, isPassword, isUnderOtherKey, tooMany } from './passwords.ts'
import { hashOfRecoveryCode } from './recovery-codes.ts'
import type { FoundSession } from './session-store.ts'
import type { Shown } from './shown-store.ts'
import { domainOf } from './single-sign-on.ts'
import { authorOf, type Sender, signIn, signInByHalf, type UsersContext } from './start-session.ts'
import { plainEmail, type User } from './user.ts'
import {
  countTry,
  countTryOfName,
  countUnlistedTry,
  findUser,
  rehash,
  spendStep,
  takeRecoveryCode,
} from './user-store.ts'

export const tries_max = 10
export const locked_ms = 30 * 60_000
/** Requests of one network a minute that try to sign in, whomever they try. */
const tries_of_network_max = 60
/** Lines a minute about names that nobody has: nobody may fill the journal. */
const unknown_names_max = 30

/** What a person has to show after the password. */
export type AfterPassword = 'signed_in' | 'one_time_code' | 'passkey'

/** Counts a try of an address. Throws `too_many_attempts`. */
export function limitTries({ doorkeeper, world }: UsersContext, { caller }: Sender): void {
  const { tries } = doorkeeper
  if (!tries) return
  const { count, left_ms } = tries.count(networkOf(caller.address), world.clock.now())
  if (count > tries_of_network_max) throw tooMany(Math.ceil(left_ms / 1000))
}

/** Whether a second factor is to come, and the token of the whole or half session. Throws `sign_in_failed`. */
export async function signInByPassword(
  context: UsersContext,
  { email, password }: { email: string; password: string },
  sender: Sender,
  before: FoundSession | null,
): Promise<{ next: AfterPassword; token: string }> {
  limitTries(context, sender)
  const name = plainEmail(email) ?? email
  const bucket = digestOf(context, name)[0]!
  const { counted, is_right } = await hashing(context, async () => {
    const counted = await countTryOfName(context.sql, { email: name, bucket }, lockOf(context))
    const stored = counted?.password_hash ?? null
    const is_right = await isPassword(context, password, stored)
    if (counted && is_right && isUnderOtherKey(context, stored!)) {
      const password_hash = await hashPassword(context, password)
      const { user_id } = counted
      const rehashed = { user_id, password_hash, before: stored! }
      if (await rehash(context.sql, rehashed))
        return { counted: { ...counted, password_hash }, is_right }
    }
    return { counted, is_right }
  })
  if (!counted || !is_right || isShut(context, counted)) {
    await noteFailure(context, counted ?? { name }, sender)
    throw failed()
  }
  const { user_id, password_hash } = counted
  const next = await nextAfterPassword(context, counted)
  const shown: Shown[] = [{ factor: 'password', password_hash: password_hash! }]
  const arrived = { user_id, shown, sender }
  const token =
    next === 'signed_in'
      ? await signIn(context, { ...arrived, before })
      : await signInByHalf(context, arrived)
  if (token === null) throw failed()
  return { next, token }
}

async function nextAfterPassword(
  { sql, doorkeeper }: UsersContext,
  { user_id, totp_sealed }: User,
): Promise<AfterPassword> {
  const wants_passkey = doorkeeper.wants_both && (await listPasskeys(sql, user_id)).length > 0
  if (wants_passkey) return 'passkey'
  return totp_sealed === null ? 'signed_in' : 'one_time_code'
}

/** Returns the passkey, once it has answered. Throws `sign_in_failed`. */
export async function acceptPasskey(
  context: UsersContext,
  { page, purpose }: { page: PageOrigin; purpose: 'sign-in' | `proof ${string}` },
  { response, user_id }: { response: AuthenticationResponseJSON; user_id: string | null },
  sender: Sender,
): Promise<{ user_id: string; shown: Shown }> {
  const passkey = await findPasskey(context.sql, response.id)
  if (!passkey || (user_id !== null && passkey.user_id !== user_id)) throw failed()
  const used = await judgePasskeyUse(context, { page, purpose }, { passkey, response })
  const at = context.world.clock.now()
  const is_first =
    used && (await notePasskeyUse(context.sql, passkey.credential_id, { ...used, at }))
  const { credential_id, user_id: whose } = passkey
  if (is_first) return { user_id: whose, shown: { factor: 'passkey', credential_id } }
  await noteFailure(context, { user_id: whose, locked_until: null }, sender)
  throw failed()
}

/** Uses up a one-time code of a person; returns it with the password beside it. Throws `sign_in_failed`. */
export async function acceptOneTimeCode(
  context: UsersContext,
  { user_id, code, password = null }: { user_id: string; code: string; password?: string | null },
  sender: Sender,
): Promise<Shown[]> {
  const user = await countTry(context.sql, user_id, lockOf(context))
  const is_right =
    user !== undefined &&
    (password === null || (await isTheirPassword(context, user, password))) &&
    (await isTheirCode(context, user, code))
  if (is_right) {
    const { totp_sealed, password_hash } = user
    const shown: Shown = { factor: 'one_time_code', totp_sealed: totp_sealed! }
    return password === null
      ? [shown]
      : [shown, { factor: 'password', password_hash: password_hash! }]
  }
  await noteFailure(context, user ?? { name: user_id }, sender)
  throw failed()
}

/** Judges the password of somebody who has come in by something else before. Throws `sign_in_failed`. */
export async function acceptPassword(
  context: UsersContext,
  { user_id, password }: { user_id: string; password: string },
  sender: Sender,
): Promise<Shown> {
  const user = await countTry(context.sql, user_id, lockOf(context))
  if (user && (await isTheirPassword(context, user, password))) {
    return { factor: 'password', password_hash: user.password_hash! }
  }
  await noteFailure(context, user ?? { name: user_id }, sender)
  throw failed()
}

/**
 * Uses up a recovery code: of the person who has shown their password; without one, of a person who has none and lost
 * their passkey. Returns it with whose it was. Throws `sign_in_failed`.
 */
export async function spendRecoveryCode(
  context: UsersContext,
  { user_id, code }: { user_id: string | null; code: string },
  sender: Sender,
): Promise<{ user_id: string; shown: Shown }> {
  const { sql, world } = context
  limitTries(context, sender)
  const counted = user_id === null ? null : await countTry(sql, user_id, lockOf(context))
  if (counted === undefined) throw failed()
  const at = world.clock.now()
  const code_hash = hashOfRecoveryCode(code)
  const whose = await sql.begin(async (tx) => {
    const found = await takeRecoveryCode(tx, { code_hash, user_id, at })
    const user = found === null ? undefined : await findUser(tx, found)
    if (!user || user.disabled_at !== null) return null
    if (user_id === null && user.password_hash !== null) throw failed()
    return user.user_id
  })
  if (whose === null) {
    if (counted) await noteFailure(context, counted, sender)
    throw failed()
  }
  await tellOwners(context, whose, sender)
  return { user_id: whose, shown: { factor: 'recovery_code', code_hash } }
}

export function failed(): Refusal {
  return new Refusal('sign_in_failed', 'That did not work. Check what you typed and try again.')
}

/** Where single sign-on is required, passwords are shut, but for operators: one local way in must be left. */
function isShut({ doorkeeper }: UsersContext, { email, is_operator }: User): boolean {
  return !is_operator && doorkeeper.shut_domains.includes(domainOf(email))
}

async function isTheirPassword(
  context: UsersContext,
  { password_hash }: User,
  password: string,
): Promise<boolean> {
  return hashing(context, () => isPassword(context, password, password_hash))
}

async function isTheirCode(context: UsersContext, user: User, code: string): Promise<boolean> {
  const { user_id, totp_sealed, totp_last_step: last_step } = user
  if (totp_sealed === null) return false
  const bytes = openCodeSecret(context.keyring, user_id, totp_sealed)
  const step = stepOfCode(bytes, plainCode(code), { last_step, real_now: realNow(context) })
  return step !== null && spendStep(context.sql, user_id, step)
}

function lockOf({ world }: UsersContext) {
  const now = world.clock.now()
  return { tries_max, locked_until: new Date(now.getTime() + locked_ms), now }
}

/**
 * A failure stands in the journal: of a person by their id, of an unknown name as a keyed digest. The one that locks is
 * called so. Each failure costs one statement that writes.
 */
async function noteFailure(
  context: UsersContext,
  of: Pick<User, 'user_id' | 'locked_until'> | { name: string },
  sender: Sender,
): Promise<void> {
  const { sql, world, doorkeeper } = context
  const at = world.clock.now()
  const author: Author = { ...authorOf('', sender), actor: 'visitor' }
  const told = { change: 'sign_in.failed', at }
  if ('user_id' in of) {
    const { user_id: subject, locked_until } = of
    const locked = { change: 'sign_in.locked', detail: { locked_until } }
    const line = { ...told, subject, ...(locked_until && locked) }
    return insertLine(sql, personLine(context, author, line))
  }
  const digest = digestOf(context, of.name)
  const { count } = doorkeeper.unknown_names.count('', at)
  if (count > unknown_names_max) return countUnlistedTry(sql, digest[0]!)
  const subject = `name ${digest.toString('hex', 0, 12)}`
  return insertLine(sql, personLine(context, author, { ...told, subject }))
}

function digestOf({ keyring }: UsersContext, name: string): Buffer {
  return keyring.mac('unknown name', name.toLowerCase())
}

/** The owners of each merchant find it in their journal. Each line is a statement, since each has its merchant. */
async function tellOwners(context: UsersContext, user_id: string, sender: Sender): Promise<void> {
  const told = { subject: user_id, change: 'recovery_code.used', at: context.world.clock.now() }
  const line = (merchant_id?: string) =>
    personLine(context, authorOf(user_id, sender), { ...told, ...(merchant_id && { merchant_id }) })
  await insertLine(context.sql, line())
  for (const { merchant_id } of await listMembershipsOf(context.sql, user_id)) {
    await insertLine(context.sql, line(merchant_id))
  }
}
