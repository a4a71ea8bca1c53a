// Two writes that meet: the first has written all but its line of the journal when the second begins.

import type { AnySql, Sql } from '../../src/database/open.ts'
import { countLockWaits } from './lock-waits.ts'
import { until } from './service.ts'

/**
 * Starts the second once the first waits to write its line, and lets both go on once the second waits, too: for that line, or for
 * something that the first has locked. What both wait for may be another lock than that of the journal, which `lockFor` takes.
 */
export async function meeting<First, Second>(
  sql: Sql,
  first: () => Promise<First>,
  second: () => Promise<Second>,
  lockFor: (tx: AnySql) => Promise<unknown> = (tx) => tx`lock table journal in exclusive mode`,
): Promise<[First, Second]> {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lock = sql.begin(async (tx) => {
    await lockFor(tx)
    held.resolve()
    await release.promise
  })
  await held.promise
  let ended = 0
  const started = <Result>(write: () => Promise<Result>) =>
    write().finally(() => {
      ended++
    })
  const waiting = (count: number) =>
    until(
      () => countLockWaits(sql),
      (waits) => ended > 0 || waits >= count,
    )
  const one = started(first)
  await waiting(1)
  const two = started(second)
  await waiting(2)
  release.resolve()
  await lock
  return Promise.all([one, two])
}
