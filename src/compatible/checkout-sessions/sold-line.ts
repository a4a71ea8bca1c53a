// A line of a Checkout Session in the other platform's words, with its price as it was when it was sold.

import { z } from 'zod'
import type { CheckoutSession, SoldLine } from '../../payments/checkout-session.ts'
import { anyMetadata } from '../../payments/fields.ts'
import { absentMembers, absentOfPrice, nulls, unixSeconds } from '../members.ts'

const soldPrice = z
  .object({
    id: z.string().meta({ description: 'the sku, or a name of the line’s own' }),
    object: z.literal('price'),
    active: z.boolean().meta({ description: 'whether it can be sold again by its id' }),
    billing_scheme: z.literal('per_unit'),
    created: z.int(),
    currency: z.string(),
    livemode: z.boolean(),
    metadata: anyMetadata,
    product: z.string(),
    tax_behavior: z.enum(['exclusive', 'inclusive', 'unspecified']),
    type: z.literal('one_time'),
    unit_amount: z.int(),
    unit_amount_decimal: z.string(),
    ...nulls(absentOfPrice),
  })
  .meta({ title: 'SoldPrice', note: 'The price of a line, as it was when it was sold.' })

export const soldLine = z
  .object({
    id: z.string(),
    object: z.literal('item'),
    amount_discount: z.literal(0),
    amount_subtotal: z.int(),
    amount_tax: z.literal(0),
    amount_total: z.int(),
    currency: z.string(),
    description: z.string().meta({ description: 'the name of what is sold' }),
    metadata: anyMetadata,
    price: soldPrice,
    quantity: z.int(),
    ...nulls(['adjustable_quantity'] as const),
  })
  .meta({ title: 'CheckoutLineItem', note: 'A line of a Checkout Session.' })
export type SoldLineView = z.infer<typeof soldLine>

export function viewLine(
  line: SoldLine,
  checkout: Pick<CheckoutSession, 'currency' | 'mode' | 'created_at'>,
): SoldLineView {
  const { line_id, sku, unit_amount, quantity } = line
  const currency = checkout.currency.toLowerCase()
  const amount = unit_amount * quantity
  const own_id = line_id.slice('li_'.length)
  return {
    id: line_id,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description: line.name,
    metadata: {},
    price: {
      id: sku ?? `price_${own_id}`,
      object: 'price',
      active: sku !== null,
      billing_scheme: 'per_unit',
      created: unixSeconds(checkout.created_at),
      currency,
      livemode: checkout.mode === 'live',
      metadata: {},
      product: sku ?? `prod_${own_id}`,
      tax_behavior: line.tax_behavior,
      type: 'one_time',
      unit_amount,
      unit_amount_decimal: String(unit_amount),
      ...absentMembers(absentOfPrice),
    },
    quantity,
  }
}
