// Signs people in by passkey; if the installation requires passkey and password, by both in either order.

import type { PageOrigin } from './page-origin.ts'
import type { AuthenticationResponseJSON } from './passkeys.ts'
import type { FoundSession } from './session.ts'
import { acceptPasskey, acceptPassword } from './sign-in.ts'
import { type Entry, renew, type Sender, signIn, signInByHalf, type UsersContext } from './start-session.ts'
import { limitTries, signInFailed } from './tries.ts'
import { findUser } from './user.ts'

/**
 * Returns the token of a whole or half session, and whether the password is still missing. `before` is the browser's
 * session: if it is a half one that has shown the password, it becomes whole. Throws `sign_in_failed`.
 */
export async function signInByPasskey(
  context: UsersContext,
  { page, response }: { page: PageOrigin; response: AuthenticationResponseJSON },
  sender: Sender,
  before: FoundSession | null,
): Promise<{ next: 'signed_in' | 'password'; token: string }> {
  limitTries(context, sender)
  const { wants_both } = context.doorkeeper
  const answer = { response, user_id: null }
  const { user_id, evidence } = await acceptPasskey(context, { page, purpose: 'sign-in' }, answer, sender)
  const entry = { user_id, evidence: [evidence], sender }
  if (wants_both && before?.user_id === user_id && isHalfBy(before, 'password')) {
    return { next: 'signed_in', token: await completed(context, before, entry) }
  }
  const user = wants_both ? await findUser(context.sql, user_id) : undefined
  if (user && user.password_hash !== null) {
    return { next: 'password', token: orFailed(await signInByHalf(context, entry)) }
  }
  return { next: 'signed_in', token: orFailed(await signIn(context, { ...entry, before })) }
}

/**
 * Shows the password to a half session that has shown a passkey. Returns the whole session's token. Throws
 * `sign_in_failed`.
 */
export async function showPassword(
  context: UsersContext,
  session: FoundSession,
  password: string,
  sender: Sender,
): Promise<string> {
  limitTries(context, sender)
  if (!isHalfBy(session, 'passkey')) throw signInFailed()
  const { user_id } = session
  const which = { user_id, counter: 'second_password' as const }
  const evidence = await acceptPassword(context, which, password, sender)
  return completed(context, session, { user_id, evidence: [evidence], sender })
}

function isHalfBy({ is_half, factors }: FoundSession, first: 'passkey' | 'password'): boolean {
  return is_half && factors.includes(first)
}

async function completed(context: UsersContext, session: FoundSession, entry: Entry): Promise<string> {
  return orFailed(await renew(context, session, entry))
}

function orFailed(token: string | null): string {
  if (token === null) throw signInFailed()
  return token
}
