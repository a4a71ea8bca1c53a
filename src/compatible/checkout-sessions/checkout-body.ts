// The body that creates a Checkout Session, as JSON or as a form. What asks for nothing but what is so is taken without effect.

import { z } from 'zod'
import { currency } from '../../http/currency.ts'
import type { FormRules } from '../../http/form.ts'
import { amount_max } from '../../kernel/values.ts'
import {
  email,
  longReference,
  metadata,
  must,
  nullIfEmpty,
  optionalText,
  text,
  wholeNumber,
} from '../../payments/fields.ts'
import { totalFault } from '../../payments/purchase.ts'
import { expandOf } from '../expand.ts'

export const checkoutParts = ['line_items', 'payment_intent', 'payment_intent.latest_charge'] as const

export const checkoutForm: FormRules = {
  integers: ['quantity', 'unit_amount', 'expires_at'],
  maps: ['metadata'],
  nested: { booleans: ['enabled', 'allow_promotion_codes'] },
}

/** A value that a form may leave empty. `why` says what there is in place of others. */
const choice = <const Values extends readonly string[]>(values: Values, why = '') =>
  z.preprocess(
    nullIfEmpty,
    z.enum(values, must(`be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}${why}`)).nullish(),
  )

const off = (what: string) => z.literal(false, `must be false: ${what}`)
const tax_words = 'prices include their tax'

const switchedOff = (what: string) => z.object({ enabled: off(what) }, must('be an object')).nullish()

const productData = z.strictObject(
  {
    name: text(5000).regex(/\S/, must('not be blank')),
    description: optionalText(40_000),
    images: z.array(text(2048), must('be a list')).max(8, must('have at most 8 entries')).nullish(),
    metadata: metadata.nullish(),
  },
  must('be an object'),
)

const priceData = z.strictObject(
  {
    currency,
    unit_amount: wholeNumber(0, amount_max).meta({
      description: `tax inclusive; times quantity at most ${amount_max}`,
    }),
    product_data: productData,
    tax_behavior: choice(['exclusive', 'inclusive', 'unspecified']),
  },
  must('be an object'),
)

const lineItem = z
  .strictObject(
    {
      price: text(200).nullish().meta({ description: 'a sku of the default integration’s price list' }),
      price_data: priceData.nullish(),
      quantity: wholeNumber(1, 1_000_000),
    },
    must('be an object'),
  )
  .superRefine(({ price, price_data, quantity }, context) => {
    if (!price === !price_data) {
      const message = price ? 'cannot be sent with price: send one of them' : 'is required where there is no price'
      context.addIssue({ code: 'custom', message, path: ['price_data'] })
      return
    }
    const message = price_data && totalFault({ quantity, unit_amount: price_data.unit_amount })
    if (message) context.addIssue({ code: 'custom', message, path: ['price_data', 'unit_amount'] })
  })
  .meta({ title: 'CheckoutLineItemCreate', note: 'A line of a Checkout Session, as it is sent.' })
export type LineItem = z.output<typeof lineItem>

/** Those that the other platform knows. A language that the page does not have is replaced by the browser's. */
const locales = [
  ...['auto', 'bg', 'cs', 'da', 'de', 'el', 'en', 'en-GB', 'es', 'es-419', 'et', 'fi', 'fil', 'fr', 'fr-CA', 'hr'],
  ...[
    'hu',
    'id',
    'it',
    'ja',
    'ko',
    'lt',
    'lv',
    'ms',
    'mt',
    'nb',
    'nl',
    'pl',
    'pt',
    'pt-BR',
    'ro',
    'ru',
    'sk',
    'sl',
    'sv',
  ],
  ...['th', 'tr', 'vi', 'zh', 'zh-HK', 'zh-TW'],
] as const

const modeWords = (issue: { input?: unknown }) =>
  issue.input === undefined ? 'is required' : 'must be payment: there are no subscriptions, and cards are not stored'

export const checkoutCreate = z
  .strictObject({
    mode: z.literal('payment', { error: modeWords }),
    line_items: z
      .array(lineItem, must('be a list'))
      .min(1, must('have at least one entry'))
      .max(100, must('have at most 100 entries')),
    success_url: text(2048).meta({
      description: 'where the shopper goes after paying; `{CHECKOUT_SESSION_ID}` in it becomes the id',
    }),
    cancel_url: text(2048).nullish().meta({ description: 'where the page’s arrow leads back to' }),
    customer_email: email.nullish().meta({ description: 'where it is empty the page asks for it' }),
    client_reference_id: longReference
      .nullish()
      .meta({ description: 'your name of the order; the payment’s order reference where it can be one' }),
    metadata: metadata.nullish(),
    payment_intent_data: z
      .strictObject({ metadata: metadata.nullish() }, must('be an object'))
      .nullish()
      .meta({ description: 'its metadata is that of the payment' }),
    locale: choice(locales).meta({ description: 'the language of the page; the browser’s where it is absent or auto' }),
    expires_at: z
      .int(must('be Unix seconds'))
      .nullish()
      .meta({ description: 'Unix seconds, 30 minutes to 24 hours ahead; 24 hours ahead where it is absent' }),
    expand: expandOf(checkoutParts),
    payment_method_types: z
      .array(z.literal('card', 'can only be card'), must('be a list'))
      .min(1, must('have an entry'))
      .nullish(),
    ui_mode: choice(['hosted', 'hosted_page']),
    submit_type: choice(['auto', 'book', 'donate', 'pay']),
    customer_creation: choice(['if_required']),
    billing_address_collection: choice(['auto'], ': the page asks for no address. Ask for it in your shop'),
    phone_number_collection: z
      .strictObject(
        { enabled: off('the page asks for no phone number. Ask for it in your shop') },
        must('be an object'),
      )
      .nullish(),
    automatic_tax: switchedOff(tax_words),
    invoice_creation: switchedOff('there are no invoices'),
    allow_promotion_codes: z.preprocess(nullIfEmpty, off('there are no promotion codes').nullish()),
  })
  .meta({ title: 'CheckoutSessionCompatibleCreate', note: 'The body that creates a Checkout Session.' })
export type CheckoutCreate = z.output<typeof checkoutCreate>
