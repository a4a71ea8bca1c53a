// A job: once a day compares our captured and held charges with each acquirer's, in both directions, and reports differences to
// a person. It corrects nothing, but hears of refunds that failed after they had succeeded.

import type { LiveAuthorisation } from '../../acquirers/acquirer.ts'
import { askPatiently } from '../acquirer-operations/call-acquirer.ts'
import { findUnseen } from '../acquirer-operations/finding-store.ts'
import { type Ask, listAuthorisations } from '../acquirer-operations/list-authorisations.ts'
import { type BookedCharge, compare, type Finding, listedAs, unknownThere } from '../comparison.ts'
import { around, hoursOf, referencesOf, refundsToLookAt, spanToCompare, type Window } from '../comparison-windows.ts'
import type { SettlementContext } from '../context.ts'
import { mayBeOurs } from '../orphan.ts'
import { isAnother } from '../orphan-candidates.ts'
import { lookAtReversals } from '../orphans/failed-reversals.ts'
import { type AcquirerOfMode, decideUnknown, noteOrphans } from '../orphans/note-orphans.ts'
import type { OrphanContext } from '../orphans/orphan-context.ts'
import { watchDatabase } from '../orphans/watch-database.ts'
import {
  claimComparison,
  endComparison,
  extendLease,
  failComparison,
  findBooked,
  pageBooked,
} from './comparison-store.ts'
import { lookAtDisputes } from './look-at-disputes.ts'
import { lookAtRefunds } from './look-at-refunds.ts'
import { lookClosely } from './look-closely.ts'
import { type RecordedHour, recordedHours } from './recorded-hours.ts'

/** Longer than one window may take. */
const lease_ms = 30 * 60_000
const every_ms = 24 * 3_600_000
/** When to try again after an incomplete comparison; at a disabled connection, whose key may have ended, after a day. */
const again_ms = 3_600_000
const page = 1_000
/** How many charges are looked at closely at once, and in one run. If more differ, something else is wrong. */
const looks = 100
const looks_max = 1_000

export type ComparisonContext = OrphanContext & SettlementContext

/** How many charges may go without an answer. If more do, the acquirer cannot be asked. */
const left_out_max = 10

/** The result of a comparison. `failure` is null if it was complete. `left_out`: the acquirer gave no answer about these alone. */
export type ComparisonResult = {
  acquirer: string
  ours: number
  theirs: number
  found: Finding[]
  left_out: string[]
  failure: string | null
}

/** Returns the number of new findings. Several processes may do this at once. */
export async function compareBooks(context: ComparisonContext): Promise<number> {
  let count = 0
  for (const swept of await context.listAcquirers()) {
    // Without a list there is nothing to compare with.
    if (!swept.acquirer.lists) continue
    const compared = await compareAcquirer(context, swept, { at_once: false })
    count += compared?.found.length ?? 0
  }
  return count
}

