// Whether every acquirer was gone through since a brake was pulled: only then is all found that it should hold back. One without a
// list cannot be gone through: a person has to compare its payments with ours.

import type { Acquirer } from '../../acquirers/acquirer.ts'
import type { Context } from '../context.ts'
import { type Brake, every_acquirer } from '../orphan.ts'
import { listSweeps, type Sweep } from './orphan-store.ts'

export type Unswept = {
  brake: Brake
  sweeps: Sweep[]
  acquirers: Acquirer[]
  /** Acquirers without a list that the brake covers, if there is nothing else to wait for. */
  unlisted: string[]
}

/** The first of these brakes that an acquirer was not swept past; null if there is none. */
export async function findUnswept(
  { sql, listAcquirers }: Pick<Context, 'sql' | 'listAcquirers'>,
  brakes: Brake[],
): Promise<Unswept | null> {
  const sweeps = await listSweeps(sql, null)
  const acquirers = (await listAcquirers()).map(({ acquirer }) => acquirer)
  const until = new Map(sweeps.map((sweep) => [sweep.acquirer, sweep.swept_until.getTime()]))
  const isCovered = (brake: Brake, { name }: Acquirer) => brake.acquirer === every_acquirer || brake.acquirer === name
  const isWaitedFor = (brake: Brake) =>
    acquirers.some(
      (each) => each.lists && isCovered(brake, each) && (until.get(each.name) ?? 0) <= brake.pulled_at.getTime(),
    )
  const awaited = brakes.find(isWaitedFor)
  if (awaited) return { brake: awaited, sweeps, acquirers, unlisted: [] }
  for (const brake of brakes) {
    const unlisted = acquirers.filter((each) => !each.lists && isCovered(brake, each))
    if (unlisted.length === 0) continue
    return { brake, sweeps, acquirers, unlisted: unlisted.map(({ name }) => name) }
  }
  return null
}
