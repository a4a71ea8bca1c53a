// Puts a fresh pool of the driver in place of one that has lost a connection in the middle of a statement.
//
// The driver does not tidy up after such a loss: the next statement of that connection gets the old one's error.
// So a damaged pool only ends what it has begun, and all else goes to a new one. One that has a connection on which nobody
// answers any more is ended at once: what waits behind that would never be sent.

import type postgres from 'postgres'
import { failureKind } from '../../kernel/tracing.ts'
import { isConnectionLost } from '../failures.ts'
import { nameQueries, openPooledQueries, type Rename, settleBy, writing } from './driver-query.ts'
import { fenceRepeats, isOutdatedPlan, repeats_max } from './outdated-plans.ts'
import type { Silence, Waiting } from './silence.ts'
import type { Handler } from './statement.ts'
import type { BeginStatement } from './statement-spans.ts'
import { jsonOf, watchTransaction } from './transactions.ts'

/** What both the pool and a transaction can do. */
export type AnySql = postgres.ISql
export type Sql = AnySql & Pick<postgres.Sql, 'begin' | 'end'>
/** Without savepoints: the driver's would hang on a lost connection, and nothing here needs one. */
export type Transaction = Omit<postgres.TransactionSql, 'savepoint'>

/** Part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

type Pool = {
  sql: postgres.Sql
  queryOf: ReturnType<typeof openPooledQueries>
  running: number
}
type Work = (tx: Transaction) => unknown

/** `open` makes a pool of the driver; nothing is connected before the first statement. */
export function replaceablePool(
  open: () => postgres.Sql,
  silence: Silence,
  beginSpan: BeginStatement,
  rename: Rename | null = null,
): Sql {
  let current = makePool(open())
  let has_ended = false
  const damaged = new Set<Pool>()

  const enter = (): Pool => {
    current.running += 1
    return current
  }
  const exit = (pool: Pool, error: unknown): void => {
    pool.running -= 1
    if (pool === current && !has_ended && isConnectionLost(error)) {
      damaged.add(pool)
      current = makePool(open())
    }
    if (pool.running === 0 && damaged.delete(pool)) void pool.sql.end({ timeout: 0 })
  }

  const giveUp = (pool: Pool): void => {
    if (pool === current && !has_ended) current = makePool(open())
    damaged.delete(pool)
    void pool.sql.end({ timeout: 0 })
  }
  const wait = (pool: Pool, isSent: () => boolean): Waiting =>
    silence.begin({ isSent, giveUp: () => giveUp(pool) })

  const handler = statementsOf({ enter, exit, wait, beginSpan })
  const begin = async (first: string | Work, second?: Work) => {
    const [mode, work] = typeof first === 'string' ? [first, second!] : ['', first]
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await beginOnce(mode, work)
      } catch (error) {
        if (!isOutdatedPlan(error) || repeats === repeats_max) throw error
      }
    }
  }
  const beginOnce = async (mode: string, work: Work) => {
    const pool = enter()
    const waiting = wait(pool, () => true)
    try {
      const result = await watchTransaction(pool.sql, {
        ...{ mode, work, waiting, isOutdated: isOutdatedPlan, beginSpan, rename },
      })
      exit(pool, null)
      return result
    } catch (error) {
      exit(pool, error)
      throw error
    } finally {
      waiting.end()
    }
  }
  const end: Sql['end'] = async (options) => {
    has_ended = true
    silence.close()
    await Promise.all([...damaged, current].map((pool) => pool.sql.end(options)))
  }
  const { array, types, typed } = current.sql
  return Object.assign(writing(handler, current.sql, rename), {
    json: jsonOf(typed),
    array,
    types,
    typed,
    begin,
    end,
  }) as unknown as Sql
}

function makePool(sql: postgres.Sql): Pool {
  fenceRepeats(sql)
  nameQueries(sql)
  return { sql, queryOf: openPooledQueries(sql), running: 0 }
}

type Turns = {
  enter: () => Pool
  exit: (pool: Pool, error: unknown) => void
  wait: (pool: Pool, isSent: () => boolean) => Waiting
  beginSpan: BeginStatement
}

/** The pool is chosen when a statement is run, not when it is written down. */
function statementsOf({ enter, exit, wait, beginSpan }: Turns): Handler {
  return (statement) => {
    const span = beginSpan(statement)
    let repeats = 0
    const send = () => {
      let pool: Pool | null = enter()
      const query = pool.queryOf(statement)
      const waiting = wait(pool, () => query.active)
      const settle = (error: unknown) => {
        waiting.end()
        if (pool !== null) exit(pool, error)
        pool = null
      }
      const resolve = (result: unknown) => {
        settle(null)
        span?.end()
        statement.resolve(result)
      }
      const reject = (error: unknown) => {
        // Without a pool it has ended already: its connection was lost at that moment.
        const is_repeatable = pool !== null && isOutdatedPlan(error) && repeats < repeats_max
        settle(error)
        if (is_repeatable) {
          repeats += 1
          send()
        } else {
          span?.end({}, failureKind(error))
          statement.reject(error)
        }
      }
      settleBy(query, resolve, reject)
      query.handler(query)
    }
    send()
  }
}
