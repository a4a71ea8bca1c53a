// Sends an operation that is written down, once, and settles it by whatever comes of that.

import { type Accepted, NotSent, type SettleAnswer, Unanswered, type UnderWay } from '../../acquirers/acquirer.ts'
import { failed } from '../../acquirers/answers.ts'
import { isAsAsked } from '../bound-money.ts'
import type { SettlementContext } from '../context.ts'
import { type Operation, sendableSince } from '../operation.ts'
import { sendToAcquirer } from './call-acquirer.ts'
import type { Answer, OperationCase, SettleCase } from './kinds.ts'
import { unlessUnsaved } from './save-surely.ts'
import { noteUnanswered, type Settled, settle, settleUnsent } from './settle.ts'

/**
 * Sends an operation that is written down, and settles it by whatever comes of that: the one way for all kinds. Returns what was
 * recorded; how the operation is open still; or null where another process has recorded an answer. Throws whatever else `call` throws.
 * `answered` stands in for `settle` where an answer does not end the matter.
 */
export async function sendOperation<Sent extends SettleCase, Given extends Answer | Accepted | UnderWay, Else = never>(
  context: SettlementContext,
  subject: Sent,
  call: () => Promise<Given>,
  answered: (answer: Given) => Promise<Settled | Else> = (answer) => settle(context, subject, answer),
): Promise<Settled | Else> {
  const { world } = context
  const { operation_id, payment_id, last_sent_at } = subject.operation
  const late = (answer: Given) => {
    const fields = { operation_id, payment_id, result: answer.result }
    answered(answer).then(
      (end) => world.log.warn({ ...fields, counted: end !== null }, 'late answer'),
      (error: Error) => world.log.error({ ...fields, error: error.message }, 'late answer lost'),
    )
  }
  const answer = await sendToAcquirer(world.clock, last_sent_at, call, late).catch((error: unknown) => error)
  if (answer instanceof NotSent && !mayHaveArrived(subject.operation)) {
    return unlessUnsaved(settleUnsent(context, subject, unsentAnswer(subject.operation, answer.message)))
  }
  if (answer instanceof NotSent || answer instanceof Unanswered) {
    return unlessUnsaved(noteUnanswered(context, subject, answer))
  }
  if (answer instanceof Error) throw answer
  return unlessUnsaved(answered(answer as Given))
}

/** Whether it may be at the acquirer though this sending did not leave: it was sent before. A reversal is tried until it is answered. */
function mayHaveArrived({ kind, sent_at, last_sent_at }: Operation): boolean {
  // A charge is never sent again: it counts as sent once it is prepared.
  return kind === 'reverse' || (kind !== 'authorise' && last_sent_at > sent_at)
}

/** The answer to what never left this machine. */
function unsentAnswer({ kind }: Pick<Operation, 'kind'>, reason: string): Answer {
  return kind === 'authorise' ? failed(reason) : { result: 'not_sent', reason, decline_code: null }
}

/**
 * The call of a capture, void, reversal or refund, under its own reference: repeated, it is the same request. An approval of
 * another amount is no answer.
 */
export function callToSettle(
  { acquirerOf }: Pick<SettlementContext, 'acquirerOf'>,
  subject: Pick<OperationCase, 'payment' | 'authorisation' | 'operation'>,
): () => Promise<SettleAnswer | Accepted> {
  const { operation_id, kind, acquirer, amount, currency, sent_at, last_sent_at } = subject.operation
  if (kind === 'authorise') throw new Error('an authorisation is not sent without its card')
  const port = acquirerOf(subject.payment.mode, acquirer)
  const authorisation = subject.authorisation!
  const sendable = sendableSince(last_sent_at)
  const is_repeat = last_sent_at > sent_at
  const request = { reference: operation_id, authorisation, amount, currency, is_repeat, sendable }
  return async () => {
    const answer = await port[kind](request)
    const money = answer.result === 'approved' ? answer.money : undefined
    if (!money || isAsAsked(request, money)) return answer
    // A look-up says the same, and then there is a finding: see `noteOtherAmount`.
    throw new Unanswered(`it says ${money.amount} ${money.currency} and not ${amount} ${currency}`)
  }
}
