// The three steps of a charge: commit the intent with our own reference, call the acquirer, commit the outcome. After a crash
// or silence in between, the outcome is unknown, never failed, and the charge is never sent twice. Its reference is kept to
// look it up.

import type { Acquirer, AuthoriseAnswer, AuthoriseRequest, UnderWay } from '../../acquirers/acquirer.ts'
import { failed } from '../../acquirers/answers.ts'
import { strangeEnvironment } from '../../acquirers/environment.ts'
import { openNumber, openSecurityCode } from '../../cards/vault.ts'
import { environmentOfMode } from '../../kernel/connection-mode.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { PaymentId } from '../../kernel/values.ts'
import { acquirerForNew } from '../../merchants/account-connection.ts'
import { numericCountry } from '../../merchants/country.ts'
import { integrationOf } from '../../merchants/directory.ts'
import { holdRulesOf } from '../../merchants/integration.ts'
import { completeProfileOf } from '../../merchants/merchant.ts'
import { askAcquirer } from '../acquirer-operations/call-acquirer.ts'
import type { ChargeCase } from '../acquirer-operations/outcome-by-kind.ts'
import { type End, settle, settleUnsent } from '../acquirer-operations/record-answer.ts'
import { unlessUnsaved } from '../acquirer-operations/save-surely.ts'
import { sendOperation } from '../acquirer-operations/send.ts'
import type { Attempt } from '../attempt.ts'
import { findAttempt } from '../authentication/attempt-store.ts'
import { moneyOf } from '../bound-money.ts'
import { findCard } from '../cards/vault-store.ts'
import { resultOf } from '../confirm-result.ts'
import type { Context } from '../context.ts'
import { answerBy, newOperation, type Operation, sendableSince } from '../operation.ts'
import { lineOf } from '../outcome.ts'
import { emailKey, isTakenAtOnce, type Payment } from '../payment.ts'
import { refuseUnlessOpen, type Session } from '../session.ts'
import { descriptorOf } from '../statement-descriptor.ts'
import { threeDsDataOf, type Verdict, withoutShift } from '../three-ds-states.ts'
import type { ConfirmResult } from '../views.ts'
import { beginCharge, type ChargeCard, type ChargeIntent, savePrepared } from './charge-store.ts'
import { fallBack } from './fall-back.ts'

/** An attempt that a shopper has confirmed after its 3-D Secure ended. */
export type ConfirmedAttempt = Pick<ChargeCase, 'session' | 'attempt' | 'account' | 'payer' | 'cause'> & {
  verdict: Verdict
}

/** Returns the confirm answer, or null if another confirm was faster. Refuses if the session has ended meanwhile. */
export async function charge(context: Context, confirmed: ConfirmedAttempt): Promise<ConfirmResult | null> {
  const { session, attempt, account } = confirmed
  const now = context.world.clock.now()
  refuseUnlessOpen(session, now)
  const rules = integrationOf(account, session.integration_id)
  const acquirer_name = acquirerForNew(account, { mode: session.mode, rules })
  const acquirer = context.acquirerOf(session.mode, acquirer_name)
  const intent = intentOf(context, confirmed, acquirer, now)
  const card = await beginCharge(context.sql, intent)
  if (!card) {
    await refuseIfCardIsGone(context, attempt)
    return null
  }
  const { payment, operation } = intent
  const begun: Partial<Session> = {
    status: 'processing',
    payment_id: payment.payment_id,
    answer_by: operation.answer_by,
  }
  const opened = { ...session, ...begun }
  const subject = { ...confirmed, kind: 'charge' as const, session: opened, payment, ...sendingOf(operation) }
  const end = await unlessUnsaved(send(context, subject, acquirer, card))
  if (end === null) return null
  if (typeof end === 'object') return end.attempt.result as ConfirmResult
  // The card may have been charged, and nothing more is known.
  context.metrics.paymentConfirmed('pending', session.mode)
  return resultOf({ ...subject, payment: null })
}

function sendingOf(operation: Operation): Pick<ChargeCase, 'operation' | 'authorisation' | 'hold'> {
  const { operation_id: reference, handle } = operation
  return { operation, authorisation: { reference, handle, acquirer_transaction_id: null }, hold: null }
}

async function send(
  context: Context,
  begun: ChargeCase & { verdict: Verdict },
  acquirer: Acquirer,
  card: ChargeCard,
): Promise<End<ChargeCase>> {
  const prepared = await prepare(context, begun, acquirer, card)
  if (prepared === 'taken') return null
  // Nothing has moved. If the reconciler already looks for an answer, its search continues.
  if ('ended' in prepared) return settleUnsent<ChargeCase>(context, begun, prepared.ended)
  const { operation } = prepared
  const request = { ...prepared.request, sendable: sendableSince(operation.last_sent_at) }
  const subject = { ...begun, ...sendingOf(operation) }
  const call = () => acquirer.authorise(request)
  return sendOperation<ChargeCase, AuthoriseAnswer | UnderWay>(context, subject, call, async (answer) => {
    const next = answer.result === 'declined' ? await fallBack(context, subject, { request, answer }) : null
    if (!next) return settle<ChargeCase>(context, subject, answer)
    const { mode, acquirer: name } = next.payment
    return send(context, next, context.acquirerOf(mode, name), card)
  })
}

