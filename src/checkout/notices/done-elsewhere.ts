// What somebody did at an acquirer that cannot be asked, such as a person in its portal. Only the acquirer's notice tells us.

import { acquirerName } from '../../merchants/account-connection.ts'
import { noteFinding } from '../asking/note-finding.ts'
import { findingElsewhere, type NewFinding } from '../comparison.ts'
import type { SettlementContext } from '../context.ts'
import { isWaiting } from '../hold.ts'
import { settleFoundHold } from '../holds/settle-found-hold.ts'
import { isOpen, type Operation } from '../operation.ts'
import type { Cause } from '../outcome.ts'
import type { WholePayment } from '../whole-payment.ts'
import type { StoredNotice } from './notice-store.ts'

type Elsewhere = { whole: WholePayment; operation: Operation | undefined; cause: Cause }

/**
 * A hold is captured or voided if that was done in full. A refund, or the capture of another amount, is a finding for a person.
 * Null if the notice is about something that we asked for, or changes nothing here.
 */
export async function settleDoneElsewhere(
  context: SettlementContext,
  { whole, operation, cause }: Elsewhere,
  notice: StoredNotice,
): Promise<'settled' | 'contradicts' | 'nothing_new' | 'later' | null> {
  const { payment, hold } = whole
  const { about, answer } = notice
  const is_asked = operation && (operation.kind !== 'authorise' || isOpen(operation))
  if (answer?.result !== 'approved' || is_asked) return null
  if (payment.acquirer !== acquirerName(notice)) return null
  const money = 'money' in answer && answer.money ? answer.money : null
  if (about === 'refund') {
    const reference = notice.acquirer_transaction_id
    if (reference === null) return null
    const theirs = { state: 'refunded', ...(money ?? unknownMoney) } as const
    return note(context, findingElsewhere({ payment, reference, theirs, at: now(context) }))
  }
  if ((about !== 'capture' && about !== 'void') || !hold || !isWaiting(hold)) return null
  // Our own capture or void must be answered first.
  if (hold.operation_id !== null) return 'later'
  const is_whole = money?.amount === payment.amount && money.currency === payment.currency
  if (about === 'capture' && !is_whole) {
    const { reference } = whole.authorisation!
    const theirs = { state: 'captured', ...(money ?? unknownMoney) } as const
    return note(context, findingElsewhere({ payment, reference, theirs, at: now(context) }))
  }
  const as = about === 'capture' ? 'captured' : 'voided'
  const asked = { asked_by: 'merchant', cause, key: null, as } as const
  const { ends } = await settleFoundHold(context, { ...whole, hold }, asked)
  return ends === null ? 'nothing_new' : 'settled'
}

const unknownMoney = { amount: null, currency: null }

function now({ world }: Pick<SettlementContext, 'world'>): Date {
  return world.clock.now()
}

/** Kept until a person closes it, and logged once. */
async function note(
  context: Pick<SettlementContext, 'sql' | 'world'>,
  finding: NewFinding,
): Promise<'contradicts'> {
  const { acquirer, reference, kind, payment_id } = finding
  if (await noteFinding(context, finding)) {
    context.world.log.error(
      { acquirer, reference, kind, payment_id },
      'the acquirer has done what nobody asked for here: ripper reconcile findings shows it',
    )
  }
  return 'contradicts'
}
