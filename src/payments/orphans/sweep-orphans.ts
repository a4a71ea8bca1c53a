// Searches each acquirer's authorisations, and records those without a payment of ours. Known orphans are reversed. Unknown
// ones wait for a person, unless the operator has chosen to have them reversed.

import { listAuthorisations } from '../acquirer-operations/list-authorisations.ts'
import { type AcquirerOfMode, decideUnknown, noteOrphans } from './note-orphans.ts'
import type { OrphanContext } from './orphan-context.ts'
import { deleteSweptUntil, findSweptUntil, saveSweptUntil } from './orphan-store.ts'
import { catchUp, windowsToSweep } from './orphan-windows.ts'
import { reverseOrphans } from './reverse-orphans.ts'
import { watchDatabase } from './watch-database.ts'

/**
 * Finds orphans, and reverses all due ones. If an acquirer cannot be searched, that is logged, and the next sweep starts from
 * the same time. Returns how many were found or tried. Several processes may do this at once.
 */
export async function sweepOrphans(context: OrphanContext): Promise<number> {
  // A database that has gone back knows less than before, so the brake must be pulled first.
  await watchDatabase(context)
  let count = 0
  for (const swept of await context.listAcquirers()) {
    try {
      count += await sweep(context, swept)
    } catch (error) {
      logFailure(context, swept, error as Error)
    }
  }
  return count + (await reverseOrphans(context))
}

const day_ms = 24 * 3_600_000

/** The key of a disabled connection may have ended for good. Its failures are not logged every five minutes for ever. */
function logFailure(
  { world, failures_logged }: OrphanContext,
  { acquirer: { name }, is_disabled }: AcquirerOfMode,
  { message }: Error,
): void {
  const fields = { acquirer: name, error: message }
  if (!is_disabled) {
    world.log.error(fields, 'search for orphaned authorisations failed')
    return
  }
  const now = world.clock.now()
  const logged_at = failures_logged?.get(name)
  if (logged_at && Math.abs(now.getTime() - logged_at.getTime()) < day_ms) return
  failures_logged?.set(name, now)
  world.log.warn(fields, 'search for orphaned authorisations failed at a disabled connection')
}

/** If the process dies during a sweep, the next sweep decides about what it found. */
async function sweep(context: OrphanContext, swept: AcquirerOfMode): Promise<number> {
  const { sql, world } = context
  const { acquirer } = swept
  if (!acquirer.lists) {
    // Only notices report what this acquirer holds without us. Early releases wrote that it was gone through.
    await deleteSweptUntil(sql, acquirer.name)
    await decideUnknown(context, acquirer.name, true)
    return 0
  }
  const swept_until = await findSweptUntil(sql, acquirer.name)
  const windows = windowsToSweep(swept_until, world.clock.now())
  let count = 0
  let may_release = false
  try {
    for (const window of windows) {
      // The next sweep continues from here.
      if (context.stopping?.aborted) return count
      const charges = await listAuthorisations(world.clock, acquirer, window)
      count += await noteOrphans(context, swept, charges)
      await saveSweptUntil(sql, acquirer.name, window.until)
    }
    may_release = catchUp(windows)
  } finally {
    await decideUnknown(context, acquirer.name, may_release)
  }
  return count
}
