// What somebody did at an acquirer that can be asked, such as a person in its portal, or what time did: a notice only makes us look at
// the charge. The acquirer's books decide.

import { NotSent, Unanswered } from '../../acquirers/acquirer.ts'
import { acquirerName } from '../../merchants/account-connection.ts'
import { findBooked } from '../acquirer-comparison/comparison-store.ts'
import { lookClosely } from '../acquirer-comparison/look-closely.ts'
import { askAcquirer } from '../acquirer-operations/call-acquirer.ts'
import { settleFoundHold } from '../acquirer-operations/found-hold.ts'
import { compare, unknownThere } from '../comparison.ts'
import type { SettlementContext } from '../context.ts'
import { isWaiting } from '../hold.ts'
import type { OrphanContext } from '../orphans/orphan-context.ts'
import type { Cause } from '../outcome.ts'
import type { WholePayment } from '../whole-payment.ts'
import type { StoredNotice } from './notice-store.ts'

/**
 * A waiting hold ends as its authorisation stands there. Whatever else differs is a finding, as if the comparison had looked at the
 * charge. `later`: the acquirer could not be asked, or something is under way here.
 */
export async function lookAtCharge(
  context: SettlementContext & OrphanContext,
  { whole, cause }: { whole: WholePayment; cause: Cause },
  notice: StoredNotice,
): Promise<'settled' | 'contradicts' | 'nothing_new' | 'later'> {
  if (whole.payment.acquirer !== acquirerName(notice)) return 'nothing_new'
  try {
    return (await endHold(context, { whole, cause }, notice)) ?? (await find(context, whole))
  } catch (error) {
    if (error instanceof Unanswered || error instanceof NotSent) return 'later'
    throw error
  }
}

/** Null if no hold ends by it. */
async function endHold(
  context: SettlementContext,
  { whole, cause }: { whole: WholePayment; cause: Cause },
  { about }: StoredNotice,
): Promise<'settled' | 'later' | null> {
  const { hold } = whole
  if (!hold || !isWaiting(hold)) return null
  // Our own capture or void must be answered first.
  if (hold.operation_id !== null) return 'later'
  const asked_by = about === 'expiry' ? ('rules' as const) : ('merchant' as const)
  const request = { asked_by, cause, key: null, as: null }
  const { ends, decided_elsewhere } = await settleFoundHold(context, { ...whole, hold }, request)
  if (ends !== null) return 'settled'
  return decided_elsewhere ? 'later' : null
}

async function find(
  context: SettlementContext & OrphanContext,
  { payment, authorisation }: WholePayment,
): Promise<'contradicts' | 'nothing_new' | 'later'> {
  const { world, acquirerOf } = context
  const { reference } = authorisation!
  const [booked] = await findBooked(context.sql, [reference])
  const claims = booked ? compare(booked, unknownThere) : []
  if (claims === 'wait') return 'later'
  // Of a payment that claims nothing, a live charge is an orphan, and the sweep finds it.
  if (claims.length === 0) return 'nothing_new'
  const acquirer = acquirerOf(payment.mode, payment.acquirer)
  const books = { mode: payment.mode, acquirer }
  const findings = await lookClosely(context, books, [reference], {
    ask: (clock, call) => askAcquirer(clock, call),
  })
  for (const { kind, ours, theirs } of findings) {
    const fields = { acquirer: acquirer.name, reference, kind, payment_id: payment.payment_id }
    world.log.error(
      { ...fields, ours, theirs },
      'the acquirer has a charge otherwise than we do: ripper reconcile findings shows it',
    )
  }
  return findings.length > 0 ? 'contradicts' : 'nothing_new'
}