/** A charge is not sent if its card cannot be opened or its preparation failed. */
async function prepare(
  context: Context,
  subject: ChargeCase & { verdict: Verdict },
  acquirer: Acquirer,
  card: ChargeCard,
): Promise<Preparation> {
  try {
    const { operation } = subject
    const { prepare } = acquirer
    const request = requestOf(context, subject, card)
    return prepare ? await prepareCharge(context, subject, prepare, request) : { operation, request }
  } catch (error) {
    return { ended: failed((error as Error).message) }
  }
}

/** A payment when confirm opens it: only the request is known so far. */
export function newPayment(
  { session, attempt, verdict, account }: ConfirmedAttempt,
  { payment_id, acquirer, at }: { payment_id: PaymentId; acquirer: string | null; at: Date },
): Payment {
  return {
    merchant_id: session.merchant_id,
    payment_id,
    session_id: session.session_id,
    attempt_id: attempt.attempt_id,
    status: 'pending',
    capture_state: null,
    amount: session.amount,
    captured_amount: null,
    dispute: null,
    capture_method:
      holdRulesOf(integrationOf(account, session.integration_id), session.mode).capture === 'manual' ? 'manual' : null,
    currency: session.currency,
    mode: session.mode,
    decline: null,
    authentication: verdict.authentication,
    acquirer,
    acquirer_transaction_id: null,
    amount_verified: session.amount_verified,
    order_reference: session.order_reference,
    created_at: at,
    executed_at: null,
    refunded_amount: 0,
    refund_count: 0,
    customer_email: session.customer?.email ? emailKey(session.customer.email) : null,
    card_brand: attempt.brand,
    card_last4: attempt.last4,
  }
}

function intentOf({ ids }: Context, confirmed: ConfirmedAttempt, acquirer: Acquirer, at: Date): ChargeIntent {
  const { session, attempt, verdict, payer, cause } = confirmed
  const names = { payment_id: ids.payment(at), acquirer: acquirer.name, at }
  const data = threeDsDataOf(attempt, verdict)
  const is_carried = data !== null && (acquirer.carriesThreeDs?.(data) ?? true)
  const authentication = is_carried ? verdict.authentication : withoutShift(verdict.authentication)
  const payment = { ...newPayment(confirmed, names), authentication }
  const operation_id = ids.operation(at)
  const operation = newOperation(payment, { operation_id, kind: 'authorise', sequence: 1, at })
  const { attempt_id } = attempt
  const journal = lineOf(ids, payment, cause, {
    change: 'charge.begun',
    detail: { attempt_id, operation_id, acquirer: acquirer.name, ...moneyOf(payment) },
    at,
  })
  return { session, attempt, payment, operation: { ...operation, payer }, journal }
}

/**
 * Refuses a charge without a card. If the attempt was confirmed meanwhile, the other charge has deleted the card and nothing is
 * thrown.
 */
async function refuseIfCardIsGone({ sql }: Context, attempt: Attempt): Promise<void> {
  if (await findCard(sql, attempt)) return
  const current = await findAttempt(sql, attempt.merchant_id, attempt.attempt_id)
  if (current?.phase !== 'authenticating') return
  throw new Refusal('invalid_request', 'card_reference: the card is no longer held. Let the shopper enter it again.', {
    field: 'card_reference',
  })
}

function requestOf(
  { installation, keyring }: Context,
  { session, attempt, payment, verdict, operation, account }: ChargeCase & { verdict: Verdict },
  card: ChargeCard,
): AuthoriseRequest {
  const profile = completeProfileOf(account.merchant)
  return {
    reference: operation.operation_id,
    installation,
    amount: session.amount,
    currency: session.currency,
    capture: isTakenAtOnce(payment),
    card: {
      brand: card.brand,
      number: openNumber(keyring, card, card.sealed_number),
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      cvc: card.sealed_code && openSecurityCode(keyring, card, card.sealed_code),
      cardholder_name: card.cardholder_name,
    },
    three_ds: threeDsDataOf(attempt, verdict),
    merchant: {
      descriptor: descriptorOf(account.merchant, session),
      mcc: profile?.mcc ?? null,
      country: profile ? numericCountry(profile.country) : null,
    },
    handle: null,
  }
}

/** `taken`: the reconciler has begun to look for the charge's answer, so the charge is no longer sent. */
type Preparation =
  | { operation: Operation; request: AuthoriseRequest }
  | { ended: Exclude<AuthoriseAnswer, { result: 'approved' }> }
  | 'taken'

/**
 * Returns the operation and its request, with the handle and the time from which it counts as sent. An answer from the other
 * environment ends the charge before any money moves. Throws if the acquirer gave no answer: nothing has moved, so this is as
 * definite as a refusal.
 */
async function prepareCharge(
  { sql, world: { clock } }: Pick<Context, 'sql' | 'world'>,
  { operation, payment: { mode } }: { operation: Operation; payment: Pick<Payment, 'mode'> },
  prepare: NonNullable<Acquirer['prepare']>,
  request: AuthoriseRequest,
): Promise<Preparation> {
  const answer = await askAcquirer(clock, () => prepare(request))
  if (answer.result !== 'prepared') return { ended: answer }
  const strange = strangeEnvironment(answer, environmentOfMode[mode])
  if (strange !== null) return { ended: failed(strange) }
  const at = clock.now()
  const answer_by = answerBy(at)
  const { handle } = answer
  const prepared = { ...operation, handle, last_sent_at: at, answer_by, next_check_at: answer_by }
  if (!(await savePrepared(sql, operation, prepared))) return 'taken'
  return { operation: prepared, request: { ...request, handle } }
}
