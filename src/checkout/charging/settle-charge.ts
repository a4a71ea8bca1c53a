// The last step of a charge: turns an acquirer's definite answer into the payment and its event, from whatever source it comes.

import type { AuthoriseAnswer } from '../../acquirers/acquirer.ts'
import { failed } from '../../acquirers/answers.ts'
import { strangeEnvironment } from '../../acquirers/environment.ts'
import { environmentOfMode } from '../../kernel/connection-mode.ts'
import { connectionNamed } from '../../merchants/account-connection.ts'
import { type Account, integrationOf } from '../../merchants/directory.ts'
import { holdRulesOf } from '../../merchants/integration.ts'
import { saveSurely } from '../asking/ask-acquirer.ts'
import { handleLostAnswer } from '../asking/lost-answer.ts'
import { orphanOfCharge } from '../asking/orphan-of-charge.ts'
import { isAsAsked } from '../bound-money.ts'
import type { SettlementContext } from '../context.ts'
import { countOutcome, type Payer } from '../limits/payer.ts'
import type { ExpectedState, Operation } from '../operation.ts'
import type { Orphan } from '../orphan.ts'
import { type Cause, conclude, type Declined, outcomeOf } from '../outcome.ts'
import type { ConfirmResult } from '../views.ts'
import type { WholePayment } from '../whole-payment.ts'
import { saveOutcome } from './charge-store.ts'

/** A charge that was sent. */
export type SentCharge = Pick<WholePayment, 'session' | 'attempt' | 'payment'> & {
  operation: Operation
  account: Account
  /** The payer against whom a decline is counted; null in test mode. */
  payer: Payer | null
  cause: Cause
  /** The authorisation to be reversed if the acquirer holds it although its answer is negative. */
  orphan?: Orphan | null
  /** The first acquirer's decline, if this is the second one's charge. It stands if this charge comes to nothing. */
  declined_before?: Declined | undefined
}

/** Returns the confirm answer, or null if another process has already recorded an outcome. Throws SaveError. */
export async function settleCharge(
  context: SettlementContext,
  sent: SentCharge,
  given: AuthoriseAnswer,
  from: ExpectedState = 'unanswered',
): Promise<ConfirmResult | null> {
  const { account, session } = sent
  const { operation_id } = sent.operation
  const { answer, orphan } = asAsked(context, sent, given)
  const now = context.world.clock.now()
  const change = conclude(
    sent,
    answerTold(sent, answer),
    holdRulesOf(integrationOf(account, session.integration_id), session.mode),
    now,
  )
  const operation = { operation_id, state: answer.result, answer, from }
  const written = outcomeOf(context.ids, { ...sent, change, operation, at: now })
  const outcome = { ...written, orphan: orphan ?? sent.orphan }
  const { acquirer_transaction_id } = answer
  const told = { operation_id, result: answer.result, acquirer_transaction_id }
  if (!(await saveSurely(context, () => saveOutcome(context.sql, outcome, now), told))) {
    const money = given.result === 'approved' ? given : null
    await handleLostAnswer(context, sent, { state: answer.result, money })
    return null
  }
  tellOfFailure(context, sent, answer)
  context.wakeDeliveries('event', session.merchant_id)
  context.metrics.paymentConfirmed(change.payment.status, change.payment.mode)
  await countOutcome(context, sent.payer, change.payment, now)
  return outcome.attempt.result as ConfirmResult
}

/** An error of the second acquirer must not hide the issuer's decline, which also counts against the payer. */
function answerTold({ declined_before }: SentCharge, answer: AuthoriseAnswer): AuthoriseAnswer {
  if (answer.result !== 'failed' || !declined_before) return answer
  const { acquirer_transaction_id } = answer
  return { ...declined_before, acquirer_transaction_id }
}

/** A merchant's connection cannot charge: its credentials may be wrong, its account disabled, or its vendor at fault. */
function tellOfFailure(
  { world }: SettlementContext,
  { operation, payment }: SentCharge,
  answer: AuthoriseAnswer,
): void {
  const { operation_id, acquirer } = operation
  if (answer.result !== 'failed' || connectionNamed(acquirer) === null) return
  const { reason } = answer.decline
  const fields = { operation_id, payment_id: payment.payment_id, acquirer, reason }
  world.log.error(fields, 'a connection failed to charge: ripper connection check shows whether it works')
}

/**
 * An approval of another amount, or from the other environment, is no approval: the acquirer's authorisation is reversed, and the
 * charge has failed.
 */
function asAsked(
  context: SettlementContext,
  { operation, payment }: SentCharge,
  given: AuthoriseAnswer,
): { answer: AuthoriseAnswer; orphan: Orphan | null } {
  if (given.result !== 'approved') return { answer: given, orphan: null }
  const { operation_id: reference, handle, acquirer } = operation
  const { amount, currency, acquirer_transaction_id } = given
  const strange = strangeEnvironment(given, environmentOfMode[payment.mode])
  // A sandbox holds nothing. Its answer says so in a line of the log: see `tellOfFailure`.
  if (strange !== null && payment.mode === 'live') return { answer: failed(strange), orphan: null }
  if (strange === null && isAsAsked(payment, given)) return { answer: given, orphan: null }
  const told = { operation_id: reference, acquirer, amount, currency, asked: payment.amount }
  const { log } = context.world
  if (strange === null) {
    log.error(told, 'another amount was approved than was asked for: it is taken back')
  } else log.error({ ...told, reason: strange }, 'money moved for a test payment: it is taken back')
  const answer = failed(strange ?? 'The acquirer approved another amount')
  const money = { amount, currency }
  const authorisation = { reference, handle, acquirer_transaction_id }
  return { answer, orphan: orphanOfCharge(context, { authorisation, acquirer, money, payment }) }
}
