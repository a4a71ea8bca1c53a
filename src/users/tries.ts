// Limits guessing: who may try how often, at which counter, and what the journal says of failures.

import { insertLine } from '../audit/journal-store.ts'
import { networkOf } from '../http/gateway-limit.ts'
import { Refusal } from '../kernel/errors.ts'
import { type Author, personLine } from './lines.ts'
import { tooMany } from './passwords.ts'
import { authorOf, type Sender, type UsersContext } from './start-session.ts'
import { type CountedTry, countTryApart, countUnlistedTry, forgetTriesApart, type Lock } from './tries-store.ts'
import type { User } from './user.ts'
import { findUser } from './user-store.ts'

export const tries_max = 10
export const locked_ms = 30 * 60_000
/** Requests of one network a minute that try to sign in, whomever they try. */
const tries_of_network_max = 60
/** Lines a minute about names that nobody has: nobody may fill the journal. */
const unknown_names_max = 30

/** Counts a try of an address. Throws `too_many_attempts`. */
export function limitTries({ doorkeeper, world }: UsersContext, { caller }: Sender): void {
  const { tries } = doorkeeper
  if (!tries) return
  const { count, left_ms } = tries.count(networkOf(caller.address), world.clock.now())
  if (count > tries_of_network_max) throw tooMany(Math.ceil(left_ms / 1000))
}

/**
 * One try of somebody who has shown something before: counted, judged, and forgotten with those before it where it was right.
 * `judge` returns null for a wrong one. Throws `sign_in_failed`.
 */
export async function tryApart<T>(
  context: UsersContext,
  which: CountedTry,
  sender: Sender,
  judge: (user: User) => Promise<T | null>,
): Promise<T> {
  const { sql } = context
  const { user_id } = which
  const row = await countTryApart(sql, which, lockOf(context))
  const user = row && (await findUser(sql, user_id))
  const result = user && user.disabled_at === null ? await judge(user) : null
  if (result !== null) {
    await forgetTriesApart(sql, which)
    return result
  }
  await noteFailure(context, row ? { user_id, ...row } : { name: user_id }, sender)
  throw failed()
}

export function failed(): Refusal {
  return new Refusal('sign_in_failed', 'That did not work. Check what you typed and try again.')
}

export function lockOf({ world }: Pick<UsersContext, 'world'>): Lock {
  const now = world.clock.now()
  return { tries_max, locked_until: new Date(now.getTime() + locked_ms), now }
}

/**
 * A failure stands in the journal: of a person by their id, of an unknown name as a keyed digest. The one that locks is
 * called so. Each failure costs one statement that writes.
 */
export async function noteFailure(
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

export function digestOf({ keyring }: UsersContext, name: string): Buffer {
  return keyring.mac('unknown name', name.toLowerCase())
}
