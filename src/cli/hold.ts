// `ripper hold list|show|capture|void|escalate|settle`: held payments, and what an operator decides about one.

import { z } from 'zod'
import { inCell } from '../database/cells/cells.ts'
import { type FoundHoldResult, type HoldEnding, settleFoundHold } from '../payments/acquirer-operations/found-hold.ts'
import { capturedAmount } from '../payments/fields.ts'
import { type Decision, type Hold, heldOrRefuse, isWaiting, type OperationRefusal, ruleAt } from '../payments/hold.ts'
import { decideHold, undecidedOrRefuse } from '../payments/holds/decide-hold.ts'
import { escalateHold } from '../payments/holds/escalate-hold.ts'
import { viewHeld } from '../payments/holds/read-held.ts'
import type { Operation } from '../payments/operation.ts'
import { type PaymentKey, takenOf } from '../payments/payment.ts'
import { type HoldWithPayment, listHolds } from '../payments/reading/operator-store.ts'
import { findPaymentWithHold, findWholePayment } from '../payments/reading/payment-store.ts'
import { viewHeldPayment } from '../payments/reading/read-holds.ts'
import { settlementAt } from '../payments/session.ts'
import {
  type CommandContext,
  limitOption,
  merchantOf,
  merchantOption,
  operatorCause,
  reasonRule,
  withCommandContext,
} from './command-context.ts'
import { paymentCommand } from './payment-command.ts'
import { type Command, UsageError } from './terminal/command.ts'
import { command, flag, type Option, option, type ValuesOf } from './terminal/option.ts'
import {
  money,
  oneLine,
  paintState,
  printJson,
  printKnown,
  printLine,
  printList,
  shortTime,
  within,
} from './terminal/print.ts'

const waiting = ['pending_review', 'escalated'] as const
const statuses = [...waiting, 'captured', 'voided'] as const

export const holdList = command({
  name: 'hold list',
  summary: 'Lists the held payments of a merchant that wait for a decision, by their deadline',
  options: {
    merchant: merchantOption,
    all: flag('also decided ones, the newest first, after those that wait'),
    status: option(null, 'only those in this state; several may be named', z.enum(statuses).array()),
    limit: limitOption,
  },
  remarks: [
    'pending_review and escalated wait for a decision; escalated means that a person is looking. If nobody decides by the\n' +
      "deadline, the merchant's rules void or capture the payment, as the last column says.",
    'ripper hold capture takes the money, and ripper hold void releases it.',
  ],
  async run({ options: { merchant, all, status, limit }, json }) {
    const statusFilter = status ?? (all ? statuses : waiting)
    const { merchant_id, shown, has_more, now } = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, merchant, json)
      const { sql } = await inCell(context, merchant_id)
      const holds = await listHolds(sql, { merchant_id, statuses: [...statusFilter], limit: limit + 1 })
      return { merchant_id, ...within(limit, holds), now: context.clock.now() }
    })
    if (json) printJson({ merchant_id, holds: shown.map((hold) => viewHeldPayment(hold, now)), has_more })
    else {
      printList(shown, {
        headings: ['payment', 'amount', 'status', 'reason', 'deadline', 'at deadline'],
        cells: rowOf,
        notes: (hold) => notesOf(hold, now),
        nothing: `The merchant ${merchant_id} has no hold that is ${statusFilter.join(' or ')}.`,
        has_more,
      })
    }
  },
})

/** The widest values take 112 characters. */
function rowOf(hold: HoldWithPayment): string[] {
  const { payment_id, status, deadline, at_deadline, decided_at } = hold
  const rule = decided_at === null ? at_deadline : '–'
  return [payment_id, money(hold), paintState(status), hold.reason, shortTime(deadline), rule]
}

function notesOf(hold: HoldWithPayment, now: Date) {
  const { operation_kind: kind, operation_asked_by: asked_by, operation_sent_at: sent_at } = hold
  const { operation_state: state, operation_refusal } = hold
  return [
    decisionWords(hold),
    ruleWords(hold),
    kind && sent_at && state && operationWords({ kind, asked_by, sent_at, state }, settlementAt(hold, now)),
    operation_refusal && refusalWords(operation_refusal),
  ]
}

export const holdShow = holdCommand({
  name: 'hold show',
  summary: 'Shows a held payment, what its rules will do and what the acquirer refused',
  options: {},
  async decide() {},
  sentences: () => [],
})

export const holdCapture = decisionCommand({
  kind: 'capture',
  summary: 'Captures a held payment, or a part of it: the money is taken',
  options: {
    amount: option('N', 'in minor units; the rest is released. By default all that was authorised', capturedAmount),
  },
  done: ({ amount, taken }) =>
    taken === amount
      ? `The acquirer has taken ${amount}.`
      : `The acquirer has taken ${taken} of ${amount}; the rest is released.`,
})

export const holdVoid = decisionCommand({
  kind: 'void',
  options: {},
  summary: 'Voids a held payment: the reserved money is released, which is final',
  done: ({ amount }) => `The acquirer has released ${amount}.`,
})

