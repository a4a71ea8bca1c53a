// The rules of an integration as a person at the dashboard sends them: which values are allowed, and which exclude others.

import { z } from 'zod'
import { currency } from '../http/currency.ts'
import { withFault } from '../http/validate.ts'
import type { Fault } from '../kernel/faults.ts'
import { amount_max, unshown } from '../kernel/values.ts'
import { appearanceRules, confirmationUrlFault, type IntegrationRules, isOrigin, priceList } from './integration.ts'
import { linkFault } from './links.ts'

/** Hardly any authorisation lives this long. */
export const review_window_max = 30 * 24 * 3600
/** If the pay address has no path, handles stand beside these paths. */
export const taken_paths = ['docs', 'healthz', 'readyz', 'metrics', 'dashboard']

const seconds = z.int().min(1).max(review_window_max)
const amount = z.int().min(1).max(amount_max)
const link = z
  .string()
  .superRefine((url, context) => {
    const words = linkFault(url)
    if (words === null) return
    const { error: message, params } = withFault('web_address', words)
    context.addIssue({ code: 'custom', message, params })
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
      .refine((handle) => !taken_paths.includes(handle), withFault('reserved', 'is a page of the service'))
      .nullable(),
    mode_setting: z.enum(['auto', 'test']),
    allowed_origins: z.array(z.string().refine(isOrigin, 'must be an origin, such as https://shop.example')).max(100),
    confirmation_url: z.string().max(2000).nullable(),
    default_amount: amount.nullable(),
    default_currency: currency.nullable(),
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

export type RulesFault = { field: keyof IntegrationRules; words: string; fault?: Fault }

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
  const fault = confirmationUrlFault(confirmation_url, allowed_origins, { is_setting: true })
  return fault && { field: 'confirmation_url', ...fault }
}
