// What goes wrong between a simulated process and its database: crashes, broken connections, queues, and limits that are met.

import type { Clock } from '../../src/kernel/world.ts'
import type { Chance } from './chance.ts'
import type { Faults } from './faults.ts'
import { isOutcome } from './sql-seam.ts'

/** A statement's connection broke. */
export class ConnectionLost extends Error {
  code = 'CONNECTION_CLOSED'
}

/** The server refused a statement: nothing of it happened. */
class Refused extends Error {
  override name = 'PostgresError'
  readonly code: string

  constructor(code: string, words: string) {
    super(words)
    this.code = code
  }
}

export type SqlFaults = {
  /** What happens before a statement is begun: it may wait for a connection, and may be refused after its limit. */
  before(label: string): Promise<void>
  /** What happens as it is done. */
  around(go: () => Promise<unknown>): Promise<unknown>
}

type SqlFaultParts = { faults: Faults; chance: Chance; clock: Clock; die: () => never }

/** Longer than this nobody waits for a connection: a statement before it would have met its own limit. */
const queue_max_ms = 30_000
const lock_timeout_ms = 1_500
const locked = 'canceling statement due to lock timeout'
const statement_timeout_ms = 15_000
/** What the service says of it when faults have stopped is told apart from a deadlock of its own. */
export const by_seed = '(by the seed)'

export function openSqlFaults({ faults, chance, clock, die }: SqlFaultParts): SqlFaults {
  async function refuse(after_ms: number, code: string, words: string): Promise<never> {
    if (after_ms > 0) await clock.sleep(after_ms)
    throw new Refused(code, words)
  }

  return {
    async before(label) {
      if (isOutcome(label) && faults.happens('sql: lock timed out at an outcome')) {
        return refuse(lock_timeout_ms, '55P03', locked)
      }
      const fate = faults.happens(
        'sql: waits for a connection',
        'sql: too many connections',
        'sql: statement timed out',
        'sql: lock timed out',
        'sql: deadlock',
      )
      if (fate === null) return
      if (fate === 'sql: waits for a connection') {
        return clock.sleep(chance.pick([0.02, 0.2, 1]) * chance.below(queue_max_ms))
      }
      if (fate === 'sql: too many connections') {
        return refuse(0, '53300', `sorry, too many clients already ${by_seed}`)
      }
      if (fate === 'sql: statement timed out') {
        return refuse(statement_timeout_ms, '57014', 'canceling statement due to statement timeout')
      }
      // Who only reads waits for no lock.
      if (label.startsWith('select ')) return
      if (fate === 'sql: deadlock') return refuse(1_000, '40P01', `deadlock detected ${by_seed}`)
      return refuse(lock_timeout_ms, '55P03', locked)
    },
    async around(go) {
      const fate = faults.happens('sql: crash before', 'sql: crash after', 'sql: lost before', 'sql: lost after')
      if (fate === 'sql: crash before') die()
      if (fate === 'sql: lost before') throw new ConnectionLost('the connection broke')
      const rows = await go()
      if (fate === 'sql: crash after') die()
      if (fate === 'sql: lost after') throw new ConnectionLost('the connection broke')
      return rows
    },
  }
}
