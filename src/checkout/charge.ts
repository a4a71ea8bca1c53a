// The three steps of a charge: commit the intent with our own reference, call the acquirer, commit the outcome.
// A crash or silence in between is unknown: it is found again by the reference, never failed and never sent twice.

import {
  type AuthoriseAnswer,
  type AuthoriseRequest,
  NotSent,
  Unanswered,
} from '../acquirers/acquirer.ts'
import { openNumber, openSecurityCode } from '../cards/vault.ts'
import type { Context } from '../context.ts'
import { numericCountry } from '../merchants/country.ts'
import { integrationOf } from '../merchants/directory.ts'
import { readAcquiringProfile } from '../merchants/merchant.ts'
import {
  beginCharge,
  type ChargeCard,
  type Operation,
  saveOutcome,
  saveUnanswered,
} from './charge-store.ts'
import type { Confirming } from './confirm.ts'
import { journalLine, outcomeOf, resultOf } from './outcome.ts'
import { conclude, openPayment, type Payment } from './payment.ts'
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
  const { session, attempt, verdict, account, now } = confirming
  const profile = profileOf(confirming)
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
  if (!card) return null
  const charging: Charging = {
    ...confirming,
    session: {
      ...session,
      status: 'processing',
      payment_id: payment.payment_id,
      answer_by: operation.answer_by,
    },
    payment,
    operation,
  }
  let answer: AuthoriseAnswer
  try {
    const request = requestOf(context, charging, card)
    answer = await withDeadline(context, acquirer.authorise(request))
  } catch (error) {
    if (error instanceof NotSent) answer = notSent(error)
    else return unanswered(context, charging, error)
  }
  const rules = integrationOf(account, session.integration_id)
  return settle(context, charging, answer, rules)
}

type Charging = Confirming & { payment: Payment; operation: Operation }

async function settle(
  context: Context,
  charging: Charging,
  answer: AuthoriseAnswer,
  rules: { review_window_seconds: number },
): Promise<ConfirmResult | null> {
  const now = context.world.clock.now()
  const change = conclude(charging, answer, rules, now)
  const operation = { operation_id: charging.operation.operation_id, state: answer.result, answer }
  const outcome = outcomeOf(context, { ...charging, change, operation })
  if (!(await saveOutcome(context.sql, outcome, now))) return null
  context.metrics.paymentConfirmed(change.payment.status, change.payment.mode)
  return outcome.attempt.result as ConfirmResult
}

async function unanswered(
  context: Context,
  charging: Charging,
  error: unknown,
): Promise<ConfirmResult> {
  const { session, attempt, operation } = charging
  const now = context.world.clock.now()
  const { message } = error as Error
  // Anything but silence is a defect of an adapter: the outcome is unknown all the same, and the log must tell.
  const level = error instanceof Unanswered ? 'warn' : 'error'
  context.world.log[level](
    {
      request_id: charging.request_id,
      operation_id: operation.operation_id,
      acquirer: operation.acquirer,
      error: message,
    },
    'acquirer gave no usable answer',
  )
  await saveUnanswered(context.sql, {
    session,
    attempt,
    operation_id: operation.operation_id,
    next_check_at: new Date(now.getTime() + first_check_ms),
    journal: journalLine(context, charging, now, 'charge.unanswered', {
      operation_id: operation.operation_id,
    }),
  })
  context.metrics.paymentConfirmed('pending', session.mode)
  return resultOf({ session, attempt, payment: null })
}

/** An adapter that never returns must not keep the shopper, nor the process at its end, waiting. */
async function withDeadline<T>(context: Context, call: Promise<T>): Promise<T> {
  const over = new AbortController()
  const deadline = context.world.clock.sleep(answer_ms - 5_000, over.signal).then(() => {
    throw new Unanswered('no answer before the deadline')
  })
  try {
    return await Promise.race([call, deadline])
  } finally {
    over.abort()
    deadline.catch(() => {})
    call.catch(() => {})
  }
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

function requestOf(context: Context, charging: Charging, card: ChargeCard): AuthoriseRequest {
  const { session, attempt, verdict, operation, account } = charging
  const profile = profileOf(charging)
  const name = profile?.descriptor_name ?? account.merchant.name
  const outcome = attempt.authentication_outcome
  return {
    reference: operation.operation_id,
    amount: session.amount,
    currency: session.currency,
    // Money is taken at once only where the amount was verified; otherwise it is reserved for a decision.
    capture: session.amount_verified,
    card: {
      brand: card.brand,
      number: openNumber(context.keyring, card, card.sealed_number),
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      cvc: card.sealed_code && openSecurityCode(context.keyring, card, card.sealed_code),
      cardholder_name: card.cardholder_name,
    },
    three_ds:
      verdict.send_three_ds && outcome
        ? {
            version: attempt.three_ds_version!,
            eci: verdict.authentication?.eci ?? outcome.eci,
            authentication_value: outcome.authentication_value,
            ds_transaction_id: attempt.ds_transaction_id,
            status: outcome.status,
          }
        : null,
    merchant: {
      descriptor: [name, session.statement_descriptor_suffix].filter(Boolean).join(' '),
      mcc: profile?.mcc ?? null,
      country: profile ? numericCountry(profile.country) : null,
    },
  }
}

function profileOf({ account }: Pick<Confirming, 'account'>) {
  const read = readAcquiringProfile(account.merchant.acquiring_profile)
  return 'profile' in read ? read.profile : null
}

/** Nothing left this machine, so nothing can have happened: an error that moved no money. */
function notSent(error: NotSent): AuthoriseAnswer {
  const decline = {
    code: 'processing_error',
    category: 'provider_error' as const,
    reason: error.message,
  }
  return { result: 'failed', decline, acquirer_transaction_id: null }
}