export const holdEscalate = holdCommand({
  name: 'hold escalate',
  summary: 'Marks a held payment as being looked at by a person: the rules do nothing until the deadline',
  options: {},
  decide: (context, key) => escalateHold(context, key, { cause: operatorCause(), key: null }),
  sentences: ({ hold: { deadline, at_deadline } }) => [
    `A person looks at it. If nobody decides by ${shortTime(deadline)}, the rules ${at_deadline} it.`,
  ],
})

const ends = ['captured', 'voided'] as const satisfies HoldEnding[]

export const holdSettle = holdCommand({
  name: 'hold settle',
  summary: 'Settles a held payment that was captured, voided or has lapsed at the acquirer already',
  remarks: [
    "The command only asks the acquirer for the authorisation's state. Somebody may have captured or voided it in the\n" +
      "acquirer's portal, or it may have lapsed, which counts as voided. The service sends the event as after any decision.",
    'If the acquirer does not know the state, or took another amount, settle the payment with --as by what you know. The\n' +
      'command refuses if the acquirer contradicts it.',
  ],
  options: {
    as: option(null, 'what became of it, if you know it; without it the acquirer is asked', z.enum(ends)),
    amount: option('N', 'with --as captured: what was taken, where that is less than all', capturedAmount),
    reason: option('TEXT', 'with --as: how you know it; kept in the audit journal', reasonRule),
  },
  moves_money: true,
  judge({ as, amount, reason }) {
    if (amount !== undefined && as !== 'captured') throw new UsageError('--amount goes with --as captured')
    if (as === undefined && reason !== undefined) throw new UsageError('--reason goes with --as')
    if (as !== undefined && reason === undefined) throw new UsageError('--as needs --reason')
  },
  async decide(context, key, { as = null, amount: captured_amount, reason }) {
    const heldPayment = undecidedOrRefuse(await findWholePayment(context.sql, key))
    const { amount } = heldPayment.payment
    if (captured_amount !== undefined && captured_amount > amount) {
      throw new UsageError(`--amount must be at most ${amount}, which is what was authorised`)
    }
    const cause =
      as === null ? operatorCause() : { ...operatorCause({ settled_as: as, reason }), by_person: true as const }
    const request = { asked_by: 'merchant', cause, key: null, as, captured_amount } as const
    const result = await settleFoundHold(context, heldPayment, request)
    if (result.ends === null) throw new Error(whyOpen(result, heldPayment.payment))
  },
  sentences: ({ amount, taken, hold: { status } }) => [
    `The payment of ${amount} counts as ${status}${taken === amount ? '' : `, with ${taken} of it taken`}.`,
    `The service sends payment.${status} to the merchant's endpoints.`,
  ],
})

function whyOpen({ standing, decided_elsewhere }: FoundHoldResult, held: { amount: number; currency: string }): string {
  if (decided_elsewhere) return 'Somebody else decided on the payment meanwhile.'
  if (standing === null) {
    return 'The acquirer does not give the state of the authorisation. If you know it, say so with --as.'
  }
  if (standing.state === 'reserved') {
    return `The acquirer still reserves ${money(standing)}: capture or void the payment.`
  }
  if (standing.state !== 'captured') return `The acquirer says that it was ${standing.state}.`
  if (standing.amount === held.amount && standing.currency === held.currency) {
    return `The acquirer says that it took ${money(standing)}.`
  }
  return (
    `The acquirer took ${money(standing)}, and ${money(held)} is held here. Set it right at the acquirer; ` +
    'then say what it came to with --as.'
  )
}

type HoldDetail = {
  key: PaymentKey
  payment: ReturnType<typeof viewHeld>
  hold: Hold
  /** The amount, as people read it, and what was taken of it. */
  amount: string
  taken: string
  /** The capture or void that has no answer yet, in words. */
  operation: string | null
  /** The acquirer has accepted that capture or void. */
  is_accepted: boolean
}

/** A command on one held payment. It shows the payment as it is afterwards. */
function holdCommand<Options extends Record<string, Option<unknown>>>({
  decide,
  sentences,
  ...record
}: {
  name: string
  summary: string
  remarks?: string[]
  moves_money?: boolean
  options: Options
  /** Before the database is opened: refuses options that do not go together. */
  judge?(options: ValuesOf<Options>): void
  decide(context: CommandContext, key: PaymentKey, options: ValuesOf<Options>): Promise<unknown>
  /** What people read first. */
  sentences(detail: HoldDetail): string[]
}): Command {
  return paymentCommand({
    ...record,
    async work(context, key, options) {
      await decide(context, key, options)
      return readHeldPayment(context, key)
    },
    show(detail, json) {
      if (json) printJson(detail.payment)
      else {
        for (const sentence of sentences(detail)) printLine(`${sentence}\n`)
        printForPeople(detail)
      }
    },
  })
}

