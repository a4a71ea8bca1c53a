// Writes in a writer's name. A person in the dashboard is judged again in the transaction that writes. The holder of a
// key, and an operator at the command line, is not.

import type { Actor } from '../audit/journal.ts'
import type { AnySql, Sql } from '../database/open.ts'

/**
 * Throws if the person may no longer do it, and otherwise locks the rows behind that judgement until the transaction
 * ends. Returns the person as of then, for work that depends on it.
 */
export type Judge<Verdict = unknown> = (tx: AnySql) => Promise<Verdict>

type PersonActor = `user ${string}`

/** The writer. For a person it must be said how they are judged: null for one who is judged only at the door. */
export type Writer = { request_id?: string | null } & (
  | { actor: PersonActor; judge: Judge | null }
  | { actor: Exclude<Actor, PersonActor>; judge?: null }
)

/** The sender of a request: the holder of a key, or a person in the dashboard. */
export type Holder = { key_id: string } | { user_id: string; judge: Judge }

/** The writer for the sender of a request. */
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

/** The same for one statement, which is a transaction by itself if nobody is judged. */
export function writeAs<T>(sql: Sql, writer: JudgeOf, write: (sql: AnySql) => Promise<T>): Promise<T> {
  return writer.judge ? beginAs(sql, writer, write) : write(sql)
}
