// `ripper reconcile resolve`: a person gives the outcome of an operation that the acquirer never answered.

import { looksLikeCardNumber } from '../../cards/card-data.ts'
import { isWaiting, viewHold } from '../../checkout/hold.ts'
import type { UnansweredOperation } from '../../checkout/operation.ts'
import { findPayment, findWholePayment } from '../../checkout/reading/payment-store.ts'
import { viewPayment } from '../../checkout/reading/read-payment.ts'
import { type ResolutionRequest, resolutions, resolveOperation } from '../../checkout/reconciling/resolve-operation.ts'
import { settlementAt, statusAt } from '../../checkout/session.ts'
import type { WholePayment } from '../../checkout/whole-payment.ts'
import { inCell } from '../../database/cells/cells.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { AnyEventType } from '../../kernel/values.ts'
import {
  type CommandContext,
  choice,
  operatorName,
  paymentKeyOf,
  paymentOptions,
  requirePaymentId,
  text,
  withCommandContext,
} from '../command-context.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { money, print, printJson, printLine, shortTime } from '../terminal/print.ts'
import { nouns } from './reconcile.ts'

const text_max = 200

export const reconcileResolve: Command = {
  name: 'reconcile resolve',
  summary: 'Settles an operation without an answer by what a person learned from the acquirer',
  positionals: ['PAYMENT_ID'],
  options: {
    as: { value: 'OUTCOME', required: true, meaning: `one of ${resolutions.join(', ')}` },
    operation: {
      value: 'REFERENCE',
      meaning: 'which one; needed for a refund, or if several have no answer',
    },
    transaction: { value: 'ID', meaning: "the acquirer's own id; needed for an approved charge" },
    reason: {
      value: 'TEXT',
      required: true,
      meaning: 'how you know it; kept in the audit journal',
    },
    ...paymentOptions,
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
  async run({ options, positionals, json }) {
    const payment_id = requirePaymentId(positionals)
    const asked = askedOf(options)
    const resolve = async (context: CommandContext) => {
      const key = await paymentKeyOf(context, options, payment_id)
      const own = await inCell(context, key.merchant_id)
      const operation = await resolveOperation(own, key, asked).catch(asUsage)
      const whole = (await findWholePayment(own.sql, key))!
      const payment = viewPayment((await findPayment(own.sql, key.merchant_id, payment_id))!)
      return { operation, whole, payment, now: context.clock.now() }
    }
    const done = await withCommandContext(resolve, { moves_money: true })
    const view = viewDone(done, asked)
    if (json) {
      printJson(view)
      return
    }
    printLine(`${wordsFor(done, asked).join(' ')}\n`)
    const { payment, session, hold, settlement } = view
    const amount = money(done.whole.payment)
    const record = { payment_id, status: payment.status, amount, session: session.status }
    print({ ...record, ...(hold && { hold: hold.status }), settlement }, false)
  },
}

function askedOf(options: Options): ResolutionRequest {
  const outcome = choice(options, 'as', resolutions)!
  const acquirer_transaction_id = text(options, 'transaction')
  if (acquirer_transaction_id !== null) {
    refuseCardNumber('transaction', acquirer_transaction_id)
    if (!/^[\x21-\x7e]{1,100}$/.test(acquirer_transaction_id)) {
      throw new UsageError('--transaction must have 1 to 100 printable characters, without spaces')
    }
    if (outcome === 'refused') throw new UsageError('--transaction does not go with --as refused')
  }
  const operation_id = text(options, 'operation')
  const reason = reasonOf(options)
  return { operation_id, outcome, acquirer_transaction_id, reason, by: operatorName() }
}

export function reasonOf(options: Options): string {
  const reason = text(options, 'reason')!.trim()
  if (reason === '' || reason.length > text_max || /\p{Cc}/u.test(reason)) {
    throw new UsageError(`--reason must have 1 to ${text_max} characters, in one line`)
  }
  refuseCardNumber('reason', reason)
  return reason
}

function refuseCardNumber(name: string, value: string): void {
  if (looksLikeCardNumber(value)) throw new UsageError(`--${name} must not hold a card number`)
}

const optionsOf: Record<string, string> = {
  operation_id: '--operation',
  outcome: '--as',
  acquirer_transaction_id: '--transaction',
}

/** Turns an outcome that does not fit the operation into a UsageError. */
function asUsage(error: unknown): never {
  const option = error instanceof Refusal && error.field !== null && optionsOf[error.field]
  throw option ? new UsageError(`${option} ${(error as Error).message}`) : error
}

type ResolveResult = {
  operation: UnansweredOperation
  whole: WholePayment
  payment: ReturnType<typeof viewPayment>
  now: Date
}

function viewDone({ operation, whole, payment, now }: ResolveResult, asked: ResolutionRequest) {
  const { session, hold } = whole
  const { operation_id, kind, merchant_id, payment_id } = operation
  const { outcome, reason, by } = asked
  return {
    payment_id,
    merchant_id,
    operation_id,
    kind,
    resolved_as: outcome,
    reason,
    by,
    event: eventAfter({ operation, whole }, asked),
    payment,
    hold: hold && viewHold(hold),
    session: { id: session.session_id, status: statusAt(session, now) },
    settlement: settlementAt(session, now),
  }
}

/** The event that was sent, or null: a refusal leaves the hold open, and a reversal's event is its charge's. */
function eventAfter(
  { operation: { kind }, whole: { payment } }: Pick<ResolveResult, 'operation' | 'whole'>,
  { outcome }: ResolutionRequest,
): { type: AnyEventType; sequence: 1 | 2 } | null {
  if (kind === 'refund') {
    return { type: outcome === 'approved' ? 'refund.succeeded' : 'refund.failed', sequence: 1 }
  }
  if (kind === 'reverse' || outcome === 'refused' || payment.status === 'pending') return null
  return { type: `payment.${payment.status}`, sequence: kind === 'authorise' ? 1 : 2 }
}

function wordsFor(done: ResolveResult, asked: ResolutionRequest): string[] {
  const { operation, whole } = done
  const { kind } = operation
  const { outcome } = asked
  const event = eventAfter(done, asked)
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
    return [`The payment is held until ${until}, because its amount could not be verified.`]
  }
  return [`The payment is ${payment.status}.`]
}
