// Limits guessing: how often a person may try, at which counter, and what the journal records of failures. A try is
// counted before it is judged, so that parallel tries cannot exceed the limit.

import { insertLine } from '../audit/journal-store.ts'
import type { AnySql, Fragment, Sql } from '../database/open.ts'
import { networkOf } from '../http/gateway-limit.ts'
import { Refusal } from '../kernel/errors.ts'
import { tooMany } from './passwords.ts'
import { authorOf, type Sender, type UsersContext } from './start-session.ts'
import { findUser, type User } from './user.ts'
import { type Author, personLine } from './user-journal.ts'

export const tries_max = 10
export const locked_ms = 30 * 60_000
/** How many requests of one network may try to sign in per minute, for any person. */
const tries_of_network_max = 60
/** Lines per minute about unknown names: strangers must not fill the journal. */
const unknown_names_max = 30

/** Counts a try from an address. Throws `too_many_attempts`. */
export function limitTries({ doorkeeper, world }: UsersContext, { caller }: Sender): void {
  const { tries } = doorkeeper
  if (!tries) return
  const { count, left_ms } = tries.count(networkOf(caller.address), world.clock.now())
  if (count > tries_of_network_max) throw tooMany(Math.ceil(left_ms / 1000))
}

/**
 * Counts and judges one try of a person who has shown something before. A right one resets the counter. `judge` returns
 * null for a wrong one. Throws `sign_in_failed`.
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
  throw signInFailed()
}

export function signInFailed(): Refusal {
  return new Refusal('sign_in_failed', 'That did not work. Check what you typed and try again.')
}

export function lockOf({ world }: Pick<UsersContext, 'world'>): Lock {
  const now = world.clock.now()
  return { tries_max, locked_until: new Date(now.getTime() + locked_ms), now }
}

/**
 * Writes a failure into the journal: of a person by their id, of an unknown name as a keyed digest. The failure that
 * locks has its own name. Each failure costs one statement that writes.
 */
export async function noteFailure(
  context: UsersContext,
  of: Pick<User, 'user_id' | 'locked_until'> | { name: string },
  sender: Sender,
): Promise<void> {
  const { sql, world, doorkeeper } = context
  const at = world.clock.now()
  const author: Author = { ...authorOf('', sender), actor: 'visitor' }
  const fields = { change: 'sign_in.failed', at }
  if ('user_id' in of) {
    const { user_id: subject, locked_until } = of
    const lockFields = { change: 'sign_in.locked', detail: { locked_until } }
    const line = { ...fields, subject, ...(locked_until && lockFields) }
    return insertLine(sql, personLine(context, author, line))
  }
  const digest = nameDigests(context, of.name)
  const { count } = doorkeeper.unknown_names.count('', at)
  if (count > unknown_names_max) return countUnlistedTry(sql, digest[0]!)
  const subject = `name ${digest.toString('hex', 0, 12)}`
  return insertLine(sql, personLine(context, author, { ...fields, subject }))
}

export function nameDigests({ keyring }: UsersContext, name: string): Buffer {
  return keyring.mac('unknown name', name.toLowerCase())
}

/**
 * What is counted separately from strangers' tries at an address: the factor after a password, the password after a
 * passkey, passwords in browsers that know the person, and proofs in one open session.
 */
export type Counter = 'second_factor' | 'second_password' | 'known_browser' | `session ${string}`

/** How many wrong tries in a row lock, and until when. */
type Lock = { tries_max: number; locked_until: Date; now: Date }

/** Counts a stranger's try at an address. Undefined if signing in by it is not possible now. */
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

/** Counts a try of an unknown name instead of writing a line about it, at the same cost. */
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

/** A right try forgets the wrong ones before it. */
export async function forgetTries(sql: AnySql, user_id: string): Promise<void> {
  await sql`
    update users set tries = 0, locked_until = null where user_id = ${user_id} and tries > 0`
}

export type CountedTry = { user_id: string; counter: Counter }

/** Counts a try at a separate counter. Undefined if the counter is locked. */
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

/** An operator resets all counters of a person. */
export async function forgetEveryTry(tx: AnySql, user_id: string): Promise<void> {
  await forgetTries(tx, user_id)
  await tx`delete from sign_in_tries where user_id = ${user_id}`
}

const kept_ms = 24 * 3600_000

/** Deletes counters without a try for a day, which is longer than any lock. */
export async function purgeTries(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    delete from sign_in_tries where tried_at < ${new Date(now.getTime() - kept_ms)}`
  return count
}
