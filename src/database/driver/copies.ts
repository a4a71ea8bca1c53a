// Streams of COPY, over a connection of their own.

import type { Readable, Writable } from 'node:stream'
import { from, to } from 'pg-copy-streams'
import { type Destination, dial } from './dial.ts'
import { type Dialled, DriverSession } from './session.ts'
import { openTransactions } from './transactions.ts'
import type { Transaction } from './write.ts'

export type CopyTransaction = Transaction & {
  /** What the server copies to us, as it comes. */
  copyOut(statement: string): Readable
  /** Takes the data for the server, and ends when the server has all of it. */
  copyIn(statement: string): Writable
}

export type Copies = {
  begin<T>(mode: string, work: (tx: CopyTransaction) => Promise<T>): Promise<T>
  /** Work under way fails. */
  end(): Promise<void>
}

/** The rows of a table take long, and meanwhile nothing else may be sent. */
export function openCopiesAt(destination: Destination): Copies {
  let connection: Dialled
  const session = new DriverSession({
    dial: async () => {
      connection = await dial(destination, { pipeline: false })
      return connection
    },
    has_names: true,
    lasts_ms: null,
    onClose() {},
    onWait() {},
    onAnswer() {},
  })
  const begin = openTransactions({
    reserve: async () => session,
    release() {},
    beginSpan: () => null,
    rename: null,
    repeats_max: 0,
  })
  return {
    begin: (mode, work) =>
      begin(mode, (tx) => {
        const copyOut = (statement: string) => connection.client.query(to(statement))
        const copyIn = (statement: string) => connection.client.query(from(statement))
        return work(Object.assign(tx, { copyOut, copyIn }))
      }) as Promise<never>,
    end: () => session.end(),
  }
}
