// `ripper hold show|capture|void|escalate`: one held payment, and an operator's decision about it.

import { type Decision, type Hold, heldOrRefuse, isWaiting } from '../../checkout/hold.ts'
import { decideHold } from '../../checkout/holds/decide-hold.ts'
import { escalateHold } from '../../checkout/holds/escalate-hold.ts'
import { viewHeld } from '../../checkout/holds/read-held.ts'
import type { Cause } from '../../checkout/outcome.ts'
import type { PaymentKey } from '../../checkout/payment.ts'
import { findPaymentWithHold } from '../../checkout/reading/payment-store.ts'
import { inCell } from '../../database/cells/cells.ts'
import { type CommandContext, operatorName, withCommandContext } from '../command-context.ts'
import { paymentKeyOf, paymentOptions, requirePaymentId } from '../payment-key.ts'
import type { Command, OptionSpec, Options } from '../terminal/command.ts'
import { money, print, printJson, printLine, shortTime } from '../terminal/print.ts'
import { decisionWords, operationWords, refusalWords, ruleWords } from './words.ts'

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

export type HoldDetail = {
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
