// Keeps the driver from writing to a connection that was lost in the middle of a transaction.
//
// After such a loss the driver sends `rollback`, or whatever the transaction does next, to a socket that is gone:
// an exception nobody can catch. So the statements of a transaction are watched; after a loss none is sent any
// more, and the transaction fails with the loss.

import type postgres from 'postgres'
import { failureKind } from '../../kernel/tracing.ts'
import { isConnectionLost } from '../failures.ts'
import { queryOf, type Rename, settleBy, writing } from './driver-query.ts'
import type { Waiting } from './silence.ts'
import type { Handler } from './statement.ts'
import type { BeginStatement } from './statement-spans.ts'

type Work = (tx: postgres.TransactionSql) => unknown
type State = {
  lost: unknown
  waiting: Waiting
  beginSpan: BeginStatement
  rename: Rename | null
  /** What the work's own statements failed with. The driver has rolled back after these. */
  failures: WeakSet<object>
  /** Null until the transaction has begun. */
  tx: postgres.TransactionSql | null
}

/** JSON as `json`, which keeps the order of members; the driver's own helper sends `jsonb`, which does not. */
export function jsonOf(typed: postgres.ISql['typed']): postgres.ISql['json'] {
  return (value) => typed(value as string, 114)
}

/**
 * The driver's `sql.begin`, made to survive the loss of its connection. `isOutdated` says of an error that its statement was not
 * done and that the driver may not repeat it.
 */
export function watchTransaction(
  sql: postgres.Sql,
  {
    mode,
    work,
    waiting,
    isOutdated,
    beginSpan,
    rename,
  }: Pick<State, 'waiting' | 'beginSpan' | 'rename'> & {
    mode: string
    work: Work
    isOutdated: (error: unknown) => boolean
  },
): Promise<unknown> {
  const failures = new WeakSet()
  const state: State = { lost: null, waiting, beginSpan, rename, failures, tx: null }
  const outcome = sql.begin(mode, (tx) => {
    state.tx = watch(tx, state)
    return settleUnlessLost(state, () => work(state.tx!))
  })
  // The driver rejects this at the moment of a loss, also when no statement is running.
  return outcome.catch(async (error) => {
    noteLoss(state, error)
    if (isOutdated(error)) await endUnended(state, error)
    throw error
  })
}

/**
 * The driver forgets a transaction whose own `commit` or `rollback` failed. The transaction would keep its connection until the
 * server ends it, half a minute later. It has failed as a whole, so it can only be rolled back.
 */
async function endUnended({ tx, lost, failures }: State, error: object): Promise<void> {
  if (tx === null || lost !== null || failures.has(error)) return
  // A simple statement, which needs no prepared form. A loss meanwhile ends the transaction, too.
  await tx.unsafe('rollback').catch(() => {})
}

/** After a loss this never settles: the driver has rejected the transaction and must not go on to end it. */
async function settleUnlessLost(state: State, work: () => unknown): Promise<unknown> {
  try {
    const result = await work()
    return state.lost === null ? result : await never()
  } catch (error) {
    if (state.lost === null) throw error
    return await never()
  }
}

function watch(tx: postgres.TransactionSql, state: State): postgres.TransactionSql {
  const handler = statementsOf(tx, state)
  const write = writing(handler, tx, state.rename)
  return Object.assign(write, {
    ...tx,
    json: jsonOf(tx.typed),
    unsafe: write.unsafe,
  }) as unknown as postgres.TransactionSql
}

function statementsOf(tx: postgres.TransactionSql, state: State): Handler {
  return (statement) => {
    // It lets its statements take as long as they like.
    if (statement.strings.some((part) => part.includes('statement_timeout'))) state.waiting.end()
    if (state.lost !== null) return statement.reject(state.lost)
    const span = state.beginSpan(statement)
    const query = queryOf(tx, statement)
    // The driver, too, wants to know whether a statement of its transaction failed.
    const { reject: rejectToo } = query
    const resolve = (result: unknown) => {
      state.waiting.heard()
      span?.end()
      statement.resolve(result)
    }
    const reject = (error: unknown) => {
      noteLoss(state, error)
      span?.end({}, failureKind(error))
      if (typeof error === 'object' && error !== null) state.failures.add(error)
      rejectToo(error)
      statement.reject(error)
    }
    settleBy(query, resolve, reject)
    query.handler(query)
  }
}

function noteLoss(state: State, error: unknown): void {
  if (state.lost === null && isConnectionLost(error)) state.lost = error
}

function never(): Promise<never> {
  return new Promise(() => {})
}
