// A price and a product: what the default integration's price list says of a sku, in the other platform's words. Their members are all
// those of that platform's API description 2026-08-26.

import { z } from 'zod'
import type { Mode } from '../../kernel/values.ts'
import { type Account, defaultIntegration } from '../../merchants/directory.ts'
import type { Integration, PriceListItem } from '../../merchants/integration.ts'
import { modeOf } from '../../merchants/merchant.ts'
import { absentMembers, absentOfPrice, nulls, unixSeconds } from '../members.ts'

export const price = z
  .object({
    id: z.string().meta({ description: 'the sku' }),
    object: z.literal('price'),
    active: z.literal(true),
    billing_scheme: z.literal('per_unit'),
    created: z.int().meta({ description: 'Unix seconds: when the integration was made' }),
    currency: z.string(),
    livemode: z.boolean(),
    metadata: z.object({}),
    product: z.string().meta({ description: 'the sku, too' }),
    tax_behavior: z.literal('unspecified'),
    type: z.literal('one_time'),
    unit_amount: z.int(),
    unit_amount_decimal: z.string(),
    ...nulls(absentOfPrice),
  })
  .meta({ title: 'Price', note: 'A line of the price list in the other platform’s words.' })

const absentOfProduct = [
  'description',
  'package_dimensions',
  'shippable',
  'statement_descriptor',
  'tax_code',
  'unit_label',
  'url',
] as const

export const product = z
  .object({
    id: z.string().meta({ description: 'the sku' }),
    object: z.literal('product'),
    active: z.literal(true),
    created: z.int().meta({ description: 'Unix seconds: when the integration was made' }),
    default_price: z.string().meta({ description: 'the sku, too' }),
    images: z.array(z.string()),
    livemode: z.boolean(),
    marketing_features: z.array(z.never()),
    metadata: z.object({}),
    name: z.string(),
    updated: z.int(),
    ...nulls(absentOfProduct),
  })
  .meta({ title: 'Product', note: 'What a line of the price list sells, in the other platform’s words.' })

/** A sku of the price list with the place where it is sold. */
export type Offer = PriceListItem & Pick<Integration, 'created_at'> & { mode: Mode }

/**
 * What a key can sell: of each sku one price, in `currency` or else in the integration's own currency or that which the list names first.
 */
export function offersOf(
  account: Account,
  { key_mode, currency }: { key_mode: 'any' | 'test_only' | 'live_only'; currency?: string | undefined },
): Offer[] {
  const integration = defaultIntegration(account)
  const list = integration?.price_list ?? null
  if (!integration || !list) return []
  const mode = modeOf({ merchant: account.merchant, integration, key_mode })
  // A session of this key would be a test one, which it must not make.
  if (key_mode === 'live_only' && mode === 'test') return []
  const { created_at, default_currency } = integration
  return [...Map.groupBy(list, ({ sku }) => sku).values()].flatMap((items) => {
    const own = items.find((item) => item.currency === (currency ?? default_currency))
    const item = currency === undefined ? (own ?? items[0]!) : own
    return item ? [{ ...item, created_at, mode }] : []
  })
}

export function viewPrice({ sku, unit_amount, currency, created_at, mode }: Offer): z.infer<typeof price> {
  return {
    id: sku,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: unixSeconds(created_at),
    currency: currency.toLowerCase(),
    livemode: mode === 'live',
    metadata: {},
    product: sku,
    tax_behavior: 'unspecified',
    type: 'one_time',
    unit_amount,
    unit_amount_decimal: String(unit_amount),
    ...absentMembers(absentOfPrice),
  }
}

export function viewProduct({ sku, name, image_url, created_at, mode }: Offer): z.infer<typeof product> {
  return {
    id: sku,
    object: 'product',
    active: true,
    created: unixSeconds(created_at),
    default_price: sku,
    images: image_url ? [image_url] : [],
    livemode: mode === 'live',
    marketing_features: [],
    metadata: {},
    name,
    updated: unixSeconds(created_at),
    ...absentMembers(absentOfProduct),
  }
}
