// An acquirer that carried out an operation in another amount or currency than was asked for. That is no approval, and nothing may
// be sent again, since a part has moved already: a person has to complete it at the acquirer, or to take it back there.

import type { AuthoriseAnswer, SettleAnswer } from '../../acquirers/acquirer.ts'
import { isAsAsked } from '../bound-money.ts'
import type { AcquirerCharge, NewFinding } from '../comparison.ts'
import type { SettlementContext } from '../context.ts'
import { isOpen, type UnansweredOperation } from '../operation.ts'
import type { WholePayment } from '../whole-payment.ts'
import { noteFinding } from './note-finding.ts'
import { waitForPerson } from './wait-for-person.ts'

type Answered = Pick<WholePayment, 'payment' | 'authorisation'> & { operation: UnansweredOperation }

/**
 * Null if the answer is of the amount that was asked for, or names none, or is of an open charge: its approval is taken back
 * instead. Otherwise there is a finding now, and an operation whose outcome was open waits for a person. `later`: the operation
 * is still being sent.
 */
export async function noteOtherAmount(
  context: Pick<SettlementContext, 'sql' | 'ids' | 'world'>,
  answered: Answered,
  answer: AuthoriseAnswer | SettleAnswer,
): Promise<'contradicts' | 'later' | null> {
  const { operation } = answered
  if (answer.result !== 'approved' || (operation.kind === 'authorise' && isOpen(operation))) {
    return null
  }
  const money = 'captured' in answer ? answer : answer.money
  if (!money || isAsAsked(operation, money)) return null
  if (operation.state === 'sent') return 'later'
  const { amount, currency } = money
  const { operation_id, payment_id, kind, acquirer } = operation
  const { log, clock } = context.world
  const theirs = { state: stateThere(answered, answer), amount, currency }
  if (await noteFinding(context, findingOf(answered, theirs, clock.now()))) {
    const fields = { operation_id, payment_id, kind, acquirer, amount, currency }
    log.error(
      { ...fields, asked: operation.amount },
      'the acquirer carried out another amount than was asked for: ripper reconcile findings shows it',
    )
  }
  await waitForPerson(context, answered)
  return 'contradicts'
}

function findingOf({ operation, payment, authorisation }: Answered, theirs: AcquirerCharge, at: Date): NewFinding {
  const { operation_id, kind, acquirer, amount, currency } = operation
  const { merchant_id, payment_id, mode, status } = payment
  const is_refund = kind === 'refund'
  const refund_state = isOpen(operation) ? 'pending' : 'refunded'
  return {
    acquirer,
    mode,
    merchant_id,
    payment_id,
    theirs,
    // A comparison looks at charges, and may end the finding. A refund is known by its own reference.
    reference: is_refund ? operation_id : authorisation!.reference,
    kind: theirs.currency === currency ? 'amount_differs' : 'currency_differs',
    ours: { state: is_refund ? refund_state : status, amount, currency },
    found_at: at,
    seen_at: at,
  }
}

const statesThere = {
  capture: 'captured',
  void: 'voided',
  reverse: 'reversed',
  refund: 'refunded',
} as const

function stateThere(
  { operation: { kind }, payment }: Answered,
  answer: AuthoriseAnswer | SettleAnswer,
): AcquirerCharge['state'] {
  if (kind !== 'authorise') return statesThere[kind]
  const is_reserved = 'captured' in answer && payment.status === 'held'
  return is_reserved ? 'reserved' : 'captured'
}
