// What a payment's acquirer paid out for it, by the lines of its reports.

import { z } from 'zod'
import type { AnySql, Fragment } from '../../database/open.ts'

export const paidOutView = z
  .object({
    payout_id: z.string(),
    kind: z.enum(['payment', 'refund', 'dispute', 'fee']),
    gross: z.int().meta({ description: 'of a refund negative' }),
    fee: z.int(),
    net: z.int().meta({ description: 'gross less fee' }),
    currency: z.string().meta({ description: "the payout's" }),
    exchange_rate: z.number().optional().meta({
      description: "units of the payout's currency for one of the payment's; absent where they are the same",
    }),
    paid_on: z.string().nullable().meta({ format: 'date' }),
  })
  .meta({
    title: 'PaidOut',
    note: 'What of a payment, or of a refund or dispute of it, was paid out. Amounts are in minor units.',
  })

/** As a statement gives it, in JSON. */
export type PaidOut = Omit<z.output<typeof paidOutView>, 'exchange_rate'> & { exchange_rate: number | null }

/** Null where no report has the payment. `payment` is what the statement calls its row. */
export function paidOut(sql: AnySql, payment: Fragment): Fragment {
  return sql`(
    select json_agg(json_build_object('payout_id', payout_id, 'kind', kind, 'gross', round(gross)::bigint,
      'fee', (round(gross) - round(gross - fee))::bigint, 'net', round(gross - fee)::bigint, 'currency', currency,
      'exchange_rate', rate, 'paid_on', paid_on) order by created_at, payout_id, line)
    from (
      select l.payout_id, l.kind, o.currency, o.paid_on, o.created_at, min(l.line) as line, sum(l.gross) as gross,
        sum(l.fee) as fee, max(l.exchange_rate)::double precision as rate
      from payout_lines l join payouts o using (merchant_id, payout_id)
      where l.merchant_id = ${payment}.merchant_id and l.payment_id = ${payment}.payment_id and l.kind <> 'other'
      group by l.payout_id, l.kind, l.refund_id, o.currency, o.paid_on, o.created_at
    ) each
  )`
}

export function viewPaidOut({ exchange_rate, ...row }: PaidOut): z.input<typeof paidOutView> {
  return { ...row, ...(exchange_rate !== null && { exchange_rate }) }
}
