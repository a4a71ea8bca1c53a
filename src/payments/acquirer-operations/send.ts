// Sends an operation that is written down, once, and settles it by whatever comes of that.

import {
  type Accepted,
  type AuthoriseAnswer,
  NotSent,
  type SettleAnswer,
  Unanswered,
  type UnderWay,
} from '../../acquirers/acquirer.ts'
import { failed } from '../../acquirers/answers.ts'
import { isAsAsked, isPartTaken } from '../bound-money.ts'
import type { SettlementContext } from '../context.ts'
import { type Operation, sendableSince } from '../operation.ts'
import { sendToAcquirer } from './call-acquirer.ts'
import type { Answer, OperationCase, SettleCase } from './outcome-by-kind.ts'
import { type End, noteUnanswered, settle, settleUnsent } from './record-answer.ts'
import { unlessUnsaved } from './save-surely.ts'

/**
 * Sends an operation that is written down, and settles it by whatever comes of that: the one way for all kinds. `answered` stands in
 * for `settle` where an answer does not end the matter.
 */
export async function sendOperation<
  Case extends SettleCase,
  Given extends AuthoriseAnswer | SettleAnswer | Accepted | UnderWay,
>(
  context: SettlementContext,
  subject: Case,
  call: () => Promise<Given>,
  answered: (answer: Given) => Promise<End<Case>> = (answer) => settle(context, subject, answer),
): Promise<End<Case>> {
  const { clock, log } = context.world
  const { operation_id, payment_id, last_sent_at } = subject.operation
  const late = (answer: Given) => {
    const fields = { operation_id, payment_id, result: answer.result }
    answered(answer).then(
      (end) => log.warn({ ...fields, counted: end !== null }, 'late answer'),
      (error: Error) => log.error({ ...fields, error: error.message }, 'late answer lost'),
    )
  }
  let answer: Given
  try {
    answer = await sendToAcquirer(clock, last_sent_at, call, late)
  } catch (error) {
    const is_unsent = error instanceof NotSent && !mayHaveArrived(subject.operation)
    const settling = is_unsent
      ? settleUnsent(context, subject, unsentAnswer(subject.operation, error.message))
      : (noteUnanswered(context, subject, error as Error) as Promise<End<Case>>)
    return unlessUnsaved(settling)
  }
  return unlessUnsaved(answered(answer))
}

/** Whether it may be at the acquirer though this sending did not leave: it was sent before, or is a reversal, which is tried until it is answered. */
function mayHaveArrived(operation: Operation): boolean {
  // A charge is never sent again. Where it was prepared, it has a later time all the same.
  return operation.kind === 'reverse' || (operation.kind !== 'authorise' && isRepeat(operation))
}

/** A clock that was set back may have given the repeat an earlier time. */
function isRepeat({ sent_at, last_sent_at }: Operation): boolean {
  return last_sent_at.getTime() !== sent_at.getTime()
}

/** The answer to what never left this machine. */
function unsentAnswer({ kind }: Pick<Operation, 'kind'>, reason: string): Answer {
  return kind === 'authorise' ? failed(reason) : { result: 'not_sent', reason, decline_code: null }
}

/**
 * The call of a capture, void, reversal or refund, under its own reference: repeated, it is the same request. An approval of
 * another amount is no answer, but of a capture, which took what it says.
 */
export function callToSettle(
  { acquirerOf }: Pick<SettlementContext, 'acquirerOf'>,
  subject: Pick<OperationCase, 'payment' | 'authorisation' | 'operation'>,
): () => Promise<SettleAnswer | Accepted> {
  const { operation_id, kind, acquirer, amount, currency, last_sent_at } = subject.operation
  if (kind === 'authorise') throw new Error('an authorisation is not sent without its card')
  const port = acquirerOf(subject.payment.mode, acquirer)
  const authorisation = subject.authorisation!
  const sendable = sendableSince(last_sent_at)
  const is_repeat = isRepeat(subject.operation)
  const fits_twice = kind === 'capture' && 2 * amount <= subject.payment.amount && { fits_twice: true as const }
  const request = { reference: operation_id, authorisation, amount, currency, is_repeat, ...fits_twice, sendable }
  return async () => {
    const answer = await port[kind](request)
    const money = answer.result === 'approved' ? answer.money : undefined
    if (!money || isAsAsked(request, money) || isPartTaken(subject, money)) return answer
    // A look-up says the same, and then there is a finding: see `noteOtherAmount`.
    throw new Unanswered(`it says ${money.amount} ${money.currency} and not ${amount} ${currency}`)
  }
}
