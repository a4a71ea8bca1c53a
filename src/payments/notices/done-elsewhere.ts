// What somebody did at an acquirer that cannot be asked, such as a person in its portal, or what time did. Only the acquirer's notice
// tells us.

import { acquirerName } from '../../merchants/account-connection.ts'
import { noteFinding } from '../acquirer-operations/finding-store.ts'
import { settleFoundHold } from '../acquirer-operations/found-hold.ts'
import { isAsAsked, isPartOf } from '../bound-money.ts'
import { type AcquirerCharge, findingElsewhere, type NewFinding } from '../comparison.ts'
import type { SettlementContext } from '../context.ts'
import { isWaiting } from '../hold.ts'
import { isOpen, type Operation } from '../operation.ts'
import type { Cause } from '../outcome.ts'
import type { WholePayment } from '../whole-payment.ts'
import type { StoredNotice } from './notice-store.ts'

type Elsewhere = { whole: WholePayment; operation: Operation | undefined; cause: Cause }

/** The state of the charge after each. */
const becomes: Partial<Record<StoredNotice['about'], AcquirerCharge['state']>> = {
  capture: 'captured',
  void: 'voided',
  reverse: 'reversed',
  expiry: 'expired',
}

/**
 * A hold is captured or voided if that was done in full. The capture of a part captures that part, and is a finding for a person too. So
 * is a refund, the release of a part, a capture beyond what was authorised, a second one, and whatever takes money from a captured
 * payment. Null if the notice is about something that we asked for, or changes nothing here.
 */
export async function settleDoneElsewhere(
  context: SettlementContext,
  { whole, operation, cause }: Elsewhere,
  notice: StoredNotice,
): Promise<'settled' | 'contradicts' | 'nothing_new' | 'later' | null> {
  const { payment, hold } = whole
  const { about, answer } = notice
  const is_asked = operation && (operation.kind !== 'authorise' || isOpen(operation))
  if ((about !== 'expiry' && answer?.result !== 'approved') || is_asked) return null
  if (payment.acquirer !== acquirerName(notice)) return null
  const money = answer && 'money' in answer && answer.money ? answer.money : unknownMoney
  const find = (reference: string, state: AcquirerCharge['state'], is_part = false) => {
    const theirs = { state, ...money }
    const finding = findingElsewhere({ payment, reference, theirs, at: now(context) })
    return note(context, is_part ? { ...finding, kind: 'amount_differs' } : finding)
  }
  if (about === 'refund') {
    const reference = notice.acquirer_transaction_id
    return reference === null ? null : find(reference, 'refunded')
  }
  const state = becomes[about]
  if (state === undefined) return null
  // The notice about the charge itself is still to come.
  if (payment.status === 'pending') return 'later'
  const { reference } = whole.authorisation!
  const is_part = money.amount !== null && !isAsAsked(payment, money)
  if (!hold || !isWaiting(hold)) {
    // What a capture of a part left is let go at the acquirer, at once or later.
    if (payment.captured_amount !== null && (about === 'expiry' || about === 'void')) return 'nothing_new'
    // Where a part was captured, another part may have been since; where all was, it is the same capture.
    const moves_money = payment.status === 'captured' && (about !== 'capture' || payment.captured_amount !== null)
    return moves_money ? find(reference, state, is_part) : null
  }
  // Our own capture or void must be answered first.
  if (hold.operation_id !== null) return 'later'
  if (about === 'capture' && (money.amount === null || !isPartOf(payment, money))) return find(reference, state)
  // What is left of it may still be captured.
  if (is_part && about !== 'capture') return find(reference, state, is_part)
  const as = about === 'capture' ? 'captured' : 'voided'
  const asked_by = about === 'expiry' ? 'rules' : 'merchant'
  const captured_amount = about === 'capture' ? money.amount! : undefined
  const ending = { asked_by, cause, key: null, as, captured_amount } as const
  const { ends } = await settleFoundHold(context, { ...whole, hold }, ending)
  return ends === null ? 'nothing_new' : 'settled'
}

const unknownMoney = { amount: null, currency: null } as const

function now({ world }: Pick<SettlementContext, 'world'>): Date {
  return world.clock.now()
}

/** Kept until a person closes it, and logged once. */
async function note(context: Pick<SettlementContext, 'sql' | 'world'>, finding: NewFinding): Promise<'contradicts'> {
  const { acquirer, reference, kind, payment_id } = finding
  if (await noteFinding(context, finding)) {
    context.world.log.error(
      { acquirer, reference, kind, payment_id },
      'the acquirer has done what nobody asked for here: ripper reconcile findings shows it',
    )
  }
  return 'contradicts'
}
