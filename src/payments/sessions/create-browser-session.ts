// POST /v1/checkout/public/sessions and …/handles/{handle}/sessions: a page creates a session, and its amount is verified.

import { z } from 'zod'
import { currency } from '../../http/currency.ts'
import { type RouteRequest, route } from '../../http/route.ts'
import { timestampOfText } from '../../kernel/values.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { handleAndOrigin, publicKeyAndOrigin } from '../../merchants/public-access.ts'
import type { PublicAccount } from '../../merchants/public-account.ts'
import { bodyCors, handleCors } from '../../merchants/public-cors.ts'
import type { Context } from '../context.ts'
import { amount, metadata, must, nullIfEmpty, reference, text } from '../fields.ts'
import { limitSessionCreates } from '../limits/card-testing.ts'
import { customerMembers, customerOf, items, textBytes } from '../purchase.ts'
import {
  judgeConfirmationUrl,
  modeOrRefuse,
  newSession,
  sessionCreated,
  sessionLine,
  viewCreated,
} from './new-session.ts'
import { checkPrice } from './price-check.ts'

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
  .transform((body) => customerOf(body))
  .meta({ title: 'BrowserCustomerCreate', note: 'The shopper, as a page sends it.' })

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

/** The bodies with which pages create sessions: the same members as a server's, but fewer are required. */
const hostedCreate = z
  .strictObject(purchase)
  .meta({ title: 'HostedPageSessionCreate', note: 'The body with which the hosted page creates a session.' })
type BrowserCreate = z.output<typeof hostedCreate>

const publicCreate = z
  .strictObject({
    public_key: z.string(must('be text')),
    integration: text(200).nullish().meta({ description: 'a name; the default integration where it is left out' }),
    ...purchase,
  })
  .meta({ title: 'BrowserSessionCreate', note: 'The body with which a page creates a session.' })

const browserSessionCreated = sessionCreated
  .extend({
    integration: z.string(),
    amount_verified: z.boolean(),
    amount_verification_source: z.enum(['integration_default', 'price_list', 'none', 'mismatch']),
  })
  .meta({ title: 'BrowserSessionCreated', note: 'A new session of a page. Only here it has its client_secret.' })

const shared = {
  method: 'POST',
  tag: 'In the browser',
  dialect: 'checkout',
  idempotency: 'required',
  status: 201,
  reply: browserSessionCreated,
  refusals: [
    'card_data_rejected',
    'metadata_too_large',
    'currency_required',
    'amount_unverified',
    'key_live_only',
    'acquiring_profile_incomplete',
    'rate_limit_exceeded',
  ],
  admit: async (context: Context, { account }: PublicAccount) => {
    await admitMerchant(context, account.merchant.merchant_id)
  },
} as const

export const createPublicSession = route({
  ...shared,
  path: '/v1/checkout/public/sessions',
  summary: 'Create a session from a page',
  access: publicKeyAndOrigin,
  cors: bodyCors,
  body: publicCreate,
  body_kind: 'basket',
  handle: (context: Context, request) => createFromPage(context, request),
})

export const createHostedSession = route({
  ...shared,
  path: '/v1/checkout/handles/{handle}/sessions',
  summary: 'Create a session from the hosted page',
  access: handleAndOrigin,
  cors: handleCors,
  body: hostedCreate,
  body_kind: 'basket',
  handle: (context: Context, request) => createFromPage(context, request),
})

type Request = Pick<
  RouteRequest<PublicAccount, BrowserCreate, unknown, 'required'>,
  'body' | 'holder' | 'caller' | 'request_id' | 'now' | 'recordReply'
>

async function createFromPage(
  context: Context,
  { body, holder, caller, request_id, now, recordReply }: Request,
): Promise<z.input<typeof browserSessionCreated>> {
  const { account, integration, public_key } = holder
  // Faults of the body are reported before faults of the account.
  judgeConfirmationUrl(body.confirmation_url, integration)
  const request = {
    amount: body.amount ?? null,
    currency: body.currency ?? null,
    items: body.items ?? null,
  }
  const { amount, currency, items, source, detail } = checkPrice(request, integration)
  const mode = modeOrRefuse(holder)
  const session = newSession(context, {
    ...holder,
    purchase: { ...body, amount, currency, items },
    mode,
    minted_by: 'client',
    verification: { source, detail },
    now,
  })
  const reply = {
    ...viewCreated(context, session, now),
    integration: integration.name,
    amount_verified: session.amount_verified,
    amount_verification_source: source,
  }
  const { merchant_id } = account.merchant
  const { address } = caller
  const text_bytes = textBytesOf(body)
  await limitSessionCreates(context, { merchant_id, public_key, address, mode, text_bytes, now })
  const line = sessionLine(context, session, { actor: `page ${public_key}`, request_id })
  await context.insertSession({ session, key: recordReply(reply), line })
  return reply
}

/** The size of the members that a page can make long. All others are limited to a few hundred letters. */
function textBytesOf({ items, customer, metadata }: BrowserCreate): number {
  const others = JSON.stringify([customer ?? null, metadata ?? null])
  return textBytes(items ?? []) + Buffer.byteLength(others)
}
