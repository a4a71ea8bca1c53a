// Transactions: each has a connection to itself.

import { failureKind } from '../../kernel/tracing.ts'
import { isOutdatedForm } from './running-statement.ts'
import type { DriverSession } from './session.ts'
import { plainStatement, sendable } from './spell.ts'
import type { Handler, Statement } from './statement.ts'
import type { BeginStatement } from './statement-spans.ts'
import { type Rename, type Sql, type Transaction, writing } from './write.ts'

type Work = (tx: Transaction) => unknown

type Options = {
  reserve: () => Promise<DriverSession>
  release: (session: DriverSession) => void
  beginSpan: BeginStatement
  rename: Rename | null
  repeats_max: number
}

export function openTransactions(options: Options): Sql['begin'] {
  const { reserve, release, repeats_max } = options
  const once = async (mode: string, work: Work) => {
    const session = await reserve()
    try {
      return await runIn(session, { ...options, mode, work })
    } finally {
      release(session)
    }
  }
  const begin = async (first: string | Work, second?: Work) => {
    const [mode, work] = typeof first === 'string' ? [first, second!] : ['', first]
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await once(mode, work)
      } catch (error) {
        if (!isOutdatedForm(error) || repeats === repeats_max) throw error
      }
    }
  }
  return begin as Sql['begin']
}

type Once = Pick<Options, 'beginSpan' | 'rename'> & { mode: string; work: Work }

async function runIn(session: DriverSession, { mode, work, beginSpan, rename }: Once): Promise<unknown> {
  /** What one of its own statements failed with: the work may not know of it. */
  const failures: unknown[] = []
  let has_ended = false
  const handler: Handler = (statement) => {
    if (has_ended) return statement.reject(new Error('its transaction has ended'))
    if (lifts(statement)) session.is_watched = false
    const span = beginSpan(statement)
    session.send(sendable(statement)).then(
      (rows) => {
        span?.end()
        statement.resolve(rows)
      },
      (error) => {
        failures.push(error)
        span?.end({}, failureKind(error))
        statement.reject(error)
      },
    )
  }
  await session.send(plainStatement(mode === '' ? 'begin' : `begin ${mode}`))
  try {
    const outcome = work(writing(handler, rename))
    const result = await (Array.isArray(outcome) ? Promise.all(outcome) : outcome)
    if (failures.length > 0) throw failures[0]
    has_ended = true
    await session.send(plainStatement('commit'))
    // PostgreSQL answers a commit without an error even if one of these has rolled everything back.
    if (failures.length > 0) throw failures[0]
    return result
  } catch (error) {
    const is_begun = !has_ended
    // From here on no statement of the work may be sent, because it would run outside the transaction.
    has_ended = true
    // A connection that cannot roll back must not serve others.
    if (is_begun) await session.send(plainStatement('rollback')).catch(() => session.end())
    throw error
  }
}

/** Whether a transaction lets its statements take as long as they like. Under a shorter limit silence is still too long. */
function lifts({ strings }: Statement): boolean {
  return strings.some((part) => /statement_timeout = 0\b/.test(part))
}
