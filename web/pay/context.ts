// What the server writes into the page: the shop, its prices, and the words of the shopper's language.

import type { Appearance } from '../shared/protocol.ts'
import type { Words } from '../shared/words.ts'

export type Context = {
  handle: string
  /** Of the page of a payment link; null on every other page. */
  link: PaymentLink | null
  base_url: string
  config: Config
  words: Words
  locale: string
}

export type LinkStatus = 'active' | 'completed' | 'expired' | 'disabled'

/** As it was when the page was loaded. */
export type PaymentLink = { status: LinkStatus; description: string | null; is_single: boolean }

/** The members of the configuration body that this page uses. */
export type Config = {
  public_key: string
  mode: 'test' | 'live'
  merchant: { name: string }
  pricing: Pricing
  appearance: Appearance | null
  links: { terms_url: string | null; support_url: string | null; back_url: string | null }
}

/** `amount` and `currency` are the integration's default. */
export type Pricing = {
  amount: number | null
  currency: string | null
  price_list: Good[] | null
}

/** `unit_amount` in minor units. */
export type Good = {
  sku: string
  name: string
  unit_amount: number
  currency: string
  image_url?: string | null
}

/** Dark or light like the device, unless the merchant chose. */
export function appearanceOf({ config }: Context): Appearance {
  return { theme: 'auto', ...config.appearance }
}
