// POST /v1/checkout/public/sessions and …/handles/{handle}/sessions: a page creates a session, and its amount is verified.

import { z } from 'zod'
import { type RouteRequest, route } from '../../http/route.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { handleAndOrigin, publicKeyAndOrigin } from '../../merchants/public-access.ts'
import type { PublicAccount } from '../../merchants/public-account.ts'
import { bodyCors, handleCors } from '../../merchants/public-cors.ts'
import type { Context } from '../context.ts'
import { limitSessionCreates } from '../limits/card-testing.ts'
import { textBytes } from '../purchase.ts'
import { type BrowserCreate, hostedCreate, publicCreate } from './browser-body.ts'
import {
  judgeConfirmationUrl,
  modeOrRefuse,
  newSession,
  sessionCreated,
  sessionLine,
  viewCreated,
} from './new-session.ts'
import { checkPrice } from './price-check.ts'

const browserSessionCreated = sessionCreated.extend({
  integration: z.string(),
  amount_verified: z.boolean(),
  amount_verification_source: z.enum(['integration_default', 'price_list', 'none', 'mismatch']),
})

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
  const asked = {
    amount: body.amount ?? null,
    currency: body.currency ?? null,
    items: body.items ?? null,
  }
  const { amount, currency, items, source, detail } = checkPrice(asked, integration)
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
