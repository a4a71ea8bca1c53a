// Parameters of a Checkout Session of the other platform that are not served, each with what to do instead. They are those of its API
// description 2026-08-26, which a test reads.

import { codeOf, type Issue } from '../../http/validate.ts'
import { Refusal } from '../../kernel/errors.ts'
import { explain, parameterOf } from '../faults.ts'

const by_checkout = 'the page takes the card'
const no_customers = 'there are no stored customers. Send the shopper’s email as customer_email.'
const no_tax = 'prices include their tax.'
const no_shipping = 'the page asks for no address. Ask for it in your shop, and send what it costs as a line.'
const no_discount = 'send prices that are reduced already.'
const own_money = 'money goes to the merchant alone.'
const one_page = 'the page has the looks of your integration: ripper integration update --appearance.'
const not_stored = 'cards are not stored for later payments.'
const card_only = 'card is the only payment method.'
const in_metadata = 'keep what you need of it in payment_intent_data[metadata].'

/** By their names, with `[]` for any entry of a list. */
const advice = new Map<string, string>([
  ['adaptive_pricing', 'a payment is in the currency of its prices.'],
  ['after_expiration', 'make a new Checkout Session when checkout.session.expired comes.'],
  ['branding_settings', one_page],
  ['consent_collection', 'ask for it in your shop.'],
  ['currency', 'the currency is that of the line items: send price_data[currency].'],
  ['custom_fields', 'ask for it in your shop, and keep it in metadata.'],
  ['custom_text', 'the page has no text of your own.'],
  ['customer', no_customers],
  ['customer_account', no_customers],
  ['customer_update', no_customers],
  ['discounts', no_discount],
  ['excluded_payment_method_types', card_only],
  ['integration_identifier', 'keep it in metadata.'],
  ['managed_payments', 'you are the seller yourself.'],
  ['name_collection', 'the page asks for the name on the card alone.'],
  ['optional_items', 'offer them in your shop.'],
  ['origin_context', 'the page suits apps and browsers.'],
  ['payment_method_collection', 'every payment needs a card.'],
  ['payment_method_configuration', card_only],
  ['payment_method_data', `${by_checkout}.`],
  ['payment_method_options', '3-D Secure is run for every payment that needs it.'],
  ['permissions', 'the page changes nothing of the session.'],
  ['redirect_on_completion', 'the page goes on to success_url.'],
  ['return_url', 'send success_url and cancel_url.'],
  ['saved_payment_method_options', not_stored],
  ['setup_intent_data', not_stored],
  ['shipping_address_collection', no_shipping],
  ['shipping_options', no_shipping],
  ['subscription_data', 'there are no subscriptions.'],
  ['tax_id_collection', 'ask for it in your shop.'],
  ['wallet_options', card_only],
  ['line_items[][adjustable_quantity]', 'let the shopper choose the quantity in your shop.'],
  ['line_items[][metadata]', 'send price_data[product_data][metadata], or metadata of the whole session.'],
  ['line_items[][tax_rates]', no_tax],
  ['line_items[][dynamic_tax_rates]', no_tax],
  ['line_items[][price_data][product]', 'send product_data[name], or a price of your price list as price.'],
  ['line_items[][price_data][recurring]', 'there are no subscriptions.'],
  ['line_items[][price_data][unit_amount_decimal]', 'send unit_amount, in whole minor units.'],
  ['line_items[][price_data][product_data][tax_code]', no_tax],
  ['line_items[][price_data][product_data][unit_label]', 'put it into product_data[name].'],
  ['payment_intent_data[application_fee_amount]', own_money],
  [
    'payment_intent_data[capture_method]',
    'to capture by yourself, set it for the integration: ripper integration update INTEGRATION_ID --capture manual.',
  ],
  ['payment_intent_data[description]', 'send it as payment_intent_data[metadata][description].'],
  ['payment_intent_data[on_behalf_of]', own_money],
  ['payment_intent_data[receipt_email]', 'send customer_email.'],
  ['payment_intent_data[setup_future_usage]', not_stored],
  ['payment_intent_data[shipping]', in_metadata],
  ['payment_intent_data[statement_descriptor]', 'the name comes from the account.'],
  ['payment_intent_data[statement_descriptor_suffix]', 'the name comes from the account.'],
  ['payment_intent_data[transfer_data]', own_money],
  ['payment_intent_data[transfer_group]', own_money],
])

/** The names that are answered with an advice. */
export const advisedNames = [...advice.keys()]

/** The refusal for a finding in the body of a Checkout Session. */
export function explainCheckout(issue: Issue): Refusal {
  const refusal = explain(issue)
  if (issue.code === 'unrecognized_keys') {
    const field = issue.keys.map((key) => parameterOf([...issue.path, key])).find((name) => adviceOn(name))
    if (field === undefined) return refusal
    return new Refusal('invalid_request', `${field} is not supported: delete this line; ${adviceOn(field)}`, { field })
  }
  const is_email = issue.path[0] === 'customer_email' && codeOf(issue) === 'invalid_request'
  return is_email
    ? new Refusal('invalid_request', refusal.message, { field: 'customer_email', platform_code: 'email_invalid' })
    : refusal
}

function adviceOn(name: string): string | undefined {
  return advice.get(name.replace(/\[\d+\]/g, '[]'))
}
