// Writes in somebody's name. A person at the dashboard is judged again in the transaction that writes; whoever holds a key, and an
// operator at the command line, is not.

import type { Actor } from '../audit/journal.ts'
import type { AnySql, Sql } from '../database/open.ts'

/**
 * Throws where the person may not do it any more, and locks what says so until the transaction ends. Returns who they are
 * then, for the work that decides by it.
 */
export type Judge<Verdict = unknown> = (tx: AnySql) => Promise<Verdict>

type PersonActor = `user ${string}`

/** Whoever writes. Of a person it has to be said how they are judged: by null, who is judged at the door alone. */
export type Writer = { request_id?: string | null } & (
  | { actor: PersonActor; judge: Judge | null }
  | { actor: Exclude<Actor, PersonActor>; judge?: null }
)

/** Whoever does something by a request: the holder of a key, or a person at the dashboard. */
export type Holder = { key_id: string } | { user_id: string; judge: Judge }

/** The writer of what somebody does by a request. */
export function writerBy<Verdict>(
  person: { user_id: string; judge: Judge<Verdict> },
  request_id: string,
): { actor: PersonActor; request_id: string; judge: Judge<Verdict> }
export function writerBy(holder: Holder, request_id: string): Writer & { request_id: string }
export function writerBy(holder: Holder, request_id: string): Writer & { request_id: string } {
  if (!('user_id' in holder)) return { actor: `key ${holder.key_id}`, request_id }
  return { actor: `user ${holder.user_id}`, request_id, judge: holder.judge }
}

type JudgeOf = Pick<Writer, 'judge'>
/** What the judge of a writer returns. */
export type VerdictOf<W extends JudgeOf> = W extends { judge: Judge<infer Verdict> } ? Verdict : unknown

/** A transaction in which the writer is judged before anything is written. */
export function beginAs<T, W extends JudgeOf>(
  sql: Sql,
  { judge }: W,
  work: (tx: AnySql, verdict: VerdictOf<W>) => Promise<T>,
): Promise<T> {
  return sql.begin(async (tx) => work(tx, (await judge?.(tx)) as VerdictOf<W>)) as Promise<T>
}

/** The same for one statement, which is a transaction by itself where nobody is judged. */
export function writeAs<T>(sql: Sql, writer: JudgeOf, write: (sql: AnySql) => Promise<T>): Promise<T> {
  return writer.judge ? beginAs(sql, writer, write) : write(sql)
}
