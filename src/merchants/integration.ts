// An integration: the rules of one place where a merchant takes payments.

import { z } from 'zod'
import { currency } from '../http/currency.ts'
import { withFault } from '../http/validate.ts'
import type { Fault } from '../kernel/field-rules.ts'
import { amount_max, type Mode } from '../kernel/values.ts'

export type Integration = {
  merchant_id: string
  integration_id: string
  name: string
  is_default: boolean
  is_hosted_page: boolean
  handle: string | null
  mode_setting: 'auto' | 'test'
  allowed_origins: string[]
  confirmation_url: string | null
  default_amount: number | null
  default_currency: string | null
  price_list: PriceListItem[] | null
  require_verified_amount: boolean
  order_reference_metadata_key: string | null
  on_3ds_unavailable: 'proceed' | 'decline'
  review_window_seconds: number
  at_deadline: 'void' | 'capture'
  escalate_after_seconds: number | null
  capture_below: number | null
  /** When money is taken: at once, or when the merchant captures what was authorised. */
  capture: 'automatic' | 'manual'
  /** Labels of connections of mode `sandbox`, one of each kind at most, which its test sessions use instead of the simulator. */
  test_connections: string[]
  appearance: unknown
  /** No new sessions are created with it from then on. Existing sessions continue under its rules. */
  deleted_at: Date | null
  terms_url: string | null
  support_url: string | null
  back_url: string | null
  created_at: Date
}

/** All of an integration except its identity. */
export type IntegrationRules = Omit<Integration, 'merchant_id' | 'integration_id' | 'name' | 'created_at'>

/** What decides a hold without a person. */
export const hold_rules = [
  'review_window_seconds',
  'at_deadline',
  'escalate_after_seconds',
  'capture_below',
  'capture',
] as const

export type HoldRules = Pick<Integration, (typeof hold_rules)[number]>

export const defaultRules: IntegrationRules = {
  is_default: false,
  is_hosted_page: false,
  handle: null,
  mode_setting: 'auto',
  allowed_origins: [],
  confirmation_url: null,
  default_amount: null,
  default_currency: null,
  price_list: null,
  require_verified_amount: false,
  order_reference_metadata_key: null,
  on_3ds_unavailable: 'proceed',
  review_window_seconds: 5 * 24 * 3600,
  at_deadline: 'void',
  escalate_after_seconds: null,
  capture_below: null,
  capture: 'automatic',
  test_connections: [],
  appearance: null,
  deleted_at: null,
  terms_url: null,
  support_url: null,
  back_url: null,
}

/**
 * The rules that decide holds in a mode. Sessions stay live when their integration becomes one for tests: rules that
 * are tried there must not decide their money.
 */
export function holdRulesOf(integration: HoldRules & Pick<Integration, 'mode_setting'>, mode: Mode): HoldRules {
  return mode === 'live' && integration.mode_setting === 'test' ? defaultRules : integration
}

const priceListItem = z.strictObject({
  sku: z.string().min(1).max(200),
  name: z.string().min(1).max(200),
  unit_amount: z.int().min(0).max(amount_max),
  currency,
  tax_rate: z.int().min(0).max(10_000).nullish(),
  image_url: z.url({ protocol: /^https$/ }).nullish(),
})
export type PriceListItem = z.infer<typeof priceListItem>

/** How pages look. The code that uses a colour judges whether it can be read. */
export const appearanceRules = z.strictObject({
  theme: z.enum(['light', 'dark', 'auto']).optional(),
  variables: z
    .partialRecord(
      z.enum([
        'colorPrimary',
        'colorBackground',
        'colorText',
        'colorDanger',
        'colorBorder',
        'borderRadius',
        'fontSize',
        'spacing',
        'fontFamily',
      ]),
      z.string().max(300),
    )
    .optional(),
})

export const priceList = z
  .array(priceListItem)
  .max(1000)
  .superRefine((list, context) => {
    const pricedSkus = new Set<string>()
    for (const [index, { sku, currency }] of list.entries()) {
      const name = JSON.stringify([sku, currency])
      if (pricedSkus.has(name)) {
        const { error, params } = withFault('taken', `is on the list in ${currency} already`)
        context.addIssue({ code: 'custom', message: error, params, path: [index, 'sku'] })
      }
      pricedSkus.add(name)
    }
  })

