// The second look at charges on which our books and an acquirer's seem to disagree. Only a lasting difference is a finding.

import { chargeNamed, type LookUpAnswer } from '../../acquirers/acquirer.ts'
import { askPatiently } from '../acquirer-operations/call-acquirer.ts'
import { saveFindings } from '../acquirer-operations/finding-store.ts'
import { type Ask, listAuthorisations } from '../acquirer-operations/list-authorisations.ts'
import {
  type AcquirerCharge,
  type BookedCharge,
  compare,
  type Finding,
  foundAs,
  isUnchanged,
  listedAs,
  sidesOf,
  unknownThere,
} from '../comparison.ts'
import { widelyAround } from '../comparison-windows.ts'
import type { AcquirerOfMode } from '../orphans/note-orphans.ts'
import type { OrphanContext } from '../orphans/orphan-context.ts'
import { findBooked } from './comparison-store.ts'

const at_once = 8

/**
 * Looks each reference up, and reads our rows before and after. A charge that changed meanwhile or is under way is left to the
 * next comparison. Saves what was found, and clears earlier findings that are gone. Returns the new findings. With `leaveOut`, a charge
 * that the acquirer gives no answer about is left to it, unless that is so for all of several.
 */
export async function lookClosely(
  context: OrphanContext,
  { mode, acquirer }: AcquirerOfMode,
  references: string[],
  { ask = askPatiently, leaveOut }: { ask?: typeof askPatiently; leaveOut?: LeaveOut } = {},
): Promise<Finding[]> {
  const { sql, world } = context
  const sorted = references.toSorted()
  const before = await findBooked(sql, sorted)
  const theirs = await askForEach(context, acquirer, before, { ask, leaveOut })
  const after = new Map((await findBooked(sql, sorted)).map((booked) => [booked.reference, booked]))
  const now = world.clock.now()
  const judged = before.flatMap((booked) => {
    const there = theirs.get(booked.reference)
    const kinds = there ? compare(booked, there) : 'wait'
    return kinds !== 'wait' && isUnchanged(booked, after.get(booked.reference)) ? [{ booked, kinds }] : []
  })
  const findings = judged.flatMap(({ booked, kinds }) =>
    kinds.map((kind) => ({
      acquirer: acquirer.name,
      reference: booked.reference,
      kind,
      mode,
      merchant_id: booked.merchant_id,
      payment_id: booked.payment_id,
      ...sidesOf(booked, theirs.get(booked.reference)!),
      found_at: now,
      seen_at: now,
    })),
  )
  const looked_at = judged.map(({ booked }) => booked.reference)
  if (looked_at.length === 0) return []
  return saveFindings(sql, { acquirer: acquirer.name, references: looked_at, found: findings, at: now })
}

type LeaveOut = (reference: string, error: Error) => void

/** The acquirer's state of each charge. Throws if the acquirer could not be asked. */
async function askForEach(
  { world, stopping }: OrphanContext,
  acquirer: AcquirerOfMode['acquirer'],
  charges: BookedCharge[],
  { ask: asks, leaveOut }: { ask: typeof askPatiently; leaveOut: LeaveOut | undefined },
): Promise<Map<string, AcquirerCharge>> {
  const theirs = new Map<string, AcquirerCharge>()
  const failed: [reference: string, error: Error][] = []
  for (let from = 0; from < charges.length; from += at_once) {
    const some = charges.slice(from, from + at_once)
    const looks = await Promise.allSettled(
      some.map((charge) => asks<LookUpAnswer>(world.clock, () => acquirer.lookUp(chargeNamed(charge)), stopping)),
    )
    for (const [at, { reference }] of some.entries()) {
      const look = looks[at]!
      if (look.status === 'fulfilled') theirs.set(reference, foundAs(look.value))
      else if (!leaveOut || stopping?.aborted) throw look.reason
      else failed.push([reference, look.reason])
    }
  }
  const is_silent = failed.length > 1 && theirs.size === 0
  if (is_silent) throw failed[0]![1]
  for (const each of failed) leaveOut!(...each)
  // An acquirer may forget a reference after a day and still list its authorisation.
  const lists = new Map<number, Map<string, AcquirerCharge>>()
  for (const [reference, { state }] of theirs) {
    if (state !== 'unknown') continue
    const window = widelyAround(reference)
    const name = window.since.getTime()
    if (!lists.has(name)) {
      const ask: Ask = (clock, call) => asks(clock, call, stopping)
      const liveCharges = await listAuthorisations(world.clock, acquirer, window, ask)
      lists.set(name, new Map(liveCharges.map((each) => [each.reference, listedAs(each)])))
    }
    theirs.set(reference, lists.get(name)!.get(reference) ?? unknownThere)
  }
  return theirs
}
