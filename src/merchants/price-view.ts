// A price list as it is shown: each line has every member, null where it has no value.

import { z } from 'zod'
import type { PriceListItem } from './integration.ts'

export const priceView = z.object({
  sku: z.string(),
  name: z.string(),
  unit_amount: z.int(),
  currency: z.string(),
  tax_rate: z.int().nullable(),
  image_url: z.string().nullable(),
})

export function viewPrice(line: PriceListItem): z.input<typeof priceView> {
  const { sku, name, unit_amount, currency, tax_rate = null, image_url = null } = line
  return { sku, name, unit_amount, currency, tax_rate, image_url }
}