/** Null if the comparison is not due, or if another process runs it. */
export async function compareAcquirer(
  context: ComparisonContext,
  swept: AcquirerOfMode,
  { at_once }: { at_once: boolean },
): Promise<ComparisonResult | null> {
  const { sql, world } = context
  const { name } = swept.acquirer
  const now = world.clock.now()
  const lease = { held: new Date(now.getTime() + lease_ms) }
  const claim = { acquirer: name, now, lease_until: lease.held, at_once }
  const comparison = await claimComparison(sql, claim)
  if (!comparison) return null
  const span = spanToCompare(now, comparison.compared_until)
  const nothing = { ours: 0, theirs: 0, found: [], left_out: [] }
  const compared: ComparisonResult = { acquirer: name, ...nothing, failure: null }
  try {
    await watchDatabase(context)
    const { compared_until } = comparison
    await run(context, swept, { now, span, compared_until, lease, compared })
    const is_whole = compared.left_out.length === 0
    if (!is_whole) compared.failure = `not compared: ${compared.left_out.join(', ')}`
    await endComparison(sql, {
      acquirer: name,
      held: lease.held,
      ended_at: world.clock.now(),
      failure: compared.failure,
      due_at: new Date(now.getTime() + (is_whole ? every_ms : again_ms)),
      ours: compared.ours,
      theirs: compared.theirs,
      compared_since: span.since,
      compared_until: span.until,
    })
  } catch (error) {
    compared.failure = (error as Error).message
    if (error instanceof LeaseLostError) {
      world.log.warn({ acquirer: name }, 'comparison with the acquirer taken over')
      return compared
    }
    const is_stopped = context.stopping?.aborted === true
    if (!is_stopped) {
      const fields = { acquirer: name, error: compared.failure }
      if (swept.is_disabled) world.log.warn(fields, 'comparison with a disabled connection failed')
      else world.log.error(fields, 'comparison with the acquirer failed')
    }
    // A process that stops leaves the comparison to the next one.
    const wait_ms = is_stopped ? 0 : swept.is_disabled ? every_ms : again_ms
    const due_at = new Date(now.getTime() + wait_ms)
    await failComparison(sql, {
      acquirer: name,
      held: lease.held,
      due_at,
      failure: compared.failure,
    })
  }
  return compared
}

type ComparisonRun = {
  now: Date
  span: Window
  /** The end of the last complete comparison. */
  compared_until: Date | null
  lease: { held: Date }
  compared: ComparisonResult
}

async function run(context: ComparisonContext, swept: AcquirerOfMode, run: ComparisonRun): Promise<void> {
  const { name } = swept.acquirer
  const goOnHere = () => goOn(context, name, run)
  const refunds = referencesOf(refundsToLookAt(run.now))
  // First, because a refund that failed meanwhile changes the sum that its charge is compared with.
  const refunded = await lookAtRefunds(context, swept.acquirer, refunds, goOnHere)
  await lookAtDisputes(context, swept.acquirer, run.compared_until ?? run.span.since, goOnHere)
  await lookAtReversals(context, swept.acquirer, refunds, goOnHere)
  const leaveOut = (reference: string, { message }: Error) => {
    run.compared.left_out = [...run.compared.left_out, reference].sort()
    if (run.compared.left_out.length > left_out_max) throw new Error(message)
    const fields = { acquirer: name, reference, error: message }
    context.world.log.error(fields, 'comparison with the acquirer failed')
  }
  let looked = 0
  const look = async (references: string[]) => {
    looked += references.length
    if (looked > looks_max) throw new Error(`more than ${looks_max} charges seem to differ`)
    await lookAt(references)
  }
  const lookAt = async (references: string[]) => {
    for (let from = 0; from < references.length; from += looks) {
      const some = references.slice(from, from + looks)
      const findings = await lookClosely(context, swept, some, { leaveOut })
      for (const finding of findings) tell(context, finding)
      run.compared.found.push(...findings)
    }
  }
  const which = { acquirer: name, mode: swept.mode }
  const earlier = await recordedHours(context.sql, which, run)
  try {
    for (const { window, references } of [...hoursOf(run.span).map(listedHour), ...earlier]) {
      await goOnHere()
      if (references) await lookAt(references)
      else await look(await differingIn(context, swept, window, run.compared))
    }
  } finally {
    // Only the next sweep may release unknown ones, because it may have more than two days to search.
    await decideUnknown(context, name, false)
  }
  // Earlier findings that this run did not see: their charges are older than its span, or both sides agree now.
  await goOnHere()
  const unseen = await findUnseen(context.sql, { acquirer: name, since: run.now, limit: looks })
  // One at a time, because they may lie months apart.
  for (const reference of unseen) await look([reference])
  // The charges of refunds are looked at however old they are, and whether or not they seem to differ.
  for (const reference of [...refunded].sort()) {
    if (reference >= referencesOf(run.span).from || unseen.includes(reference)) continue
    await goOnHere()
    await lookAt([reference])
  }
}

