// A Checkout Session in the other platform's words. Its members are all those of its API description 2026-08-26, but for those that can
// be neither null nor true of us.

import { z } from 'zod'
import { type CheckoutSession, checkoutStatuses, type ShownCheckout } from '../../payments/checkout-session.ts'
import { anyMetadata } from '../../payments/fields.ts'
import { paymentIntent } from '../intents/intent.ts'
import { listView, viewList } from '../lists.ts'
import { absentMembers, nulls, unixSeconds } from '../members.ts'
import { soldLine, viewLine } from './sold-line.ts'

const absent = [
  'after_expiration',
  'billing_address_collection',
  'client_secret',
  'collected_information',
  'consent',
  'consent_collection',
  'currency_conversion',
  'customer',
  'customer_account',
  'integration_identifier',
  'invoice',
  'managed_payments',
  'optional_items',
  'origin_context',
  'payment_link',
  'payment_method_configuration_details',
  'payment_method_options',
  'permissions',
  'recovered_from',
  'saved_payment_method_options',
  'setup_intent',
  'shipping_address_collection',
  'shipping_cost',
  'submit_type',
  'subscription',
  'wallet_options',
] as const

const absentOfCustomer = ['address', 'business_name', 'individual_name', 'name', 'phone'] as const
const customTexts = ['after_submit', 'shipping_address', 'submit', 'terms_of_service_acceptance'] as const
const invoiceParts = [
  'account_tax_ids',
  'custom_fields',
  'description',
  'footer',
  'issuer',
  'metadata',
  'rendering_options',
] as const
const absentOfTax = ['liability', 'provider', 'status'] as const

const nothing = z.array(z.never())
const switchedOff = z.object({ enabled: z.literal(false) })

export const lineItemsUrl = (id: string) => `/v1/checkout/sessions/${id}/line_items`

export const lineItems = z
  .object({ object: z.literal('list'), url: z.string(), has_more: z.boolean(), data: z.array(soldLine) })
  .meta({ title: 'CheckoutLineItemList', note: 'The lines of a Checkout Session.' })

export const checkoutSession = z
  .object({
    id: z.string(),
    object: z.literal('checkout.session'),
    amount_subtotal: z.int(),
    amount_total: z.int(),
    currency: z.string(),
    created: z.int().meta({ description: 'Unix seconds' }),
    expires_at: z.int().meta({ description: 'Unix seconds' }),
    livemode: z.boolean(),
    mode: z.literal('payment'),
    status: z.enum(checkoutStatuses),
    payment_status: z.enum(['paid', 'unpaid']).meta({ description: 'a payment that is held is complete and unpaid' }),
    payment_intent: z
      .union([z.string(), paymentIntent])
      .nullable()
      .meta({ description: 'the newest session of its page; null before the shopper opened it' }),
    url: z
      .string()
      .nullable()
      .meta({ description: 'its page; null once it is no longer open, and for keys without create_payments' }),
    success_url: z.string(),
    cancel_url: z.string().nullable(),
    client_reference_id: z.string().nullable(),
    customer_email: z.string().nullable(),
    customer_details: z
      .object({
        email: z.string(),
        tax_exempt: z.literal('none'),
        tax_ids: nothing,
        ...nulls(absentOfCustomer),
      })
      .nullable()
      .meta({ description: 'null until the email is known' }),
    line_items: lineItems.optional().meta({ description: 'only where `expand` names it' }),
    locale: z.string().nullable(),
    metadata: anyMetadata,
    payment_method_types: z.array(z.literal('card')),
    ui_mode: z.literal('hosted_page'),
    adaptive_pricing: switchedOff,
    allow_promotion_codes: z.literal(false),
    automatic_tax: switchedOff.extend(nulls(absentOfTax)),
    custom_fields: nothing,
    custom_text: z.object(nulls(customTexts)),
    customer_creation: z.literal('if_required'),
    discounts: nothing,
    excluded_payment_method_types: nothing,
    invoice_creation: switchedOff.extend({ invoice_data: z.object(nulls(invoiceParts)) }),
    payment_method_collection: z.literal('if_required'),
    phone_number_collection: switchedOff,
    shipping_options: nothing,
    tax_id_collection: switchedOff.extend({ required: z.literal('never') }),
    total_details: z.object({
      amount_discount: z.literal(0),
      amount_shipping: z.literal(0),
      amount_tax: z.literal(0),
    }),
    ...nulls(absent),
  })
  .meta({ title: 'CheckoutSessionCompatible', note: 'A Checkout Session, in the other platform’s words.' })
export type CheckoutSessionView = z.infer<typeof checkoutSession>

export const checkoutList = listView(checkoutSession, '/v1/checkout/sessions').meta({
  title: 'CheckoutSessionCompatibleList',
  note: 'A page of Checkout Sessions, newest first.',
})

/** `url` is its page, for whoever may send a shopper there. */
export function viewCheckout(checkout: ShownCheckout, url: string | null): CheckoutSessionView {
  const { checkout_session_id: id, amount, email, status, is_paid } = checkout
  return {
    id,
    object: 'checkout.session',
    amount_subtotal: amount,
    amount_total: amount,
    currency: checkout.currency.toLowerCase(),
    created: unixSeconds(checkout.created_at),
    expires_at: unixSeconds(checkout.expires_at),
    livemode: checkout.mode === 'live',
    mode: 'payment',
    status,
    payment_status: is_paid ? 'paid' : 'unpaid',
    payment_intent: checkout.session_id,
    url: status === 'open' ? url : null,
    success_url: checkout.success_url,
    cancel_url: checkout.cancel_url,
    client_reference_id: checkout.client_reference_id,
    customer_email: checkout.customer_email,
    customer_details: email === null ? null : viewCustomer(email),
    locale: checkout.locale,
    metadata: checkout.metadata,
    payment_method_types: ['card'],
    ui_mode: 'hosted_page',
    adaptive_pricing: { enabled: false },
    allow_promotion_codes: false,
    automatic_tax: { enabled: false, ...absentMembers(absentOfTax) },
    custom_fields: [],
    custom_text: absentMembers(customTexts),
    customer_creation: 'if_required',
    discounts: [],
    excluded_payment_method_types: [],
    invoice_creation: { enabled: false, invoice_data: absentMembers(invoiceParts) },
    payment_method_collection: 'if_required',
    phone_number_collection: { enabled: false },
    shipping_options: [],
    tax_id_collection: { enabled: false, required: 'never' },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ...absentMembers(absent),
  }
}

function viewCustomer(email: string): NonNullable<CheckoutSessionView['customer_details']> {
  return { email, tax_exempt: 'none', tax_ids: [], ...absentMembers(absentOfCustomer) }
}

/** All lines, as `expand` shows them: there are at most as many as a page of a list may have. */
export function viewLines(checkout: CheckoutSession): z.infer<typeof lineItems> {
  const lines = checkout.lines.map((line) => viewLine(line, checkout))
  return viewList(lineItemsUrl(checkout.checkout_session_id), lines, false)
}
