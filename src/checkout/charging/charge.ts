// The three steps of a charge: commit the intent with our own reference, call the acquirer, commit the outcome.
// A crash or silence in between is unknown: its reference is kept to ask by, it is never failed and never sent twice.

import { type AuthoriseAnswer, NotSent, Unanswered } from '../../acquirers/acquirer.ts'
import { Refusal } from '../../kernel/errors.ts'
import { completeProfileOf } from '../../merchants/merchant.ts'
import { NotSaved } from '../asking/save-surely.ts'
import { noteUnanswered } from '../asking/unanswered.ts'
import type { Attempt } from '../attempt.ts'
import { findAttempt } from '../authentication/attempt-store.ts'
import { moneyOf } from '../bound-money.ts'
import { findCard } from '../cards/vault-store.ts'
import type { Context } from '../context.ts'
import { failure, openOperation } from '../operation.ts'
import { type Cause, lineOf, resultOf } from '../outcome.ts'
import { openPayment, type Payment } from '../payment.ts'
import { refuseUnlessOpen, type Session } from '../session.ts'
import type { ConfirmResult } from '../views.ts'
import { authorise, type Confirming } from './authorise.ts'
import { beginCharge } from './charge-store.ts'
import { type SentCharge, settleCharge, settleLate } from './settle-charge.ts'

/** Returns the confirm answer, or null where another confirm was faster. Refuses where the session has ended meanwhile. */
export async function charge(
  context: Context,
  confirming: Confirming,
): Promise<ConfirmResult | null> {
  const { session, attempt, verdict, account } = confirming
  const now = context.world.clock.now()
  refuseUnlessOpen(session, now)
  const profile = completeProfileOf(account.merchant)
  const acquirer = context.acquirerOf(session.mode, profile?.acquirer ?? null)
  const payment: Payment = {
    ...openPayment(session, attempt, {
      payment_id: context.ids.payment(),
      authentication: verdict.authentication,
      at: now,
    }),
    acquirer: acquirer.name,
  }
  const operation_id = context.ids.operation(now)
  const opened = openOperation(payment, { operation_id, kind: 'authorise', sequence: 1, at: now })
  const operation = { ...opened, payer: confirming.payer }
  const cause: Cause = { actor: 'shopper', request_id: confirming.request_id }
  const journal = lineOf(context.ids, payment, cause, {
    change: 'charge.begun',
    detail: {
      ...{ attempt_id: attempt.attempt_id, operation_id, acquirer: acquirer.name },
      ...moneyOf(payment),
    },
    at: now,
  })
  const card = await beginCharge(context.sql, { session, attempt, payment, operation, journal })
  if (!card) {
    await refuseIfCardIsGone(context, attempt)
    return null
  }
  const begun: Partial<Session> = {
    status: 'processing',
    payment_id: payment.payment_id,
    answer_by: operation.answer_by,
  }
  const charging = { ...confirming, session: { ...session, ...begun }, payment, operation }
  const sent: SentCharge = { ...charging, cause }
  const late = (answer: AuthoriseAnswer) => settleLate(context, sent, answer)
  try {
    const asked = authorise(context, charging, acquirer, card, late)
    return await settle(context, sent, asked)
  } catch (error) {
    // The search for answers finds it again. Until then all that is known is that the card may have been charged.
    if (error instanceof NotSaved) return resultOf({ ...sent, payment: null })
    throw error
  }
}

/** Records what comes of a charge. Null where somebody else has recorded something before. Throws NotSaved. */
async function settle(
  context: Context,
  sent: SentCharge,
  asked: Promise<AuthoriseAnswer>,
): Promise<ConfirmResult | null> {
  let answer: AuthoriseAnswer
  try {
    answer = await asked
  } catch (error) {
    if (error instanceof Unanswered) return unanswered(context, sent, error)
    if (!(error instanceof NotSent)) throw error
    // Nothing left this machine. Where somebody looks for an answer already, that goes on as if something had.
    const sending = sent.operation.last_sent_at
    return settleCharge(context, sent, failure(error.message), { sending })
  }
  return settleCharge(context, sent, answer)
}

/** A charge that could not begin was beaten by another, which deletes the card with its outcome, or has no card any more. */
async function refuseIfCardIsGone({ sql }: Context, attempt: Attempt): Promise<void> {
  if (await findCard(sql, attempt)) return
  const current = await findAttempt(sql, attempt.merchant_id, attempt.attempt_id)
  if (current?.phase !== 'authenticating') return
  throw new Refusal(
    'invalid_request',
    'card_reference: the card is no longer held. Let the shopper enter it again.',
    { field: 'card_reference' },
  )
}

/** Null where a late answer was faster. */
async function unanswered(
  context: Context,
  sent: SentCharge,
  error: Unanswered,
): Promise<ConfirmResult | null> {
  const { session, attempt } = sent
  if (!(await noteUnanswered(context, sent, error))) return null
  context.metrics.paymentConfirmed('pending', session.mode)
  return resultOf({ session, attempt, payment: null })
}