function decisionCommand<Options extends { amount?: Option<number | undefined> }>({
  kind,
  summary,
  options,
  done,
}: {
  kind: Decision
  summary: string
  options: Options
  done(detail: HoldDetail): string
}): Command {
  return holdCommand({
    name: `hold ${kind}`,
    summary,
    options,
    moves_money: true,
    remarks: [
      'It counts as a decision of the merchant. If the acquirer refuses, the exit status is 1, and the payment is held as\n' +
        'before and can be decided again. If the acquirer does not answer, or only accepts it, the exit status is 0. The\n' +
        'service then keeps asking, and settlement reads awaiting_reconciliation until the outcome is known.',
    ],
    decide: (context, key, values) =>
      decideHold(context, key, {
        kind,
        amount: (values as { amount?: number | undefined }).amount,
        asked_by: 'merchant',
        cause: operatorCause(),
        key: null,
      }),
    sentences: (detail) =>
      isWaiting(detail.hold)
        ? unanswered(kind, detail)
        : [`${done(detail)} payment.${detail.hold.status} goes out to the merchant's endpoints.`],
  })
}

function unanswered(kind: Decision, { key: { payment_id }, is_accepted }: HoldDetail): string[] {
  return [
    is_accepted
      ? `The acquirer has accepted the ${kind}, and carries it out or refuses it later.`
      : `The acquirer has not answered. It is not known yet whether the ${kind} happened.`,
    'The service keeps asking while it runs. Until it knows, the payment stays held, and nothing else can be decided.\n' +
      `To see the progress: ripper reconcile show ${payment_id}`,
  ]
}

async function readHeldPayment(context: CommandContext, key: PaymentKey): Promise<HoldDetail> {
  const heldPayment = heldOrRefuse(await findPaymentWithHold(context.sql, key))
  const payment = viewHeld(heldPayment, context.world.clock.now())
  const operation = heldPayment.operation && operationWords(heldPayment.operation, payment.settlement)
  const is_accepted = heldPayment.operation?.state === 'accepted'
  const { hold, payment: held } = heldPayment
  const taken = money({ amount: takenOf(held), currency: held.currency })
  return { key, payment, hold, amount: money(held), taken, operation, is_accepted }
}

function printForPeople({ key, payment, hold, amount, taken, operation }: HoldDetail): void {
  const { operation_refusal, deadline, at_deadline } = hold
  printKnown({
    payment_id: payment.id,
    merchant_id: key.merchant_id,
    checkout_session_id: payment.checkout_session_id,
    order_reference: payment.order_reference,
    amount,
    captured_amount: taken === amount ? null : taken,
    mode: payment.mode,
    status: payment.status,
    created_at: shortTime(payment.created_at),
    acquirer_transaction_id: payment.acquirer_transaction_id,
    hold: decisionWords(hold) ?? hold.status,
    reason: hold.detail === null ? hold.reason : `${hold.reason}: ${hold.detail}`,
    deadline: isWaiting(hold) ? `${shortTime(deadline)}: then the rules ${at_deadline} it` : null,
    rules: ruleWords(hold),
    operation,
    last_refusal: operation_refusal && refusalWords(operation_refusal),
    settlement: payment.settlement,
  })
}

/** What the merchant's rules will do next with a waiting hold, if they will do something before the deadline. */
function ruleWords(hold: Hold): string | null {
  const { at_deadline, deadline, rules_at, rule_refusals } = hold
  if (!isWaiting(hold) || rules_at === null) return null
  const at = shortTime(rules_at)
  if (rules_at > deadline) return `the rules ${at_deadline} it${rule_refusals > 0 ? ' again' : ''} at ${at}`
  switch (ruleAt(hold, rules_at)) {
    case 'escalate':
      return `escalates at ${at}`
    case 'capture':
      return hold.is_below_limit && rules_at < deadline
        ? `the rules capture it at ${at}: its amount is below their limit`
        : null
    default:
      return null
  }
}

const refusal_max = 56

function refusalWords({ kind, reason, decline_code, at }: OperationRefusal): string {
  const words = `${reason}${decline_code === null ? '' : ` (${decline_code})`}`
  return `the acquirer refused to ${kind} it at ${shortTime(at)}: ${oneLine(words, refusal_max)}`
}

/** A capture or void of a hold that has no answer yet. */
type OpenOperation = Pick<Operation, 'kind' | 'asked_by' | 'sent_at' | 'state'>

/** `settlement` is the session's, which is set if the answer counts as lost. */
function operationWords({ kind, asked_by, sent_at, state }: OpenOperation, settlement: string | null): string {
  const what = `${kind} by ${asked_by === 'rules' ? 'the rules' : 'the merchant'}`
  const since = shortTime(sent_at)
  if (state === 'accepted') {
    return `a ${what} of ${since} was accepted: the acquirer carries it out or refuses it later`
  }
  return settlement === null
    ? `a ${what} is under way since ${since}`
    : `a ${what} is not answered since ${since}: see ripper reconcile show`
}

function decisionWords({ status, decided_by, decided_at }: Hold): string | null {
  if (decided_by === null || decided_at === null) return null
  const who = decided_by === 'rules' ? 'the rules' : 'the merchant'
  return `${status} by ${who} at ${shortTime(decided_at)}`
}
