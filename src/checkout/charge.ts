// The three steps of a charge: commit the intent with our own reference, call the acquirer, commit the outcome.
// A crash or silence in between is unknown: its reference is kept to ask by, it is never failed and never sent twice.

import { type AuthoriseAnswer, Unanswered } from '../acquirers/acquirer.ts'
import type { Context } from '../context.ts'
import { isRetriable, isStoreUnavailable } from '../database/failures.ts'
import { Refusal } from '../errors.ts'
import { integrationOf } from '../merchants/directory.ts'
import { completeProfileOf } from '../merchants/merchant.ts'
import type { Attempt } from './attempt.ts'
import { authorise, type Charging, type Confirming } from './authorise.ts'
import { countDecline } from './card-testing.ts'
import {
  beginCharge,
  type Operation,
  type Outcome,
  saveOutcome,
  saveUnanswered,
} from './charge-store.ts'
import { journalLine, outcomeOf, resultOf } from './outcome.ts'
import { conclude, openPayment, type Payment } from './payment.ts'
import type { Session } from './session.ts'
import { findAttempt } from './store.ts'
import { findCard } from './vault-store.ts'
import type { ConfirmResult } from './views.ts'

/** After this an answer counts as lost. Longer than any acquirer call may take. */
const answer_ms = 30_000
/** The first look at what became of a lost answer. */
const first_check_ms = 5_000

/** Returns the confirm answer, or null where another confirm was faster. */
export async function charge(
  context: Context,
  confirming: Confirming,
): Promise<ConfirmResult | null> {
  const { session, attempt, verdict, account } = confirming
  const now = context.world.clock.now()
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
  const operation = operationOf(context, payment, now)
  const journal = journalLine(context, confirming, now, 'charge.begun', {
    operation_id: operation.operation_id,
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
  try {
    const answer = await authorise(context, charging, acquirer, card)
    return await settle(context, charging, answer)
  } catch (error) {
    if (error instanceof Unanswered) return unanswered(context, charging, error)
    throw error
  }
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

/** Returns null where the outcome was recorded by somebody else meanwhile. */
async function settle(
  context: Context,
  charging: Charging,
  answer: AuthoriseAnswer,
): Promise<ConfirmResult | null> {
  const { account, session } = charging
  const now = context.world.clock.now()
  const change = conclude(charging, answer, integrationOf(account, session.integration_id), now)
  const operation = {
    operation_id: charging.operation.operation_id,
    state: answer.result,
    answer,
  }
  const outcome = outcomeOf(context, { ...charging, change, operation, at: now })
  if (!(await saveSurely(context, outcome, now))) return null
  context.wakeDeliveries()
  context.metrics.paymentConfirmed(change.payment.status, change.payment.mode)
  await countDecline(context, charging.payer, change.payment, now)
  return outcome.attempt.result as ConfirmResult
}

const save_tries = 5

/**
 * A definite answer must not be lost to a connection: saving it is a compare-and-set, so it may be tried again. After the
 * last try the log holds what the acquirer said, and the operation is found again by its reference.
 */
async function saveSurely(context: Context, outcome: Outcome, now: Date): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      const saved = await saveOutcome(context.sql, outcome, now)
      // After a lost connection the first try may have been committed all the same: then the winner was this request.
      return saved || tries > 1
    } catch (error) {
      const passing = isRetriable(error) || isStoreUnavailable(error)
      if (passing && tries < save_tries) {
        await context.world.clock.sleep(200 * tries)
        continue
      }
      const { operation, payment } = outcome
      const { acquirer_transaction_id } = payment
      const told = {
        operation_id: operation?.operation_id,
        result: operation?.state,
        acquirer_transaction_id,
      }
      context.world.log.error(told, 'the answer of the acquirer could not be saved')
      throw error
    }
  }
}

async function unanswered(
  context: Context,
  charging: Charging,
  error: Unanswered,
): Promise<ConfirmResult> {
  const { session, attempt, operation, request_id } = charging
  const now = context.world.clock.now()
  const { operation_id, acquirer } = operation
  // Silence is to be expected now and then; a cause is a defect that somebody has to look at.
  const level = error.cause ? 'error' : 'warn'
  const told = { request_id, operation_id, acquirer, error: error.message }
  context.world.log[level](told, 'acquirer gave no usable answer')
  await saveUnanswered(context.sql, {
    session,
    attempt,
    operation_id,
    next_check_at: new Date(now.getTime() + first_check_ms),
    journal: journalLine(context, charging, now, 'charge.unanswered', { operation_id }),
  })
  context.metrics.paymentConfirmed('pending', session.mode)
  return resultOf({ session, attempt, payment: null })
}

function operationOf(context: Context, payment: Payment, now: Date): Operation {
  return {
    merchant_id: payment.merchant_id,
    operation_id: context.ids.operation(now),
    payment_id: payment.payment_id,
    kind: 'authorise',
    sequence: 1,
    acquirer: payment.acquirer!,
    amount: payment.amount,
    currency: payment.currency,
    state: 'sent',
    sent_at: now,
    answer_by: new Date(now.getTime() + answer_ms),
  }
}
