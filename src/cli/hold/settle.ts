// `ripper hold settle`: a held payment that was captured, voided or lapsed at the acquirer counts as that here, too.

import { undecidedOrRefuse } from '../../checkout/holds/decide-hold.ts'
import {
  type FoundEnd,
  type FoundHold,
  settleFoundHold,
} from '../../checkout/holds/settle-found-hold.ts'
import type { PaymentKey } from '../../checkout/payment.ts'
import { findWholePayment } from '../../checkout/reading/payment-store.ts'
import { type CommandOffice, choice, operatorName, text } from '../office.ts'
import { reasonOf } from '../reconcile/resolve.ts'
import { type Options, UsageError } from '../terminal/command.ts'
import { money } from '../terminal/print.ts'
import { holdCommand } from './hold.ts'

const ends = ['captured', 'voided'] as const

export const holdSettle = holdCommand({
  name: 'hold settle',
  summary: 'Settles a held payment that was captured, voided or has lapsed at the acquirer already',
  remarks: [
    "Nothing is sent but a question: how the authorisation stands. The acquirer's portal may have captured or voided it, or\n" +
      'time may have let it lapse, which counts as voided. The event goes out as after any decision.',
    'Where the acquirer does not say, and where it took another amount, --as settles the payment by what you know. It is\n' +
      'refused where the acquirer says otherwise.',
  ],
  more_options: {
    as: {
      value: 'OUTCOME',
      meaning: `one of ${ends.join(', ')}, where you know it; left out, the acquirer is asked`,
    },
    reason: { value: 'TEXT', meaning: 'with --as: how it is known; kept in the audit journal' },
  },
  moves_money: true,
  decide: (office, key, options) => settle(office, key, readSettle(options)),
  sentences: ({ amount, hold }) => [
    `The payment of ${amount} counts as ${hold.status}. payment.${hold.status} goes out to the merchant's endpoints.`,
  ],
})

type AskedSettle = { as: FoundEnd | null; note: object }

function readSettle(options: Options): AskedSettle {
  const as = choice(options, 'as', ends)
  const by = operatorName()
  if (as === null) {
    if (text(options, 'reason') !== null) throw new UsageError('--reason goes with --as')
    return { as, note: { by } }
  }
  if (text(options, 'reason') === null) throw new UsageError('--as needs --reason')
  return { as, note: { by, settled_as: as, reason: reasonOf(options) } }
}

/** Throws an Error in plain words where the hold stays open. */
async function settle(
  office: CommandOffice,
  key: PaymentKey,
  { as, note }: AskedSettle,
): Promise<void> {
  const held = undecidedOrRefuse(await findWholePayment(office.sql, key))
  const cause = { actor: 'operator', request_id: null, note } as const
  const found = await settleFoundHold(office, held, { asked_by: 'merchant', cause, key: null, as })
  if (found.ends === null) throw new Error(whyOpen(found, held.payment))
}

function whyOpen(
  { standing, decided_elsewhere }: FoundHold,
  held: { amount: number; currency: string },
): string {
  if (decided_elsewhere) return 'Somebody else decided on the payment meanwhile.'
  if (standing === null) {
    return 'The acquirer does not say how the authorisation stands. Where you know, say so with --as.'
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
