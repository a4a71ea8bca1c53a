// Writes down the orphans among an acquirer's list, and decides whether unknown ones are released.

import { type Acquirer, chargeNamed, type LiveAuthorisation } from '../../acquirers/acquirer.ts'
import { askAcquirer } from '../acquirer-operations/call-acquirer.ts'
import { listAuthorisations } from '../acquirer-operations/list-authorisations.ts'
import { saveOrphans } from '../acquirer-operations/orphan-rows-store.ts'
import {
  brake,
  mayBeOurs,
  newOrphan,
  type Orphan,
  orphanLine,
  type RecordedCharge,
  service_actor,
  standsBehind,
} from '../orphan.ts'
import { namedApart, type Suspect, suspectsAmong } from '../orphan-candidates.ts'
import { holdBackUnknown } from './orphan-brake-store.ts'
import type { OrphanContext } from './orphan-context.ts'
import { applyBrake, correctOrphans, countUnsettled, findCharges } from './orphan-store.ts'

export type AcquirerOfMode = Awaited<ReturnType<OrphanContext['listAcquirers']>>[number]

/** How many references one statement looks up. */
const batch = 1_000
/** A reversal that was settled this recently may have come after the list was requested, by a clock that differs. */
const clock_slack_ms = 60_000

/** `listed` was requested just now. Returns how many were written down. Several processes may note the same. */
export async function noteOrphans(
  context: OrphanContext,
  { mode, acquirer }: AcquirerOfMode,
  charges: LiveAuthorisation[],
): Promise<number> {
  const { sql, world, ids } = context
  const suspects = await findSuspects(context, acquirer, charges)
  if (suspects.length === 0) return 0
  // A void or reversal between the list and our query made a suspect of one that is not listed any more.
  const now = world.clock.now()
  const live = await listKeys(context, acquirer, suspects)
  const orphans = namedApart(suspects.filter((suspect) => live.has(keyOf(suspect)))).map((suspect) =>
    newOrphan({ ...suspect, mode, acquirer: acquirer.name }, { operation_id: ids.operation(now), now }),
  )
  const settled_before = new Date(now.getTime() - clock_slack_ms)
  const lines = orphans.filter(isKnown).map(({ reference, amount, currency }) =>
    orphanLine(ids, reference, {
      change: 'orphan.found',
      detail: { acquirer: acquirer.name, amount, currency },
      actor: 'reconciler',
      at: now,
    }),
  )
  const rows = await saveOrphans(sql, orphans, { settled_before, lines })
  await correctOrphans(sql, orphans)
  for (const orphan of rows.filter(isKnown)) tell(context, orphan)
  return rows.length
}

/**
 * What becomes of unknown authorisations. They are held back, unless the operator has them reversed. Then only a sweep
 * that has come to the present (`may_release`) releases them, since until then nobody knows how many there are.
 */
export async function decideUnknown(context: OrphanContext, acquirer: string, may_release: boolean): Promise<void> {
  const held_back =
    context.unknown_authorisations === 'reverse'
      ? await release(context, acquirer, may_release)
      : await holdBack(context, acquirer)
  if (held_back === 0) return
  const now = context.world.clock.now()
  const waiting = await countUnsettled(context.sql, { acquirer, now })
  context.world.log.error(
    { acquirer, held_back: waiting.held_back },
    `${waiting.held_back} authorisations that nothing is known of here wait for a person: ripper orphan list shows them`,
  )
}

/** An intent is committed before it is sent: one that is missing here was lost, and others may be lost with it. */
function holdBack({ sql, world }: OrphanContext, acquirer: string): Promise<number> {
  const reason = `authorisations at ${acquirer} bear our mark and are unknown here: commits were lost`
  return holdBackUnknown(sql, { acquirer, at: world.clock.now(), by: service_actor, reason })
}

