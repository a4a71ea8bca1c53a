// Signs people in by passkey; where a passkey and a password are asked for, by both, in either order.

import type { PageOrigin } from './page-origin.ts'
import type { AuthenticationResponseJSON } from './passkeys.ts'
import type { FoundSession } from './session-store.ts'
import { acceptPasskey, acceptPassword, failed, limitTries } from './sign-in.ts'
import { renew, type Sender, signIn, startSession, type UsersContext } from './start-session.ts'
import { findUser } from './user-store.ts'

/**
 * Whether the password is to come, and the token of the whole or half session. `before` is the browser's session: half of
 * one that has shown the password becomes whole. Throws `sign_in_failed`.
 */
export async function signInByPasskey(
  context: UsersContext,
  { page, response }: { page: PageOrigin; response: AuthenticationResponseJSON },
  sender: Sender,
  before: FoundSession | null,
): Promise<{ next: 'signed_in' | 'password'; token: string }> {
  limitTries(context, sender)
  const { wants_both } = context.doorkeeper
  const shown = { response, user_id: null }
  const user_id = await acceptPasskey(context, { page, purpose: 'sign-in' }, shown, sender)
  const factors = ['passkey' as const]
  if (wants_both && before?.user_id === user_id && isHalfBy(before, 'password')) {
    return { next: 'signed_in', token: await completed(context, before, { factors, sender }) }
  }
  const user = wants_both ? await findUser(context.sql, user_id) : undefined
  if (user && user.password_hash !== null) {
    const half = { user_id, factors, is_half: true, sender }
    const token = await context.sql.begin((tx) => startSession(tx, context, half))
    return { next: 'password', token }
  }
  const token = await signIn(context, { user_id, factors, sender, before })
  return { next: 'signed_in', token }
}

/** Shows the password to half a session that has shown a passkey; returns the whole session's token. Throws `sign_in_failed`. */
export async function showPassword(
  context: UsersContext,
  session: FoundSession,
  password: string,
  sender: Sender,
): Promise<string> {
  limitTries(context, sender)
  if (!isHalfBy(session, 'passkey')) throw failed()
  await acceptPassword(context, { user_id: session.user_id, password }, sender)
  return completed(context, session, { factors: ['password'], sender })
}

function isHalfBy({ is_half, factors }: FoundSession, first: 'passkey' | 'password'): boolean {
  return is_half && factors.includes(first)
}

async function completed(
  context: UsersContext,
  session: FoundSession,
  { factors, sender }: { factors: ('passkey' | 'password')[]; sender: Sender },
): Promise<string> {
  const token = await renew(context, session, { shown: factors, sender })
  if (token === null) throw failed()
  return token
}
