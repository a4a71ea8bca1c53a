// `ripper hold list`: the held payments of a merchant, what the rules will do with them, and when.

import { type Hold, isWaiting, type OperationRefusal, ruleAt } from '../checkout/hold.ts'
import { type Decision, decideHold, heldOrRefuse, undecidedOrRefuse } from '../checkout/holds/decide-hold.ts'
import { escalateHold } from '../checkout/holds/escalate-hold.ts'
import { viewHeld } from '../checkout/holds/read-held.ts'
import { type FoundHoldResult, type HoldEnding, settleFoundHold } from '../checkout/holds/settle-found-hold.ts'
import type { Operation } from '../checkout/operation.ts'
import type { Cause } from '../checkout/outcome.ts'
import type { PaymentKey } from '../checkout/payment.ts'
import { type HoldWithPayment, listHolds } from '../checkout/reading/operator-store.ts'
import { findPaymentWithHold, findWholePayment } from '../checkout/reading/payment-store.ts'
import { viewHeldPayment } from '../checkout/reading/read-holds.ts'
import { settlementAt } from '../checkout/session.ts'
import { inCell } from '../database/cells/cells.ts'
import {
  type CommandContext,
  choice,
  choices,
  merchantOf,
  merchantOption,
  operatorName,
  paymentKeyOf,
  paymentOptions,
  requirePaymentId,
  text,
  wholeNumber,
  withCommandContext,
} from './command-context.ts'
import { reasonOf } from './reconcile/resolve.ts'
import { type Command, type OptionSpec, type Options, UsageError } from './terminal/command.ts'
import { money, oneLine, paintState, print, printJson, printLine, printTable, shortTime } from './terminal/print.ts'

const waiting = ['pending_review', 'escalated'] as const
const statuses = [...waiting, 'captured', 'voided'] as const
const listed = `${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}`
const limit_default = 50
const limit_max = 1000

export const holdList: Command = {
  name: 'hold list',
  summary: 'Lists the held payments of a merchant that wait for a decision, by their deadline',
  options: {
    merchant: merchantOption,
    all: { meaning: 'also decided ones, the newest first, after those that wait' },
    status: { value: 'STATUS', many: true, meaning: `only those that are ${listed}` },
    limit: { value: 'N', meaning: `how many, 1 to ${limit_max} (${limit_default})` },
  },
  remarks: [
    'pending_review and escalated wait for a decision; escalated means that a person is looking. If nobody decides by the\n' +
      "deadline, the merchant's rules void or capture the payment, as the last column says.",
    'ripper hold capture takes the money, and ripper hold void releases it.',
  ],
  async run({ options, json }) {
    const asked = statusesOf(options)
    const limit = wholeNumber(options, 'limit', limit_max) ?? limit_default
    const page = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, options)
      // One more than is shown, to know whether there are more.
      const which = { merchant_id, statuses: asked, limit: limit + 1 }
      const { sql } = await inCell(context, merchant_id)
      const found = await listHolds(sql, which)
      const now = context.clock.now()
      return { merchant_id, has_more: found.length > limit, found: found.slice(0, limit), now }
    })
    const { merchant_id, has_more, found, now } = page
    if (json) {
      printJson({ merchant_id, holds: found.map((hold) => viewHeldPayment(hold, now)), has_more })
      return
    }
    if (found.length === 0) {
      printLine(`The merchant ${merchant_id} has no hold that is ${asked.join(' or ')}.`)
      return
    }
    const notes = found.map((hold) => notesOf(hold, now))
    printTable(headings, found.map(rowOf), notes)
    if (has_more) printLine(`\nThere are more: --limit takes up to ${limit_max}.`)
  },
}

function statusesOf(options: Options): (typeof statuses)[number][] {
  const named = choices(options, 'status', statuses)
  if (named.length > 0) return named
  return options.all === true ? [...statuses] : [...waiting]
}

/** The capture or void that has no answer yet. */
function operationOf(hold: HoldWithPayment): OpenOperation | null {
  const { operation_kind: kind, operation_asked_by: asked_by, operation_sent_at: sent_at } = hold
  const { operation_state: state } = hold
  return kind && sent_at && state && { kind, asked_by, sent_at, state }
}

// The widest values take 112 characters.
const headings = ['payment', 'amount', 'status', 'reason', 'deadline', 'at deadline']

function rowOf(hold: HoldWithPayment): string[] {
  const { payment_id, status, reason, deadline, at_deadline, decided_at } = hold
  const rule = decided_at === null ? at_deadline : '–'
  return [payment_id, money(hold), paintState(status), reason, shortTime(deadline), rule]
}

function notesOf(hold: HoldWithPayment, now: Date): string[] {
  const operation = operationOf(hold)
  const { operation_refusal } = hold
  return [
    decisionWords(hold),
    ruleWords(hold),
    operation && operationWords(operation, settlementAt(hold, now)),
    operation_refusal && refusalWords(operation_refusal),
  ].filter((note) => note !== null)
}

