// `ripper reconcile resolve`: a person gives the outcome of an operation that the acquirer never answered.

import { z } from 'zod'
import { looksLikeCardNumber } from '../cards/card-data.ts'
import { Refusal } from '../kernel/errors.ts'
import type { AnyEventType } from '../kernel/values.ts'
import { type ResolutionRequest, resolutions, resolveOperation } from '../payments/acquirer-operations/resolve.ts'
import { isWaiting, viewHold } from '../payments/hold.ts'
import type { UnansweredOperation } from '../payments/operation.ts'
import { findPayment, findWholePayment } from '../payments/reading/payment-store.ts'
import { viewPayment } from '../payments/reading/read-payment.ts'
import { settlementAt, statusAt } from '../payments/session.ts'
import type { WholePayment } from '../payments/whole-payment.ts'
import { operatorName, reasonRule } from './command-context.ts'
import { paymentCommand } from './payment-command.ts'
import { nouns } from './reconcile.ts'
import { UsageError } from './terminal/command.ts'
import { needed, option } from './terminal/option.ts'
import { money, print, printJson, printLine, shortTime } from './terminal/print.ts'

/** As the acquirer calls a charge. */
const transactionId = z
  .string()
  .refine((id) => !looksLikeCardNumber(id), { error: 'must not hold a card number', abort: true })
  .regex(/^[\x21-\x7e]{1,100}$/, 'must have 1 to 100 printable characters, without spaces')

export const reconcileResolve = paymentCommand({
  name: 'reconcile resolve',
  summary: 'Settles an operation without an answer by what a person learned from the acquirer',
  options: {
    as: needed(option(null, 'the outcome', z.enum(resolutions))),
    operation: option('REFERENCE', 'which one; needed for a refund, or if several have no answer'),
    transaction: option('ID', "the acquirer's own id; needed for an approved charge", transactionId),
    reason: needed(option('TEXT', 'how you know it; kept in the audit journal', reasonRule)),
  },
  remarks: [
    "It counts as the acquirer's answer: payment and session change, and the service sends the event. A charge is approved,\n" +
      'declined or failed; a capture, void or refund is approved or refused; a reversal is approved.',
    'ripper reconcile show prints the whole command. It settles only the operation that it names.',
    'You may use it as soon as an answer counts as lost, even before the service leaves the operation to a person. If the\n' +
      'service finds an answer meanwhile, that answer counts.',
    'The merchant sees the reason of a decline, failure or refusal. If a charge is declined or failed, but the acquirer\n' +
      'holds the money all the same, the service reverses it.',
  ],
  moves_money: true,
  judge({ as, transaction }) {
    if (transaction !== undefined && as === 'refused') {
      throw new UsageError('--transaction does not go with --as refused')
    }
  },
  async work(context, key, { as: outcome, operation: operation_id = null, transaction = null, reason }) {
    const by = operatorName()
    const request = { operation_id, outcome, acquirer_transaction_id: transaction, reason, by }
    const operation = await resolveOperation(context, key, request).catch(asUsage)
    const whole = (await findWholePayment(context.sql, key))!
    const payment = viewPayment((await findPayment(context.sql, key.merchant_id, key.payment_id))!)
    return { request, operation, whole, payment, now: context.clock.now() }
  },
  show(result, json) {
    const view = viewResult(result)
    if (json) {
      printJson(view)
      return
    }
    printLine(`${wordsFor(result).join(' ')}\n`)
    const { payment_id, payment, session, hold, settlement } = view
    const amount = money(result.whole.payment)
    const record = { payment_id, status: payment.status, amount, session: session.status }
    print({ ...record, ...(hold && { hold: hold.status }), settlement }, false)
  },
})

const optionNames: Record<string, string> = {
  operation_id: '--operation',
  outcome: '--as',
  acquirer_transaction_id: '--transaction',
}

/** Turns an outcome that does not fit the operation into a UsageError. */
function asUsage(error: unknown): never {
  const option = error instanceof Refusal && error.field !== null && optionNames[error.field]
  throw option ? new UsageError(`${option} ${(error as Error).message}`) : error
}

type ResolveResult = {
  request: ResolutionRequest
  operation: UnansweredOperation
  whole: WholePayment
  payment: ReturnType<typeof viewPayment>
  now: Date
}

function viewResult(result: ResolveResult) {
  const { request, operation, whole, payment, now } = result
  const { session, hold } = whole
  const { operation_id, kind, merchant_id, payment_id } = operation
  const { outcome, reason, by } = request
  return {
    payment_id,
    merchant_id,
    operation_id,
    kind,
    resolved_as: outcome,
    reason,
    by,
    event: eventAfter(result),
    payment,
    hold: hold && viewHold(hold),
    session: { id: session.session_id, status: statusAt(session, now) },
    settlement: settlementAt(session, now),
  }
}

/** The event that was sent, or null: a refusal leaves the hold open, and a reversal's event is its charge's. */
function eventAfter({
  request: { outcome },
  operation: { kind },
  whole: { payment },
}: ResolveResult): { type: AnyEventType; sequence: 1 | 2 } | null {
  if (kind === 'refund') {
    return { type: outcome === 'approved' ? 'refund.succeeded' : 'refund.failed', sequence: 1 }
  }
  if (kind === 'reverse' || outcome === 'refused' || payment.status === 'pending') return null
  return { type: `payment.${payment.status}`, sequence: kind === 'authorise' ? 1 : 2 }
}

function wordsFor(result: ResolveResult): string[] {
  const { operation, whole, request } = result
  const { kind } = operation
  const { outcome } = request
  const event = eventAfter(result)
  return [
    `The ${nouns[kind]} of ${money(operation)} counts as ${outcome}.`,
    ...effectsOf(whole, { kind, outcome }),
    event
      ? `The service sends ${event.type} to the merchant's endpoints${kind === 'refund' ? ' that ask for it' : ''}.`
      : 'The service sends no event.',
  ]
}

function effectsOf(
  { payment, hold }: WholePayment,
  { kind, outcome }: { kind: UnansweredOperation['kind']; outcome: ResolutionRequest['outcome'] },
): string[] {
  if (kind === 'reverse') {
    return ['The service ends the charge as failed within seconds.']
  }
  if (kind === 'refund') {
    return [outcome === 'approved' ? 'The refund has succeeded.' : 'It can be refunded again.']
  }
  if (outcome === 'refused') return ['The payment is still held and can be decided again.']
  if (outcome === 'declined' || outcome === 'failed') {
    return ['No money counts as taken. If the acquirer holds some all the same, the service reverses it.']
  }
  if (hold && isWaiting(hold)) {
    const until = shortTime(hold.deadline)
    const why = hold.reason === 'manual_capture' ? 'the merchant captures it' : 'its amount could not be verified'
    return [`The payment is held until ${until}, because ${why}.`]
  }
  return [`The payment is ${payment.status}.`]
}
