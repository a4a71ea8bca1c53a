// A charge: a payment that was captured or held, in the other platform's words. Its members are all those of that platform's API
// description 2026-08-26.

import { z } from 'zod'
import { anyMetadata } from '../../payments/fields.ts'
import { type Payment, takenOf } from '../../payments/payment.ts'
import type { Session } from '../../payments/session.ts'
import { absentMembers, chargeIdOf, nulls, unixSeconds } from '../members.ts'

const absent = [
  'application',
  'application_fee',
  'application_fee_amount',
  'balance_transaction',
  'calculated_statement_descriptor',
  'customer',
  'failure_balance_transaction',
  'failure_code',
  'failure_message',
  'fraud_details',
  'on_behalf_of',
  'outcome',
  'payment_method',
  'payment_method_details',
  'receipt_number',
  'receipt_url',
  'refunds',
  'review',
  'shipping',
  'source_transfer',
  'statement_descriptor',
  'transfer_data',
  'transfer_group',
] as const

export const charge = z
  .object({
    id: z.string().meta({ description: 'ch_ and the digits of the payment' }),
    object: z.literal('charge'),
    amount: z.int(),
    amount_captured: z.int(),
    amount_refunded: z.int().meta({
      description:
        'pending refunds count, and what was released: the whole amount of a voided payment, the rest of one captured in part',
    }),
    billing_details: z.object({
      address: z.null(),
      email: z.string().nullable(),
      name: z.string().nullable(),
      phone: z.null(),
      tax_id: z.null(),
    }),
    captured: z.boolean(),
    created: z.int().meta({ description: 'Unix seconds' }),
    currency: z.string(),
    description: z.string().nullable(),
    disputed: z.boolean().meta({ description: 'whether a dispute was ever opened of it' }),
    livemode: z.boolean(),
    metadata: anyMetadata,
    paid: z.literal(true),
    payment_intent: z.string(),
    receipt_email: z.string().nullable(),
    refunded: z.boolean().meta({ description: 'whether the whole amount was given back or let go' }),
    statement_descriptor_suffix: z.string().nullable(),
    status: z.literal('succeeded'),
    ...nulls(absent),
    ripper: z.object({
      payment_id: z.string(),
      card: z.object({ brand: z.string().nullable(), last4: z.string().nullable() }),
    }),
  })
  .meta({ title: 'Charge', note: 'A payment in the other platform’s words.' })

export type Charge = z.infer<typeof charge>

/** A payment with what its charge shows of the session. */
export type ChargeRow = Pick<
  Payment,
  | 'payment_id'
  | 'session_id'
  | 'status'
  | 'amount'
  | 'captured_amount'
  | 'currency'
  | 'mode'
  | 'created_at'
  | 'refunded_amount'
  | 'dispute'
  | 'card_brand'
  | 'card_last4'
> &
  Pick<Session, 'metadata' | 'customer' | 'statement_descriptor_suffix'>

export function viewCharge(row: ChargeRow): Charge {
  const { payment_id, status, amount, metadata, customer, card_brand, card_last4 } = row
  const taken = takenOf(row)
  const amount_refunded = status === 'voided' ? amount : row.refunded_amount + amount - taken
  return {
    id: chargeIdOf(row),
    object: 'charge',
    amount,
    amount_captured: status === 'captured' ? taken : 0,
    amount_refunded,
    billing_details: {
      address: null,
      email: customer?.email ?? null,
      name: customer?.name ?? null,
      phone: null,
      tax_id: null,
    },
    captured: status === 'captured',
    created: unixSeconds(row.created_at),
    currency: row.currency.toLowerCase(),
    description: metadata.description ?? null,
    disputed: row.dispute !== null,
    livemode: row.mode === 'live',
    metadata,
    paid: true,
    payment_intent: row.session_id,
    receipt_email: customer?.email ?? null,
    refunded: amount_refunded === amount,
    statement_descriptor_suffix: row.statement_descriptor_suffix,
    status: 'succeeded',
    ...absentMembers(absent),
    ripper: { payment_id, card: { brand: card_brand, last4: card_last4 } },
  }
}
