// What a person changes about how they sign in. Each change ends their other sessions.

import { insertLine } from '../audit/journal-store.ts'
import { isUniqueViolation } from '../database/failures.ts'
import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import { notThere, type Person } from './member.ts'
import {
  hashOfRecoveryCode,
  newCodeSecret,
  newRecoveryCodes,
  openCodeSecret,
  plainCode,
  realNow,
  sealCodeSecret,
  stepOfCode,
} from './one-time-codes.ts'
import {
  deletePasskey,
  insertPasskey,
  judgeNewPasskey,
  listPasskeys,
  type RegistrationResponseJSON,
} from './passkeys.ts'
import { hashesOf, hashNewPassword, old_hashes_max } from './passwords.ts'
import { merchantNamesOf, refuseBadPassword } from './redeem.ts'
import { lockPerson } from './rights.ts'
import { addFactor, endSession, endSessions } from './session.ts'
import { authorOf, type Sender, type UsersContext } from './start-session.ts'
import { signInFailed } from './tries.ts'
import { findUser, plainName, replaceRecoveryCodes, spendStep, type User, updateUser } from './user.ts'
import { personLine } from './user-journal.ts'

/** Throws `invalid_request`. */
export async function addPasskey(
  context: UsersContext,
  person: Person,
  { name, passkey }: { name: string; passkey: RegistrationResponseJSON },
  sender: Sender,
): Promise<void> {
  const { user_id, page, session } = person
  const purpose = `passkey ${session.session_id}` as const
  const newPasskey = await judgeNewPasskey(context, { page, purpose }, passkey)
  const plain_name = plainName(name)
  if (!newPasskey || plain_name === null) {
    const field = newPasskey ? 'name' : 'passkey'
    throw new Refusal('invalid_request', `${field} cannot be used.`, { field })
  }
  const detail = { credential_id: newPasskey.credential_id }
  try {
    await changeWays(context, person, { change: 'passkey.added', detail, sender }, async (tx) => {
      await insertPasskey(tx, { ...newPasskey, user_id, name: plain_name })
      await addFactor(tx, session.session_id, 'passkey')
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const fault = { field: 'passkey', fault: 'passkey_known' } as const
    throw new Refusal('invalid_request', 'passkey is known already.', fault)
  }
}

/** The last way in cannot be removed. */
export async function removePasskey(
  context: UsersContext,
  person: Person,
  credential_id: string,
  sender: Sender,
): Promise<void> {
  const { user_id } = person
  const detail = { credential_id }
  await changeWays(context, person, { change: 'passkey.removed', detail, sender }, async (tx, user) => {
    if (!(await deletePasskey(tx, { credential_id, user_id }))) throw notThere()
    const rest = await listPasskeys(tx, user_id)
    if (rest.length === 0 && user.password_hash === null) {
      const words = 'This is the only way in: add another passkey or a password first.'
      const fault = { field: 'credential_id', fault: 'last_way_in' } as const
      throw new Refusal('invalid_request', words, fault)
    }
  })
}

/**
 * Returns the time since when browsers count as known: the change forgets all earlier ones. Throws `invalid_request`
 * for a password that is too weak or was used lately.
 */
export async function setPassword(
  context: UsersContext,
  person: Person,
  password: string,
  sender: Sender,
): Promise<Date> {
  const { user_id, session } = person
  const names = await merchantNamesOf(context, user_id)
  refuseBadPassword(password, [session.email, session.name, ...names])
  const earlier = hashesOf(await userOf(context, user_id))
  const password_hash = await hashNewPassword(context, password, earlier)
  return changeWays(context, person, { change: 'password.set', sender }, async (tx, user, at) => {
    const old_hashes = hashesOf(user).slice(0, old_hashes_max)
    await updateUser(tx, user_id, { password_hash, old_hashes, known_since: at })
    await addFactor(tx, session.session_id, 'password')
  })
}

/** A secret for an authenticator, which counts once a first code has confirmed it. */
export async function beginOneTimeCodes(
  context: UsersContext,
  { user_id, session }: Person,
): Promise<{ secret: string; uri: string }> {
  const { bytes, secret, uri } = newCodeSecret(context.world, session.email)
  const totp_pending = sealCodeSecret(context.keyring, user_id, bytes)
  await context.sql.begin(async (tx) => {
    await lockPerson(tx, { user_id, session })
    await updateUser(tx, user_id, { totp_pending })
  })
  return { secret, uri }
}

/** Throws `sign_in_failed` for a wrong code. */
export async function confirmOneTimeCodes(
  context: UsersContext,
  person: Person,
  code: string,
  sender: Sender,
): Promise<void> {
  const { user_id } = person
  await changeWays(context, person, { change: 'one_time_codes.set', sender }, async (tx, user) => {
    const { totp_pending } = user
    if (totp_pending === null) {
      throw new Refusal('invalid_request', 'code has no secret yet: ask for one first.', {
        field: 'code',
        fault: 'no_secret',
      })
    }
    const bytes = openCodeSecret(context.keyring, user_id, totp_pending)
    // A new secret starts afresh: used codes of the old secret do not count against it.
    const step = stepOfCode(bytes, plainCode(code), { last_step: 0, real_now: realNow(context) })
    if (step === null) throw signInFailed()
    await updateUser(tx, user_id, {
      totp_sealed: totp_pending,
      totp_pending: null,
      totp_last_step: 0,
    })
    await spendStep(tx, user_id, step)
    await addFactor(tx, person.session.session_id, 'one_time_code')
  })
}

export async function removeOneTimeCodes(context: UsersContext, person: Person, sender: Sender): Promise<void> {
  const { user_id } = person
  const none = { totp_sealed: null, totp_pending: null }
  await changeWays(context, person, { change: 'one_time_codes.removed', sender }, (tx) => updateUser(tx, user_id, none))
}

export async function renewRecoveryCodes(context: UsersContext, person: Person, sender: Sender): Promise<string[]> {
  const codes = newRecoveryCodes(context.world.random)
  await changeWays(context, person, { change: 'recovery_codes.made', sender }, (tx) =>
    replaceRecoveryCodes(tx, person.user_id, codes.map(hashOfRecoveryCode)),
  )
  return codes
}

export async function userOf({ sql }: Pick<UsersContext, 'sql'>, user_id: string): Promise<User> {
  const user = await findUser(sql, user_id)
  if (!user) throw notThere()
  return user
}

/**
 * Makes a change and writes its line in one transaction, and ends all other sessions of the person. Returns the time of
 * the change.
 */
async function changeWays(
  context: UsersContext,
  { user_id, session }: Person,
  { change, detail = {}, sender }: { change: string; detail?: object; sender: Sender },
  work: (tx: AnySql, user: User, at: Date) => Promise<unknown>,
): Promise<Date> {
  return context.sql.begin(async (tx) => {
    const at = context.world.clock.now()
    const user = await lockPerson(tx, { user_id, session })
    await work(tx, user, at)
    await endSessions(tx, user_id, { but: session.session_id, at })
    const author = authorOf(user_id, sender)
    await insertLine(tx, personLine(context, author, { subject: user_id, change, detail, at }))
    return at
  })
}

/** Throws `resource_not_found`. */
export async function endOwnSession(
  context: UsersContext,
  { user_id, session }: Person,
  session_id: string,
  sender: Sender,
): Promise<void> {
  await context.sql.begin(async (tx) => {
    await lockPerson(tx, { user_id, session })
    const at = context.world.clock.now()
    if (!(await endSession(tx, { session_id, user_id }, at))) throw notThere()
    const fields = { subject: user_id, change: 'sign_in.ended', detail: { session_id }, at }
    await insertLine(tx, personLine(context, authorOf(user_id, sender), fields))
  })
}

/** Returns how many sessions ended, and when. Browsers are known to the person only since then. */
export async function endOtherSessions(
  context: UsersContext,
  { user_id, session }: Person,
  sender: Sender,
): Promise<{ ended: number; at: Date }> {
  return context.sql.begin(async (tx) => {
    await lockPerson(tx, { user_id, session })
    const at = context.world.clock.now()
    // An intruder in one of those sessions has signed in in a browser of their own.
    await updateUser(tx, user_id, { known_since: at })
    const ended_count = await endSessions(tx, user_id, { but: session.session_id, at })
    const fields = { subject: user_id, change: 'sign_in.others_ended', detail: { ended: ended_count }, at }
    await insertLine(tx, personLine(context, authorOf(user_id, sender), fields))
    return { ended: ended_count, at }
  })
}
