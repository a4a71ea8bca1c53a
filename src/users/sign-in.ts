// Signs people in: by passkey, or by password with a one-time or recovery code. No refusal says which part was wrong.

import { insertLine } from '../audit/journal-store.ts'
import { isKnownTo, type KnownBrowser, readKnownBrowser } from './known-browser.ts'
import { listMembershipsOf } from './member.ts'
import { hashOfRecoveryCode, openCodeSecret, plainCode, realNow, stepOfCode } from './one-time-codes.ts'
import type { PageOrigin } from './page-origin.ts'
import {
  type AuthenticationResponseJSON,
  findPasskey,
  judgePasskeyUse,
  listPasskeys,
  notePasskeyUse,
} from './passkeys.ts'
import { hashing, hashPassword, isPassword, isUnderOtherKey } from './passwords.ts'
import type { Evidence } from './proof-ways.ts'
import type { FoundSession } from './session.ts'
import { domainOf } from './single-sign-on.ts'
import { authorOf, type Sender, signIn, signInByHalf, type UsersContext } from './start-session.ts'
import {
  type CountedTry,
  countTryApart,
  countTryOfName,
  forgetTries,
  forgetTriesApart,
  limitTries,
  lockOf,
  nameDigests,
  noteFailure,
  signInFailed,
  tryApart,
} from './tries.ts'
import { findUser, plainEmail, rehash, spendStep, takeRecoveryCode, type User } from './user.ts'
import { personLine } from './user-journal.ts'

/** What a person has to show after the password. */
export type AfterPassword = 'signed_in' | 'one_time_code' | 'passkey'

/**
 * Returns the person of the password, whether a second factor is needed, and the token of the whole or half session.
 * Throws `sign_in_failed`.
 */
export async function signInByPassword(
  context: UsersContext,
  { email, password }: { email: string; password: string },
  sender: Sender,
  before: FoundSession | null,
): Promise<{ next: AfterPassword; token: string; user_id: string }> {
  limitTries(context, sender)
  const name = plainEmail(email) ?? email
  const knownBrowser = readKnownBrowser(context.keyring, sender.caller, context.world.clock.now())
  const judge = async () => {
    const attempt = await countPassword(context, name, knownBrowser)
    const is_right = await isPassword(context, password, attempt?.user.password_hash ?? null)
    return {
      attempt: attempt && is_right ? await underCurrentKey(context, attempt, password) : attempt,
      is_right,
    }
  }
  const places = knownBrowser ? 'of_known' : 'of_strangers'
  const { attempt, is_right } = await hashing(context, judge, places)
  if (!attempt || !is_right || isShut(context, attempt.user)) {
    const { locked_until = null } = attempt ?? {}
    await noteFailure(context, attempt ? { user_id: attempt.user.user_id, locked_until } : { name }, sender)
    throw signInFailed()
  }
  const { user_id, password_hash } = attempt.user
  if (attempt.is_known) await forgetTriesApart(context.sql, { user_id, counter: 'known_browser' })
  else await forgetTries(context.sql, user_id)
  const next = await nextAfterPassword(context, attempt.user)
  const evidence: Evidence[] = [{ factor: 'password', password_hash: password_hash! }]
  const entry = { user_id, evidence, sender }
  const token = next === 'signed_in' ? await signIn(context, { ...entry, before }) : await signInByHalf(context, entry)
  if (token === null) throw signInFailed()
  return { next, token, user_id }
}

/** A counted try, and the time until which it locked its counter. */
type PasswordTry = Pick<User, 'locked_until'> & { user: User; is_known: boolean }

/**
 * Counts at the browser's own counter if the browser knows this person, and otherwise at the counter of all strangers.
 */
async function countPassword(
  context: UsersContext,
  name: string,
  knownBrowser: KnownBrowser | null,
): Promise<PasswordTry | undefined> {
  const { sql } = context
  const user = knownBrowser ? await findUser(sql, knownBrowser.user_id) : undefined
  if (knownBrowser && user?.email === name && user.disabled_at === null && isKnownTo(user, knownBrowser)) {
    const { user_id } = user
    const which = { user_id, counter: 'known_browser' as const }
    const row = await countTryApart(sql, which, lockOf(context))
    return row && { ...row, user, is_known: true }
  }
  const bucket = nameDigests(context, name)[0]!
  const person = await countTryOfName(sql, { email: name, bucket }, lockOf(context))
  return person && { locked_until: person.locked_until, user: person, is_known: false }
}

/**
 * A right password is hashed again under the current master key, since its hash lasts only as long as its key. Call it
 * inside `hashing`.
 */