async function release(context: OrphanContext, acquirer: string, may_release: boolean): Promise<number> {
  const now = context.world.clock.now()
  const found_since = new Date(now.getTime() - brake.within_ms)
  const rule = { acquirer, now, found_since, most: brake.most, may_release }
  const changed = await applyBrake(context.sql, rule)
  const released = changed.filter(({ held_back_at }) => held_back_at === null)
  for (const orphan of released) tell(context, orphan)
  return changed.length - released.length
}

function isKnown({ merchant_id }: Orphan): boolean {
  return merchant_id !== null
}

async function findSuspects(
  { sql, world, installation }: OrphanContext,
  acquirer: Acquirer,
  charges: LiveAuthorisation[],
): Promise<Suspect[]> {
  const ours = charges.filter((each) => mayBeOurs(each, installation))
  const byReference = Map.groupBy(ours, ({ reference }) => reference)
  const references = [...byReference.keys()].sort()
  const unwanted: Suspect[] = []
  let left_alone = charges.length - ours.length
  for (let from = 0; from < references.length; from += batch) {
    const some = references.slice(from, from + batch)
    const records = await findCharges(sql, some)
    const authorisations = some.flatMap((reference) => byReference.get(reference)!)
    const { suspects, strangers } = suspectsAmong(authorisations, records, installation)
    for (const suspect of suspects) {
      if (await isUnwanted({ world }, acquirer, suspect)) unwanted.push(suspect)
    }
    left_alone += strangers
  }
  if (left_alone > 0) {
    const fields = { acquirer: acquirer.name, count: left_alone }
    world.log.warn(fields, 'authorisations that were not made here are left alone')
  }
  return unwanted
}

/**
 * A second charge beside that on which a payment stands is unwanted only if the acquirer says that the first one lives: a person may
 * have given the payment a wrong id, and it stands on this one.
 */
async function isUnwanted(
  { world }: Pick<OrphanContext, 'world'>,
  acquirer: Acquirer,
  { beside }: Suspect,
): Promise<boolean> {
  if (beside === null || !standsBehind(beside)) return true
  try {
    return await isLive({ world }, acquirer, beside)
  } catch (error) {
    // It is listed again by later sweeps and comparisons.
    const { reference, payment_id } = beside
    const fields = { acquirer: acquirer.name, reference, payment_id }
    world.log.warn({ ...fields, error: (error as Error).message }, 'second charge not judged')
    return false
  }
}

async function isLive(
  { world }: Pick<OrphanContext, 'world'>,
  acquirer: Acquirer,
  charge: RecordedCharge,
): Promise<boolean> {
  const look = await askAcquirer(world.clock, () => acquirer.lookUp(chargeNamed(charge)))
  if (look.result !== 'found' || look.kind !== 'authorise') return false
  const { standing, answer } = look
  const ours = charge.handle ?? charge.acquirer_transaction_id
  if (answer.acquirer_transaction_id !== ours) return false
  return standing?.state === 'reserved' || standing?.state === 'captured'
}

function keyOf({ reference, acquirer_transaction_id }: LiveAuthorisation): string {
  return `${reference} ${acquirer_transaction_id}`
}

async function listKeys({ world }: OrphanContext, acquirer: Acquirer, suspects: Suspect[]): Promise<Set<string>> {
  const times = suspects.map(({ authorised_at }) => authorised_at.getTime()).sort((a, b) => a - b)
  const within = { since: new Date(times[0]!), until: new Date(times.at(-1)!) }
  const charges = await listAuthorisations(world.clock, acquirer, within)
  return new Set(charges.map(keyOf))
}

function tell({ world }: OrphanContext, orphan: Orphan): void {
  const { acquirer, mode, reference, acquirer_transaction_id, amount, currency } = orphan
  const { merchant_id, payment_id } = orphan
  world.log.error(
    {
      acquirer,
      mode,
      reference,
      acquirer_transaction_id,
      amount,
      currency,
      merchant_id,
      payment_id,
    },
    'orphaned authorisation found, it will be reversed',
  )
}
