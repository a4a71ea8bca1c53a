// The bodies with which pages create sessions: the same members as a server's, but fewer are required.

import { z } from 'zod'
import { currency } from '../../http/currency.ts'
import { timestampOfText } from '../../kernel/values.ts'
import { amount, metadata, must, nullIfEmpty, reference, text } from '../fields.ts'
import { customerMembers, customerOf, items, textBytes } from '../purchase.ts'

const time = z.iso
  .datetime({ offset: true, abort: true, ...must('be an ISO 8601 time with an offset') })
  // A time zone can move the year to five digits in UTC, which our format of times does not allow.
  .refine((text) => /^\d{4}-/.test(new Date(text).toISOString()), must('be in the years 0 to 9999'))
  .transform(timestampOfText)
  .meta({
    type: 'string',
    format: 'date-time',
    description: "when the shopper's account was made, with an offset",
  })

const accountCreated = z.preprocess(nullIfEmpty, time.nullish()).optional()

const customer = z
  .strictObject({ ...customerMembers, account_created: accountCreated }, must('be an object'))
  .transform((sent) => customerOf(sent))

/** A hundred lines of some 240 letters each. It is limited because anybody can make a page store texts. */
const texts_bytes_max = 24_576

const pageItems = items
  .refine(
    (lines) => textBytes(lines) <= texts_bytes_max,
    must(`have at most ${texts_bytes_max} bytes of sku, name and type in all`),
  )
  .meta({ description: `${texts_bytes_max} UTF-8 bytes of sku, name and type in all lines` })

const purchase = {
  amount: amount.nullish().meta({
    description: 'in minor units; may be left out where the integration or its price list gives it',
  }),
  currency: currency
    .nullish()
    .meta({ description: 'ISO 4217, in any case; may be left out where the integration gives it' }),
  items: pageItems.nullish(),
  customer: customer.nullish(),
  metadata: metadata.nullish(),
  order_reference: reference.nullish(),
  confirmation_url: text(2048).nullish().meta({ description: "https, on one of the integration's allowed origins" }),
}

export const hostedCreate = z.strictObject(purchase)
export type BrowserCreate = z.output<typeof hostedCreate>

export const publicCreate = z.strictObject({
  public_key: z.string(must('be text')),
  integration: text(200).nullish().meta({ description: 'a name; the default integration where it is left out' }),
  ...purchase,
})
