// Keeps the driver from writing to a connection that was lost in the middle of a transaction.
//
// After such a loss the driver sends `rollback`, or whatever the transaction does next, to a socket that is gone:
// an exception nobody can catch. So the statements of a transaction are watched; after a loss none is sent any
// more, and the transaction fails with the loss.

import type postgres from 'postgres'
import { failureKind, type Span } from '../../kernel/tracing.ts'
import { isConnectionLost } from '../failures.ts'
import type { Waiting } from './silence.ts'
import type { BeginStatement } from './statement-spans.ts'

type Work = (tx: postgres.TransactionSql) => unknown
type State = {
  lost: unknown
  waiting: Waiting
  beginSpan: BeginStatement
  /** What the work's own statements failed with. The driver has rolled back after these. */
  failures: WeakSet<object>
  /** Null until the transaction has begun. */
  tx: postgres.TransactionSql | null
}

/** The parts of the driver's statement that we touch. */
export type Statement = {
  handler: (statement: Statement) => void
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  /** It was sent, and its answer is the next. */
  active: boolean
  strings: readonly string[]
}

export function isStatement(made: unknown): made is Statement {
  return made instanceof Promise && 'handler' in made && 'reject' in made
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
  }: Pick<State, 'waiting' | 'beginSpan'> & {
    mode: string
    work: Work
    isOutdated: (error: unknown) => boolean
  },
): Promise<unknown> {
  const state: State = { lost: null, waiting, beginSpan, failures: new WeakSet(), tx: null }
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
  const call = tx as unknown as (...args: unknown[]) => unknown
  const unsafe = tx.unsafe as unknown as typeof call
  return Object.assign((...args: unknown[]) => watchStatement(call(...args), state), tx, {
    json: jsonOf(tx.typed),
    unsafe: (...args: unknown[]) => watchStatement(unsafe(...args), state),
  }) as unknown as postgres.TransactionSql
}

function watchStatement(made: unknown, state: State): unknown {
  if (!isStatement(made)) return made
  const { handler, resolve, reject, strings } = made
  // It lets its statements take as long as they like.
  if (strings.some((part) => part.includes('statement_timeout'))) state.waiting.end()
  let span: Span | null = null
  made.resolve = (result) => {
    state.waiting.heard()
    span?.end()
    resolve(result)
  }
  made.handler = (statement) => {
    span ??= state.beginSpan(made)
    if (state.lost === null) handler(statement)
    else statement.reject(state.lost)
  }
  made.reject = (error) => {
    noteLoss(state, error)
    span?.end({}, failureKind(error))
    if (typeof error === 'object' && error !== null) state.failures.add(error)
    reject(error)
  }
  return made
}

function noteLoss(state: State, error: unknown): void {
  if (state.lost === null && isConnectionLost(error)) state.lost = error
}

function never(): Promise<never> {
  return new Promise(() => {})
}
