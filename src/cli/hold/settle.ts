// `ripper hold settle`: settles a held payment here that was captured or voided, or has lapsed, at the acquirer.

import {
  type FoundHoldResult,
  type HoldEnding,
  settleFoundHold,
} from '../../checkout/acquirer-operations/found-hold.ts'
import { undecidedOrRefuse } from '../../checkout/holds/decide-hold.ts'
import type { PaymentKey } from '../../checkout/payment.ts'
import { findWholePayment } from '../../checkout/reading/payment-store.ts'
import { type CommandContext, choice, operatorName, text } from '../command-context.ts'
import { reasonOf } from '../reconcile/resolve.ts'
import { type Options, UsageError } from '../terminal/command.ts'
import { money } from '../terminal/print.ts'
import { holdCommand } from './hold.ts'

const ends = ['captured', 'voided'] as const

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