function listedHour(window: Window): RecordedHour {
  return { window, references: null }
}

/** This process was paused for longer than its lease. The process that has the lease now starts over. */
class LeaseLostError extends Error {}

async function goOn(
  { sql, world, stopping }: OrphanContext,
  acquirer: string,
  { lease }: ComparisonRun,
): Promise<void> {
  if (stopping?.aborted) throw new Error('the process was stopped')
  const until = new Date(Math.max(world.clock.now().getTime() + lease_ms, lease.held.getTime() + 1))
  if (!(await extendLease(sql, { acquirer, held: lease.held, until }))) {
    throw new LeaseLostError('another process has taken it over')
  }
  lease.held = until
}

/** The references on which both seem to disagree. An authorisation that is unknown or failed here is treated as an orphan. */
async function differingIn(
  context: OrphanContext,
  swept: AcquirerOfMode,
  window: Window,
  compared: ComparisonResult,
): Promise<string[]> {
  const { world, installation } = context
  const wide = around(window)
  const ask: Ask = (clock, call) => askPatiently(clock, call, context.stopping)
  const charges = await listAuthorisations(world.clock, swept.acquirer, wide, ask)
  const ours = charges.filter((each) => mayBeOurs(each, installation))
  const { from, below } = referencesOf(window)
  const within = ours.filter(
    ({ authorised_at, reference }) =>
      (authorised_at >= window.since && authorised_at < window.until) ||
      // The hour in which it was authorised need not be compared.
      (reference >= from && reference < below),
  )
  compared.theirs += within.length
  await noteOrphans(context, swept, within)
  const differing = new Set(await differingListed(context, within))
  const there = new Set(ours.map(({ reference }) => reference))
  for await (const booked of bookedIn(context, swept.acquirer.name, window)) {
    compared.ours += 1
    if (!there.has(booked.reference) && claims(booked)) differing.add(booked.reference)
  }
  return [...differing].sort()
}

/** The charges that the acquirer lists differently from our books. */
async function differingListed({ sql }: OrphanContext, charges: LiveAuthorisation[]): Promise<string[]> {
  const theirs = Map.groupBy(charges, ({ reference }) => reference)
  const references = [...theirs.keys()].sort()
  const differing: string[] = []
  for (let from = 0; from < references.length; from += page) {
    for (const booked of await findBooked(sql, references.slice(from, from + page))) {
      // Of several with one reference, that on which our payment stands has our charge's id.
      const own = theirs.get(booked.reference)!.find((each) => !isAnother(booked, each))
      const kinds = compare(booked, own ? listedAs(own) : unknownThere)
      if (kinds !== 'wait' && kinds.length > 0) differing.push(booked.reference)
    }
  }
  return differing
}

async function* bookedIn({ sql }: OrphanContext, acquirer: string, window: Window): AsyncGenerator<BookedCharge> {
  const range = referencesOf(window)
  let after: BookedCharge | null = null
  for (;;) {
    const some: BookedCharge[] = await pageBooked(sql, { acquirer, ...range, after, limit: page })
    yield* some
    if (some.length < page) return
    after = some.at(-1)!
  }
}

/**
 * Whether the acquirer must have the charge: if it does not list the charge, the charge is missing there. What was refunded
 * in full need not be listed.
 */
function claims(booked: BookedCharge): boolean {
  if (booked.refunded_amount === booked.amount) return false
  const kinds = compare(booked, unknownThere)
  return kinds !== 'wait' && kinds.length > 0
}

function tell({ world }: OrphanContext, finding: Finding): void {
  const { acquirer, mode, reference, kind, merchant_id, payment_id, ours, theirs } = finding
  world.log.error(
    { acquirer, mode, reference, kind, merchant_id, payment_id, ours, theirs },
    'the acquirer has a charge otherwise than we do: ripper reconcile findings shows it',
  )
}
