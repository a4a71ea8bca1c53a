// Parameters of the other platform that are not supported, with advice for merchants: mostly to delete the line. They are those of its
// library 23.1.0 (API 2026-10-28), which a test reads, and of older ones.

import { z } from 'zod'

const by_checkout = 'the checkout takes the card'
const no_customers = 'there are no stored customers. Send the shopper’s email as receipt_email.'
const advice = new Map<string, string>([
  ['automatic_payment_methods', 'card is the only payment method.'],
  ['allowed_payment_method_types', 'card is the only payment method.'],
  ['payment_method_types', 'card is the only payment method.'],
  ['payment_method_options', '3-D Secure is run for every payment that needs it.'],
  ['payment_method_configuration', 'card is the only payment method.'],
  ['excluded_payment_method_types', 'card is the only payment method.'],
  ['payment_method', `${by_checkout} in the shopper’s browser.`],
  ['payment_method_data', `${by_checkout} in the shopper’s browser.`],
  ['confirmation_token', `${by_checkout} in the shopper’s browser.`],
  ['source', `${by_checkout} in the shopper’s browser.`],
  ['confirm', 'the checkout confirms the payment in the shopper’s browser.'],
  ['confirmation_method', 'the checkout confirms the payment in the shopper’s browser.'],
  ['error_on_requires_action', 'the checkout shows the bank’s page by itself.'],
  ['use_stripe_sdk', 'the checkout shows the bank’s page by itself.'],
  ['return_url', 'set the confirmation address on the integration.'],
  ['customer', no_customers],
  ['customer_account', no_customers],
  ['setup_future_usage', 'cards are not stored for later payments.'],
  ['off_session', 'every payment is made by a shopper who is there.'],
  ['mandate', 'every payment is made by a shopper who is there.'],
  ['mandate_data', 'every payment is made by a shopper who is there.'],
  ['shipping', 'keep what you need of it in metadata.'],
  ['payment_details', 'keep what you need of it in metadata.'],
  ['statement_descriptor', 'the name comes from the account. Send statement_descriptor_suffix.'],
  ['application_fee_amount', 'money goes to the merchant alone.'],
  ['transfer_data', 'money goes to the merchant alone.'],
  ['transfer_group', 'money goes to the merchant alone.'],
  ['on_behalf_of', 'money goes to the merchant alone.'],
  ['hooks', 'send tax with the lines of a basket, by POST /v1/checkout/sessions.'],
  ['amount_details', 'send the lines of a basket by POST /v1/checkout/sessions.'],
  ['radar_options', 'payments whose amount cannot be verified are held by themselves.'],
  ['expand', 'nothing can be expanded here.'],
  ['currency', 'a refund is in the currency of its payment.'],
  ['refund_application_fee', 'money goes to the merchant alone.'],
  ['reverse_transfer', 'money goes to the merchant alone.'],
  ['instructions_email', 'a refund goes back to the card, and needs nothing from the shopper.'],
  ['origin', 'a refund goes back to the card that paid.'],
  ['lookup_keys', 'a price is found by its id, which is the sku.'],
  ['recurring', 'there are no subscriptions.'],
  ['shippable', 'the price list does not say it.'],
  ['type', 'the price list does not say it.'],
  ['url', 'the price list does not say it.'],
  ['final_capture', 'a payment is captured once, and what is not captured is released.'],
  ['connect', 'a key acts for its own merchant alone.'],
  ['delivery_success', 'deliveries are listed by GET /v1/webhooks/deliveries, with X-Service-Api-Key.'],
  ['client_secret', 'the secret key alone reads a payment intent.'],
])

/** The names that are answered with an advice. */
export const advisedNames = [...advice.keys()]

const flag = z.union([z.boolean(), z.enum(['true', 'false'])])

/** Values that ask for what is so, in either encoding, by the parameter's name. */
const askForWhatIsSo = new Map<string, z.ZodType>([
  [
    'automatic_payment_methods',
    z.strictObject({ enabled: flag.optional(), allow_redirects: z.enum(['always', 'never']).optional() }),
  ],
  ['payment_method_types', z.preprocess((list) => Object.values(Object(list)).flat(), z.tuple([z.literal('card')]))],
  ['confirm', z.union([z.literal(false), z.literal('false')])],
  ['confirmation_method', z.literal('automatic')],
])

/** The body without parameters that ask for what is so. With any other value they are not supported. */
export function withoutEffectless(body: unknown): unknown {
  const members = Object.entries(body as object).filter(
    ([name, value]) => !askForWhatIsSo.get(name)?.safeParse(value).success,
  )
  return Object.fromEntries(members)
}

/** Why `capture_method` can only be automatic. */
export const only_automatic =
  'can only be automatic: delete this line. To capture by yourself, set it for the integration: ripper integration update INTEGRATION_ID --capture manual'

/** The name of a parameter that is not supported or unknown, and the advice for its sender. */
export function adviceOn(parameter: string): { name: string; words: string } {
  // For `expand[0]`, the name before the bracket decides.
  const base = parameter.replace(/^([^[]+)\[.*\]$/s, '$1')
  const words = advice.get(base)
  if (words) return { name: base, words: `is not supported: delete this line; ${words}` }
  return { name: parameter, words: `is not a parameter of this request${hintOn(base, parameter)}.` }
}

function hintOn(base: string, parameter: string): string {
  if (parameter === 'metadata' || parameter === 'statement_descriptor_suffix')
    return ': it is sent with the create alone'
  if (base === 'metadata') return ': in JSON metadata is an object, {"metadata": {"key": "value"}}'
  if (parameter === 'query') {
    return ': payment intents are not searched. List them by GET /v1/payment_intents, or keep the id of each'
  }
  return ''
}
