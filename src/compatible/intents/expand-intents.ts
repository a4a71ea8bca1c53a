// Puts the charges of payment intents in place of their ids, for who asks for them by `expand`.

import type { Sql } from '../../database/open.ts'
import { viewCharge } from '../charges/charge.ts'
import { paymentIdOf } from '../members.ts'
import type { PaymentIntent } from './intent.ts'
import { findCharges } from './intent-store.ts'

/** What `expand` may name at a payment intent. */
export const intentParts = ['latest_charge'] as const
export type Expand = ReadonlySet<(typeof intentParts)[number]> | undefined

/** The intents with what is expanded of them, in one look. */
export async function expandIntents(
  sql: Sql,
  merchant_id: string,
  { intents, expand }: { intents: PaymentIntent[]; expand: Expand },
): Promise<PaymentIntent[]> {
  const ids = intents.map(({ latest_charge }) => latest_charge).filter((id) => typeof id === 'string')
  if (!expand?.has('latest_charge') || ids.length === 0) return intents
  const rows = await findCharges(sql, merchant_id, ids.map(paymentIdOf))
  const charges = new Map(rows.map(viewCharge).map((charge) => [charge.id, charge]))
  return intents.map((intent) => {
    const { latest_charge } = intent
    return typeof latest_charge === 'string' ? { ...intent, latest_charge: charges.get(latest_charge)! } : intent
  })
}
