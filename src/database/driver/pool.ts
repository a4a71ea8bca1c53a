// A pool of connections. Several statements share a connection, each after those before it; a transaction has its own.

import { failureKind } from '../../kernel/tracing.ts'
import { type ConnectionsOptions, openConnections } from './connections.ts'
import { isOutdatedForm, type Rows } from './running-statement.ts'
import type { DriverSession } from './session.ts'
import { sendable } from './spell.ts'
import type { Statement } from './statement.ts'
import type { BeginStatement } from './statement-spans.ts'
import { openTransactions } from './transactions.ts'
import { type Rename, type Sql, writing } from './write.ts'

export type { AnySql, Fragment, Query, Sql, Transaction } from './write.ts'

export type PoolOptions = ConnectionsOptions & {
  beginSpan: BeginStatement
  rename: Rename | null
}

/** More than there are connections, each of which may have an outdated form. */
const repeats_max = 200

/** Nothing is connected before the first statement. */
export function openPool(options: PoolOptions): Sql {
  const { beginSpan, rename } = options
  const connections = openConnections(options)
  let has_ended = false

  const run = (statement: Statement): void => {
    const span = beginSpan(statement)
    let repeats = 0
    const done = (rows: Rows) => {
      span?.end()
      statement.resolve(rows)
    }
    const failed = (error: unknown): void => {
      if (isOutdatedForm(error) && repeats < repeats_max) {
        repeats += 1
        send()
        return
      }
      span?.end({}, failureKind(error))
      statement.reject(error)
    }
    const use = (session: DriverSession | null): void => {
      if (session === null) failed(ended())
      else session.send(sendable(statement)).then(done, failed)
    }
    const send = (): void => {
      if (has_ended) failed(ended())
      else connections.take(use)
    }
    send()
  }

  /** Reserves a connection until its release. Statements already on their way over it go first. */
  const reserve = (): Promise<DriverSession> =>
    new Promise((resolve, reject) => {
      if (has_ended) return reject(ended())
      connections.take((session) => {
        if (session === null) return reject(ended())
        session.is_reserved = true
        resolve(session)
      })
    })

  const { release } = connections
  const begin = openTransactions({ reserve, release, beginSpan, rename, repeats_max })
  const end: Sql['end'] = async ({ timeout: timeout_s = null } = {}) => {
    has_ended = true
    await connections.end(timeout_s === null ? null : timeout_s * 1000)
  }
  return Object.assign(writing(run, rename), { begin, end }) as Sql
}

function ended(): Error {
  return Object.assign(new Error('the pool has ended'), { code: 'CONNECTION_ENDED' })
}
