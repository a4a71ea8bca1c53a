// A payout: what an acquirer paid at once, by its report. Its sums are those of its lines.

import { z } from 'zod'
import type { Mode } from '../kernel/values.ts'

export type Payout = {
  merchant_id: string
  payout_id: string
  connection_id: string
  /** The connection's label. */
  label: string
  vendor_id: string
  mode: Mode
  currency: string
  /** Rounded: net is gross less fee. */
  gross: number
  fee: number
  net: number
  /** Null where the report does not say it. */
  paid_amount: number | null
  line_count: number
  finding_count: number
  paid_on: string | null
  created_at: Date
}

export const payoutView = z
  .object({
    id: z.string(),
    connection: z.string().meta({ description: 'its label' }),
    vendor_id: z.string(),
    currency: z.string(),
    gross: z.int(),
    fee: z.int(),
    net: z.int().meta({ description: 'gross less fee: what the bank got' }),
    paid_on: z.string().nullable().meta({ format: 'date' }),
    lines: z.int(),
    findings: z
      .int()
      .meta({ description: 'lines that do not fit, and one where the sum is not what the vendor says it paid' }),
  })
  .meta({ title: 'Payout', note: 'What an acquirer paid out at once, by its report. Amounts are in minor units.' })

export function viewPayout(payout: Payout): z.input<typeof payoutView> {
  const { payout_id: id, label: connection, vendor_id, currency, gross, fee, net, paid_on, line_count: lines } = payout
  const findings = payout.finding_count + (isShort(payout) ? 1 : 0)
  return { id, connection, vendor_id, currency, gross, fee, net, paid_on, lines, findings }
}

/** Whether the lines that were read come to another sum than the vendor says it paid. */
export function isShort({ net, paid_amount }: Pick<Payout, 'net' | 'paid_amount'>): boolean {
  return paid_amount !== null && paid_amount !== net
}
