// Writes in somebody's name. A person at the dashboard is judged again in the transaction that writes; whoever holds a key, and an
// operator at the command line, is not.

import type { AnySql, Sql } from '../database/open.ts'

/** Throws where the person may not do it any more, and locks what says so until the transaction ends. */
export type Judge = (tx: AnySql) => Promise<unknown>

/** Whoever writes; `judge` is left out of those who are not judged again. */
export type Judged = { judge?: Judge }

/** A transaction in which the writer is judged before anything is written. */
export function beginAs<T>(
  sql: Sql,
  { judge }: Judged,
  work: (tx: AnySql) => Promise<T>,
): Promise<T> {
  return sql.begin(async (tx) => {
    await judge?.(tx)
    return work(tx)
  }) as Promise<T>
}

/** The same for one statement, which is a transaction by itself where nobody is judged. */
export function writeAs<T>(
  sql: Sql,
  writer: Judged,
  write: (sql: AnySql) => Promise<T>,
): Promise<T> {
  return writer.judge ? beginAs(sql, writer, write) : write(sql)
}
