// Goes through what each acquirer holds, and writes down what no payment of ours stands behind, to be reversed: unless too
// much of it is quite unknown here.

import type { Acquirer, LiveAuthorisation } from '../../acquirers/acquirer.ts'
import { askAcquirer } from '../operations/ask-acquirer.ts'
import {
  brake,
  catchUp,
  isReferenceOfOurs,
  type Orphan,
  openOrphan,
  orphanLine,
  type Suspect,
  type SweepWindow,
  suspectsAmong,
  windowsToSweep,
} from './orphan.ts'
import {
  applyBrake,
  countUnsettled,
  findCharges,
  findSweptUntil,
  saveOrphans,
  saveSweptUntil,
} from './orphan-store.ts'
import { type OrphanContext, reverseOrphans } from './reverse-orphans.ts'

type Swept = OrphanContext['acquirers'][number]

/** References that one statement looks for. */
const batch = 1_000
/** A reversal that was settled so recently may have come after the list was asked for, by a clock that differs. */
const clock_slack_ms = 60_000

/**
 * Finds orphans, and reverses all that are due. An acquirer that cannot be gone through is told of, and gone through from
 * the same time on by the next sweep. Returns how many were found or tried. Several processes may do it at once.
 */
export async function sweepOrphans(context: OrphanContext): Promise<number> {
  let found = 0
  for (const swept of context.acquirers) {
    try {
      found += await sweep(context, swept)
    } catch (error) {
      const fields = { acquirer: swept.acquirer.name, error: (error as Error).message }
      context.world.log.error(fields, 'search for orphaned authorisations failed')
    }
  }
  return found + (await reverseOrphans(context))
}

/**
 * What is unknown here is let go at the end, and only by a run that came to the present: until then nobody knows how much of
 * it there is. A process that dies before leaves it to the next sweep.
 */
async function sweep(context: OrphanContext, swept: Swept): Promise<number> {
  const { sql, world } = context
  const { name } = swept.acquirer
  const swept_until = await findSweptUntil(sql, name)
  const windows = windowsToSweep(swept_until, world.clock.now())
  let found = 0
  let may_release = false
  try {
    for (const window of windows) {
      // The next sweep goes on from here.
      if (context.stopping?.aborted) return found
      found += await sweepWindow(context, swept, window)
      await saveSweptUntil(sql, name, window.until)
    }
    may_release = catchUp(windows)
  } finally {
    await brakeFor(context, name, may_release)
  }
  return found
}

async function brakeFor(
  context: OrphanContext,
  acquirer: string,
  may_release: boolean,
): Promise<void> {
  const { sql, world } = context
  const now = world.clock.now()
  const found_since = new Date(now.getTime() - brake.within_ms)
  const rule = { acquirer, now, found_since, most: brake.most, may_release }
  const changed = await applyBrake(sql, rule)
  const released = changed.filter(({ held_back_at }) => held_back_at === null)
  for (const orphan of released) tell(context, orphan)
  if (released.length === changed.length) return
  const { held_back } = await countUnsettled(sql, acquirer)
  world.log.error(
    { acquirer, held_back },
    `${held_back} authorisations that nothing is known of here wait for a person: ripper orphan list shows them`,
  )
}

async function sweepWindow(
  context: OrphanContext,
  { mode, acquirer }: Swept,
  window: SweepWindow,
): Promise<number> {
  const { sql, world, ids } = context
  const suspects = await findSuspects(context, acquirer, window)
  if (suspects.length === 0) return 0
  // A void or reversal that was decided between the list and our look made one a suspect. It is not listed any more.
  const now = world.clock.now()
  const live = await listReferences(context, acquirer, suspects)
  const orphans = suspects
    .filter(({ reference }) => live.has(reference))
    .map((suspect) =>
      openOrphan(
        { ...suspect, mode, acquirer: acquirer.name },
        { operation_id: ids.operation(now), now },
      ),
    )
  const settled_before = new Date(now.getTime() - clock_slack_ms)
  const lines = orphans.filter(isKnown).map(({ reference, amount, currency }) =>
    orphanLine(ids, reference, {
      change: 'orphan.found',
      detail: { acquirer: acquirer.name, amount, currency },
      ...{ actor: 'reconciler', at: now },
    }),
  )
  const saved = await saveOrphans(sql, orphans, { settled_before, lines })
  for (const orphan of saved.filter(isKnown)) tell(context, orphan)
  return saved.length
}

function isKnown({ merchant_id }: Orphan): boolean {
  return merchant_id !== null
}

async function findSuspects(
  { sql, world }: OrphanContext,
  acquirer: Acquirer,
  window: SweepWindow,
): Promise<Suspect[]> {
  const listed = await askAcquirer(world.clock, () => acquirer.listAuthorisations(window))
  const ours = new Map<string, LiveAuthorisation>()
  for (const each of listed) if (isReferenceOfOurs(each.reference)) ours.set(each.reference, each)
  if (ours.size < listed.length) {
    const fields = { acquirer: acquirer.name, count: listed.length - ours.size }
    world.log.warn(fields, 'authorisations that were not made here are left alone')
  }
  const references = [...ours.keys()].sort()
  const suspects: Suspect[] = []
  for (let from = 0; from < references.length; from += batch) {
    const some = references.slice(from, from + batch)
    const known = await findCharges(sql, some)
    const authorisations = some.map((reference) => ours.get(reference)!)
    suspects.push(...suspectsAmong(authorisations, known))
  }
  return suspects
}

async function listReferences(
  { world }: OrphanContext,
  acquirer: Acquirer,
  suspects: Suspect[],
): Promise<Set<string>> {
  const times = suspects.map(({ authorised_at }) => authorised_at.getTime()).sort((a, b) => a - b)
  const within = { since: new Date(times[0]!), until: new Date(times.at(-1)!) }
  const listed = await askAcquirer(world.clock, () => acquirer.listAuthorisations(within))
  return new Set(listed.map(({ reference }) => reference))
}

function tell({ world }: OrphanContext, orphan: Orphan): void {
  const { acquirer, mode, reference, amount, currency, merchant_id, payment_id } = orphan
  world.log.error(
    { acquirer, mode, reference, amount, currency, merchant_id, payment_id },
    'orphaned authorisation found, it will be reversed',
  )
}
