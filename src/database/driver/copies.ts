// Streams of COPY over the driver's own connection.

import { type Readable, Writable } from 'node:stream'
import type postgres from 'postgres'

/** See `openCopies` of driver.ts. */
export type Copies = Pick<postgres.Sql, 'begin' | 'end'>
export type CopyTransaction = postgres.TransactionSql

/** What the server copies to us, as it comes. */
export function copyOut(tx: CopyTransaction, statement: string): Promise<Readable> {
  return tx.unsafe(statement).readable()
}

/**
 * Takes what is copied to the server, and ends when the server has it all. The driver forgets its stream before the server has
 * judged the last rows; what the server then says against them would reach nobody, and the stream would never end.
 */
export async function copyIn(tx: CopyTransaction, statement: string): Promise<Writable> {
  const query = tx.unsafe(statement)
  const taken = await query.writable()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  taken.once('error', reject)
  taken.once('finish', resolve)
  Object.assign(query, { reject })
  promise.catch(() => {})
  const settle = (callback: (error?: Error | null) => void) =>
    void promise.then(() => callback(), callback)
  return new Writable({
    write: (chunk, _, callback) => void taken.write(chunk, callback),
    final(callback) {
      taken.end()
      settle(callback)
    },
    destroy(error, callback) {
      if (error && !taken.destroyed && !taken.writableEnded) taken.destroy(error)
      callback(error)
    },
  })
}