async function underCurrentKey(context: UsersContext, attempt: PasswordTry, password: string): Promise<PasswordTry> {
  const { user } = attempt
  const before = user.password_hash!
  if (!isUnderOtherKey(context, before)) return attempt
  const password_hash = await hashPassword(context, password)
  const is_stored = await rehash(context.sql, { user_id: user.user_id, password_hash, before })
  return is_stored ? { ...attempt, user: { ...user, password_hash } } : attempt
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
): Promise<{ user_id: string; evidence: Evidence }> {
  const passkey = await findPasskey(context.sql, response.id)
  if (!passkey || (user_id !== null && passkey.user_id !== user_id)) throw signInFailed()
  const passkeyUse = await judgePasskeyUse(context, { page, purpose }, { passkey, response })
  const at = context.world.clock.now()
  const is_first = passkeyUse && (await notePasskeyUse(context.sql, passkey.credential_id, { ...passkeyUse, at }))
  const { credential_id, user_id: whose } = passkey
  if (is_first) return { user_id: whose, evidence: { factor: 'passkey', credential_id } }
  await noteFailure(context, { user_id: whose, locked_until: null }, sender)
  throw signInFailed()
}

/**
 * Accepts a one-time code of a person once. Returns it together with their password as evidence. Throws
 * `sign_in_failed`.
 */
export async function acceptOneTimeCode(
  context: UsersContext,
  which: CountedTry,
  { code, password = null }: { code: string; password?: string | null },
  sender: Sender,
): Promise<Evidence[]> {
  return tryApart(context, which, sender, async (user) => {
    const { totp_sealed, password_hash } = user
    if (password !== null && !(await isTheirPassword(context, user, password))) return null
    if (!(await isTheirCode(context, user, code))) return null
    const evidence: Evidence = { factor: 'one_time_code', totp_sealed: totp_sealed! }
    if (password === null) return [evidence]
    return [evidence, { factor: 'password', password_hash: password_hash! }]
  })
}

/** Judges the password of a person who has shown another factor before. Throws `sign_in_failed`. */
export async function acceptPassword(
  context: UsersContext,
  which: CountedTry,
  password: string,
  sender: Sender,
): Promise<Evidence> {
  return tryApart(context, which, sender, async (user) => {
    if (!(await isTheirPassword(context, user, password))) return null
    return { factor: 'password', password_hash: user.password_hash! }
  })
}

/**
 * Uses a recovery code once, and returns it with its person. After a password the code must belong to that person.
 * Without one, it must belong to a person who has no password and lost their passkey. Throws `sign_in_failed`.
 */
export async function spendRecoveryCode(
  context: UsersContext,
  { user_id, code }: { user_id: string | null; code: string },
  sender: Sender,
): Promise<{ user_id: string; evidence: Evidence }> {
  limitTries(context, sender)
  const take = () => takeUsableCode(context, { user_id, code })
  // A code without a person is safe from guessing: it has 80 random bits.
  const which = user_id === null ? null : { user_id, counter: 'second_factor' as const }
  const result = which ? await tryApart(context, which, sender, take) : await take()
  if (result === null) throw signInFailed()
  await tellOwners(context, result.user_id, sender)
  return result
}

/** Null if there is no such code, or if its person may not come in by it. */
async function takeUsableCode(
  { sql, world }: UsersContext,
  { user_id, code }: { user_id: string | null; code: string },
): Promise<{ user_id: string; evidence: Evidence } | null> {
  const at = world.clock.now()
  const code_hash = hashOfRecoveryCode(code)
  return sql.begin(async (tx) => {
    const whose = await takeRecoveryCode(tx, { code_hash, user_id, at })
    const user = whose === null ? undefined : await findUser(tx, whose)
    if (!user || user.disabled_at !== null) return null
    if (user_id === null && user.password_hash !== null) throw signInFailed()
    return { user_id: user.user_id, evidence: { factor: 'recovery_code' as const, code_hash } }
  })
}

/** If single sign-on is required, only operators may use passwords: one local way in must be left. */
function isShut({ doorkeeper }: UsersContext, { email, is_operator }: User): boolean {
  return !is_operator && doorkeeper.shut_domains.includes(domainOf(email))
}

async function isTheirPassword(context: UsersContext, { password_hash }: User, password: string): Promise<boolean> {
  return hashing(context, () => isPassword(context, password, password_hash))
}

async function isTheirCode(context: UsersContext, user: User, code: string): Promise<boolean> {
  const { user_id, totp_sealed, totp_last_step: last_step } = user
  if (totp_sealed === null) return false
  const bytes = openCodeSecret(context.keyring, user_id, totp_sealed)
  const step = stepOfCode(bytes, plainCode(code), { last_step, real_now: realNow(context) })
  return step !== null && spendStep(context.sql, user_id, step)
}

/**
 * The owners of each merchant see it in their journal. Each line is a statement of its own, since each has its
 * merchant.
 */
async function tellOwners(context: UsersContext, user_id: string, sender: Sender): Promise<void> {
  const fields = { subject: user_id, change: 'recovery_code.used', at: context.world.clock.now() }
  const line = (merchant_id?: string) =>
    personLine(context, authorOf(user_id, sender), { ...fields, ...(merchant_id && { merchant_id }) })
  await insertLine(context.sql, line())
  for (const { merchant_id } of await listMembershipsOf(context.sql, user_id)) {
    await insertLine(context.sql, line(merchant_id))
  }
}
