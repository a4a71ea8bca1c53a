// Whether every acquirer was gone through since a brake was pulled: only then is all found that it should hold back.

import type { Context } from '../context.ts'
import { type Brake, every_acquirer } from '../orphan.ts'
import { listSweeps, type Sweep } from './orphan-store.ts'

/** The first of these brakes that an acquirer was not swept past, with how far the sweeps are; null where there is none. */
export async function findUnswept(
  { sql, listAcquirers }: Pick<Context, 'sql' | 'listAcquirers'>,
  brakes: Brake[],
): Promise<{ brake: Brake; sweeps: Sweep[]; names: string[] } | null> {
  const sweeps = await listSweeps(sql, null)
  const names = (await listAcquirers()).map((each) => each.acquirer.name)
  const until = new Map(sweeps.map((sweep) => [sweep.acquirer, sweep.swept_until.getTime()]))
  const isWaitedFor = (brake: Brake) => {
    const braked = brake.acquirer === every_acquirer ? names : [brake.acquirer]
    return braked.some((name) => (until.get(name) ?? 0) <= brake.pulled_at.getTime())
  }
  const brake = brakes.find(isWaitedFor)
  return brake ? { brake, sweeps, names } : null
}
