// Limits guessing: who may try how often, at which counter, and what the journal says of failures. A try is counted before it is
// judged, so that tries at the same time cannot be more than are allowed.

import { insertLine } from '../audit/journal-store.ts'
import type { AnySql, Fragment, Sql } from '../database/open.ts'
import { networkOf } from '../http/gateway-limit.ts'
import { Refusal } from '../kernel/errors.ts'
import { type Author, personLine } from './lines.ts'
import { tooMany } from './passwords.ts'
import { authorOf, type Sender, type UsersContext } from './start-session.ts'
import { findUser, type User } from './user.ts'

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

/**
 * What is counted apart from the tries of anybody who knows an address: what follows a password, a password that follows a
 * passkey, passwords in browsers that have signed this person in before, and proofs in one open session.
 */
export type Counter = 'second_factor' | 'second_password' | 'known_browser' | `session ${string}`

/** How many wrong tries in a row lock, until when. */
type Lock = { tries_max: number; locked_until: Date; now: Date }

/** Counts a try of anybody by an address. Undefined where nobody may sign in by it now. */
export async function countTryOfName(
  sql: Sql,
  { email, bucket }: { email: string; bucket: number },
  lock: Lock,
): Promise<User | undefined> {
  const [row] = await sql<User[]>`
    with counted as (${counted(sql, sql`email = ${email}`, lock)}
    ), nobody as (
      insert into unknown_names (bucket, tries, unlisted_tries)
      select ${bucket}::integer, 1, 0 where not exists (select 1 from counted)
      on conflict (bucket) do update set tries = unknown_names.tries + 1
    )
    select * from counted`
  return row
}

/** Counts a try of an unknown name in place of a line about it: it costs what the line does. */
async function countUnlistedTry(sql: Sql, bucket: number): Promise<void> {
  await sql`
    insert into unknown_names (bucket, tries, unlisted_tries) values (${bucket}, 1, 1)
    on conflict (bucket) do update set unlisted_tries = unknown_names.unlisted_tries + 1`
}

function counted(sql: Sql, whose: Fragment, { tries_max, locked_until, now }: Lock) {
  return sql`
    update users set
      tries = case when locked_until is null then tries + 1 else 1 end,
      locked_until = case when locked_until is null and tries + 1 >= ${tries_max} then ${locked_until}::timestamptz end
    where ${whose} and (locked_until is null or locked_until <= ${now}) and disabled_at is null
    returning *`
}

/** After a right one, the wrong ones before it no longer count. */
export async function forgetTries(sql: AnySql, user_id: string): Promise<void> {
  await sql`
    update users set tries = 0, locked_until = null where user_id = ${user_id} and tries > 0`
}

export type CountedTry = { user_id: string; counter: Counter }

/** Counts a try apart. Undefined where the counter is locked. */
export async function countTryApart(
  sql: Sql,
  { user_id, counter }: CountedTry,
  { tries_max, locked_until, now }: Lock,
): Promise<Pick<User, 'locked_until'> | undefined> {
  const [row] = await sql<Pick<User, 'locked_until'>[]>`
    insert into sign_in_tries (user_id, counter, tries, tried_at)
    values (${user_id}, ${counter}, 1, ${now})
    on conflict (user_id, counter) do update set
      tries = case when sign_in_tries.locked_until is null then sign_in_tries.tries + 1 else 1 end,
      locked_until = case
        when sign_in_tries.locked_until is null and sign_in_tries.tries + 1 >= ${tries_max}
        then ${locked_until}::timestamptz end,
      tried_at = excluded.tried_at
    where sign_in_tries.locked_until is null or sign_in_tries.locked_until <= ${now}
    returning locked_until`
  return row
}

export async function forgetTriesApart(sql: AnySql, { user_id, counter }: CountedTry): Promise<void> {
  await sql`delete from sign_in_tries where user_id = ${user_id} and counter = ${counter}`
}

/** An operator unlocks everything of a person. */
export async function forgetEveryTry(tx: AnySql, user_id: string): Promise<void> {
  await forgetTries(tx, user_id)
  await tx`delete from sign_in_tries where user_id = ${user_id}`
}

const kept_ms = 24 * 3600_000

/** Deletes counters at which nobody has tried for a day, which no lock outlasts. */
export async function purgeTries(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    delete from sign_in_tries where tried_at < ${new Date(now.getTime() - kept_ms)}`
  return count
}