/** Whether a text is an origin and nothing more: `https://shop.example`. http is allowed only for this machine. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  const local = url.hostname === 'localhost' || url.hostname === '127.0.0.1' || url.hostname === '[::1]'
  // A content security policy would read a star as any host.
  return (
    url.origin === text && !text.includes('*') && (url.protocol === 'https:' || (url.protocol === 'http:' && local))
  )
}

/** `words` follow on the field's name. */
export type ConfirmationUrlFault = { words: string; fault?: Fault }

/**
 * Why shoppers cannot be sent to an address after paying, or null if they can. A setting may also name a shop on
 * `http://localhost`, but only shoppers of test sessions are sent there.
 */
export function confirmationUrlFault(
  text: string,
  allowedOrigins: string[],
  { is_setting = false } = {},
): ConfirmationUrlFault | null {
  const words = malformedUrlWords(text, { is_setting })
  if (words !== null) return { words }
  if (allowedOrigins.includes(new URL(text).origin)) return null
  return { words: "must be on one of the integration's allowed origins", fault: 'other_origin' }
}

function malformedUrlWords(text: string, { is_setting }: { is_setting: boolean }): string | null {
  const is_local = is_setting && isLocalShop(text)
  // The parser accepts texts that the specification does not allow: spaces, line breaks, missing slashes.
  const is_written_out = /^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text) && URL.canParse(text)
  if (!is_written_out || !(is_local || /^https:/i.test(text))) {
    if (is_setting) return 'must be an absolute https URL, or for test sessions one on http://localhost'
    return isLocalShop(text)
      ? 'must be an absolute https URL. On http://localhost it can only be set for the whole integration: ripper integration update --confirmation-url'
      : 'must be an absolute https URL'
  }
  const { searchParams } = new URL(text)
  const words = strangePartWords(text)
  if (words !== null) return words
  if (searchParams.has('payment_id') || searchParams.has('order_reference')) {
    return 'must not have a payment_id or order_reference parameter, which are added to it'
  }
  return null
}

function strangePartWords(text: string): string | null {
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return 'must not have a user name or password in it'
  if (text.includes('#')) return 'must not have a fragment'
  return /^[\d.]+$|^\[/.test(new URL(text).hostname) ? 'must name its host, not an IP address' : null
}

/**
 * Why a Checkout Session's shoppers cannot be sent to an address, or null if they can. Nothing is added to it, so its query is free;
 * shoppers of test sessions may be sent to this machine.
 */
export function returnUrlFault(
  text: string,
  { integration_id, allowed_origins }: Pick<Integration, 'integration_id' | 'allowed_origins'>,
  mode: Mode,
): string | null {
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return 'must be an absolute https URL'
  const is_local = /^http:\/\/(localhost|127\.0\.0\.1)(?::\d+)?(?:[/?]|$)/i.test(text)
  if (is_local && mode === 'test') return text.includes('#') ? 'must not have a fragment' : null
  if (!/^https:/i.test(text)) return 'must be an https URL; http only for localhost, and only in test mode'
  const words = strangePartWords(text)
  if (words !== null || allowed_origins.includes(new URL(text).origin)) return words
  const command = `ripper integration update ${integration_id} --add-origin ORIGIN`
  return `must be on one of the default integration's allowed origins; this adds one: ${command} (such as https://shop.example)`
}

/** The address to which an integration sends the shoppers of a mode after paying. */
export function confirmationUrlIn(
  { confirmation_url }: Pick<Integration, 'confirmation_url'>,
  mode: Mode,
): string | null {
  const is_for_tests = confirmation_url !== null && isLocalShop(confirmation_url)
  return is_for_tests && mode === 'live' ? null : confirmation_url
}

function isLocalShop(address: string): boolean {
  return /^http:\/\/localhost(?::\d+)?(?:[/?]|$)/i.test(address)
}

/** A price list in an answer: each line has every member, null if it has no value. */
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
