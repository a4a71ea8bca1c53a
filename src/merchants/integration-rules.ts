// The rules of an integration as a person at the dashboard sends them: which values are allowed, and which exclude others.

import { z } from 'zod'
import { named } from '../http/validate.ts'
import { amount_max, currencyOf, unshown } from '../kernel/values.ts'
import {
  appearanceRules,
  confirmation_url_elsewhere,
  confirmationUrlFault,
  type IntegrationRules,
  isOrigin,
  priceList,
} from './integration.ts'
import { linkFault } from './links.ts'

/** Hardly any authorisation lives this long. */
export const review_window_max = 30 * 24 * 3600
/** If the pay address has no path, handles stand beside these paths. */
export const taken_paths = ['docs', 'healthz', 'readyz', 'metrics', 'dashboard']

const currencyWords = named('currency', 'must be an active ISO 4217 code')
const seconds = z.int().min(1).max(review_window_max)
const amount = z.int().min(1).max(amount_max)
const link = z
  .string()
  .superRefine((url, context) => {
    const fault = linkFault(url)
    const params = { fault: 'web_address' }
    if (fault) context.addIssue({ code: 'custom', message: fault, params })
  })
  .nullable()

const name_words = 'must have 1 to 100 characters, and none that controls text or turns it round'

/** A name that people give to something. */
export const shownName = z
  .string(name_words)
  .trim()
  .min(1, name_words)
  .max(100, name_words)
  .refine((name) => !unshown.test(name), name_words)

/** Each member may be left out. */
export const integrationChange = z
  .strictObject({
    name: shownName,
    is_default: z.literal(true),
    is_hosted_page: z.boolean(),
    handle: z
      .string()
      .regex(/^[a-z0-9-]{3,64}$/, 'must have 3 to 64 characters of a-z, 0-9 and -')
      .refine((handle) => !taken_paths.includes(handle), named('taken', 'is a page of the service'))
      .nullable(),
    mode_setting: z.enum(['auto', 'test']),
    allowed_origins: z
      .array(z.string().refine(isOrigin, 'must be an origin, such as https://shop.example'))
      .max(100),
    confirmation_url: z.string().max(2000).nullable(),
    default_amount: amount.nullable(),
    default_currency: z
      .string()
      .refine((code) => currencyOf(code) !== undefined, currencyWords)
      .transform((code) => code.toUpperCase())
      .nullable(),
    price_list: priceList.nullable(),
    require_verified_amount: z.boolean(),
    order_reference_metadata_key: z.string().min(1).max(100).nullable(),
    on_3ds_unavailable: z.enum(['proceed', 'decline']),
    review_window_seconds: seconds,
    at_deadline: z.enum(['void', 'capture']),
    escalate_after_seconds: seconds.nullable(),
    capture_below: amount.nullable(),
    /** Labels of connections of mode `sandbox`; whoever stores them looks which there are. */
    test_connections: z.array(z.string().max(64)).max(2),
    appearance: appearanceRules.nullable(),
    terms_url: link,
    support_url: link,
    back_url: link,
  })
  .partial()

export type RulesFault = { field: keyof IntegrationRules; words: string; fault?: string }

/** Which rules of an integration contradict each other; null if none do. */
export function rulesFault(rules: IntegrationRules): RulesFault | null {
  const { is_hosted_page, handle, default_amount, default_currency, confirmation_url } = rules
  const { escalate_after_seconds, review_window_seconds, allowed_origins } = rules
  if (is_hosted_page && handle === null) {
    return { field: 'handle', words: 'is needed for the hosted page', fault: 'needs_handle' }
  }
  if (default_amount !== null && default_currency === null) {
    const words = 'is needed beside default_amount'
    return { field: 'default_currency', words, fault: 'needs_currency' }
  }
  if (escalate_after_seconds !== null && escalate_after_seconds >= review_window_seconds) {
    const words = `must be below review_window_seconds, which is ${review_window_seconds}`
    return { field: 'escalate_after_seconds', words, fault: 'after_the_window' }
  }
  if (confirmation_url === null) return null
  const words = confirmationUrlFault(confirmation_url, allowed_origins, { is_setting: true })
  if (words === null) return null
  const is_elsewhere = words === confirmation_url_elsewhere
  return { field: 'confirmation_url', words, ...(is_elsewhere && { fault: 'other_origin' }) }
}