/** What the merchant's rules will do next with a waiting hold, if they will do something before the deadline. */
export function ruleWords(hold: Hold): string | null {
  const { at_deadline, deadline, rules_at, rule_refusals } = hold
  if (!isWaiting(hold) || rules_at === null) return null
  const at = shortTime(rules_at)
  if (rules_at > deadline) {
    return `the rules ${at_deadline} it${rule_refusals > 0 ? ' again' : ''} at ${at}`
  }
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

const reason_max = 56

export function refusalWords({ kind, reason, decline_code, at }: OperationRefusal): string {
  const said = `${reason}${decline_code === null ? '' : ` (${decline_code})`}`
  return `the acquirer refused to ${kind} it at ${shortTime(at)}: ${oneLine(said, reason_max)}`
}

/** A capture or void of a hold that has no answer yet. */
type OpenOperation = Pick<Operation, 'kind' | 'asked_by' | 'sent_at' | 'state'>

/** `settlement` is the session's, which is set if the answer counts as lost. */
export function operationWords({ kind, asked_by, sent_at, state }: OpenOperation, settlement: string | null): string {
  const what = `${kind} by ${asked_by === 'rules' ? 'the rules' : 'the merchant'}`
  const since = shortTime(sent_at)
  if (state === 'accepted') {
    return `a ${what} of ${since} was accepted: the acquirer carries it out or refuses it later`
  }
  return settlement === null
    ? `a ${what} is under way since ${since}`
    : `a ${what} is not answered since ${since}: see ripper reconcile show`
}

export function decisionWords({ status, decided_by, decided_at }: Hold): string | null {
  if (decided_by === null || decided_at === null) return null
  const who = decided_by === 'rules' ? 'the rules' : 'the merchant'
  return `${status} by ${who} at ${shortTime(decided_at)}`
}

/** `ripper hold show|capture|void|escalate`: one held payment, and an operator's decision about it. */
export const holdShow = holdCommand({
  name: 'hold show',
  summary: 'Shows a held payment, what its rules will do and what the acquirer refused',
  async decide() {},
  sentences: () => [],
})

export const holdCapture = decisionCommand({
  kind: 'capture',
  summary: 'Captures a held payment: the money is taken',
  done: ({ amount }) => `The acquirer has taken ${amount}.`,
})

export const holdVoid = decisionCommand({
  kind: 'void',
  summary: 'Voids a held payment: the reserved money is released, which is final',
  done: ({ amount }) => `The acquirer has released ${amount}.`,
})

export const holdEscalate = holdCommand({
  name: 'hold escalate',
  summary: 'Marks a held payment as being looked at by a person: the rules do nothing until the deadline',
  decide: (context, key) => escalateHold(context, key, { cause: causeOf(), key: null }),
  sentences: ({ hold: { deadline, at_deadline } }) => [
    `A person looks at it. If nobody decides by ${shortTime(deadline)}, the rules ${at_deadline} it.`,
  ],
})

type HoldDetail = {
  key: PaymentKey
  payment: ReturnType<typeof viewHeld>
  hold: Hold
  /** The amount, as people read it. */
  amount: string
  /** The capture or void that has no answer yet, in words. */
  operation: string | null
  /** The acquirer has accepted that capture or void. */
  is_accepted: boolean
}

/** A command on one held payment. It shows the payment as it is afterwards. */
export function holdCommand(does: {
  name: string
  summary: string
  remarks?: string[]
  moves_money?: boolean
  more_options?: Record<string, OptionSpec>
  decide(context: CommandContext, key: PaymentKey, options: Options): Promise<unknown>
  /** The first sentence for people. */
  sentences(shown: HoldDetail): string[]
}): Command {
  const { name, summary, remarks = [], moves_money, decide, sentences } = does
  const options = { ...does.more_options, ...paymentOptions }
  return {
    name,
    summary,
    remarks,
    positionals: ['PAYMENT_ID'],
    options,
    async run({ options, positionals, json }) {
      const payment_id = requirePaymentId(positionals)
      const decideAndRead = async (context: CommandContext) => {
        const key = await paymentKeyOf(context, options, payment_id)
        const own = await inCell(context, key.merchant_id)
        await decide(own, key, options)
        return readShown(own, key)
      }
      const shown = await withCommandContext(decideAndRead, { moves_money })
      if (json) {
        printJson(shown.payment)
        return
      }
      for (const sentence of sentences(shown)) printLine(`${sentence}\n`)
      printForPeople(shown)
    },
  }
}

function decisionCommand(does: { kind: Decision; summary: string; done(shown: HoldDetail): string }): Command {
  const { kind, summary, done } = does
  return holdCommand({
    name: `hold ${kind}`,
    summary,
    moves_money: true,
    remarks: [
      'It counts as a decision of the merchant. If the acquirer refuses, the exit status is 1, and the payment is held as\n' +
        'before and can be decided again. If the acquirer does not answer, or only accepts it, the exit status is 0. The\n' +
        'service then keeps asking, and settlement reads awaiting_reconciliation until the outcome is known.',
    ],
    decide: (context, key) => decideHold(context, key, { kind, asked_by: 'merchant', cause: causeOf(), key: null }),
    sentences: (shown) =>
      isWaiting(shown.hold)
        ? unanswered(kind, shown)
        : [`${done(shown)} payment.${shown.hold.status} goes out to the merchant's endpoints.`],
  })
}

function causeOf(): Cause {
  return { actor: 'operator', request_id: null, note: { by: operatorName() } }
}

function unanswered(kind: Decision, { key: { payment_id }, is_accepted }: HoldDetail): string[] {
  const first = is_accepted
    ? `The acquirer has accepted the ${kind}, and carries it out or refuses it later.`
    : `The acquirer has not answered. It is not known yet whether the ${kind} happened.`
  return [
    first,
    'The service keeps asking while it runs. Until it knows, the payment stays held, and nothing else can be decided.\n' +
      `To see the progress: ripper reconcile show ${payment_id}`,
  ]
}

async function readShown(context: CommandContext, key: PaymentKey): Promise<HoldDetail> {
  const held = heldOrRefuse(await findPaymentWithHold(context.sql, key))
  const payment = viewHeld(held, context.world.clock.now())
  const operation = held.operation && operationWords(held.operation, payment.settlement)
  const is_accepted = held.operation?.state === 'accepted'
  return { key, payment, hold: held.hold, amount: money(held.payment), operation, is_accepted }
}

function printForPeople({ key, payment, hold, amount, operation }: HoldDetail): void {
  const { operation_refusal } = hold
  const lines = {
    payment_id: payment.id,
    merchant_id: key.merchant_id,
    checkout_session_id: payment.checkout_session_id,
    order_reference: payment.order_reference,
    amount,
    mode: payment.mode,
    status: payment.status,
    created_at: shortTime(payment.created_at),
    acquirer_transaction_id: payment.acquirer_transaction_id,
    hold: decisionWords(hold) ?? hold.status,
    reason: hold.detail === null ? hold.reason : `${hold.reason}: ${hold.detail}`,
    ...(isWaiting(hold) && {
      deadline: `${shortTime(hold.deadline)}: then the rules ${hold.at_deadline} it`,
      rules: ruleWords(hold),
    }),
    operation,
    last_refusal: operation_refusal && refusalWords(operation_refusal),
    settlement: payment.settlement,
  }
  const known = Object.entries(lines).filter(([, value]) => value !== null)
  print(Object.fromEntries(known), false)
}

const ends = ['captured', 'voided'] as const

/** `ripper hold settle`: settles a held payment here that was captured or voided, or has lapsed, at the acquirer. */
export const holdSettle = holdCommand({
  name: 'hold settle',
  summary: 'Settles a held payment that was captured, voided or has lapsed at the acquirer already',
  remarks: [
    "The command only asks the acquirer for the authorisation's state. Somebody may have captured or voided it in the\n" +
      "acquirer's portal, or it may have lapsed, which counts as voided. The service sends the event as after any decision.",
    'If the acquirer does not know the state, or took another amount, settle the payment with --as by what you know. The\n' +
      'command refuses if the acquirer contradicts it.',
  ],
  more_options: {
    as: {
      value: 'OUTCOME',
      meaning: `one of ${ends.join(', ')}, if you know it; without it the acquirer is asked`,
    },
    reason: { value: 'TEXT', meaning: 'with --as: how you know it; kept in the audit journal' },
  },
  moves_money: true,
  decide: (context, key, options) => settle(context, key, readSettle(options)),
  sentences: ({ amount, hold }) => [
    `The payment of ${amount} counts as ${hold.status}. The service sends payment.${hold.status} to the merchant's endpoints.`,
  ],
})

type SettleRequest = { as: HoldEnding | null; note: object }

function readSettle(options: Options): SettleRequest {
  const as = choice(options, 'as', ends)
  const by = operatorName()
  if (as === null) {
    if (text(options, 'reason') !== null) throw new UsageError('--reason goes with --as')
    return { as, note: { by } }
  }
  if (text(options, 'reason') === null) throw new UsageError('--as needs --reason')
  return { as, note: { by, settled_as: as, reason: reasonOf(options) } }
}

/** Throws an Error in plain words if the hold stays open. */
async function settle(context: CommandContext, key: PaymentKey, { as, note }: SettleRequest): Promise<void> {
  const held = undecidedOrRefuse(await findWholePayment(context.sql, key))
  const by_person = as === null ? undefined : (true as const)
  const cause = {
    actor: 'operator',
    request_id: null,
    note,
    ...(by_person && { by_person }),
  } as const
  const found = await settleFoundHold(context, held, { asked_by: 'merchant', cause, key: null, as })
  if (found.ends === null) throw new Error(whyOpen(found, held.payment))
}

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
