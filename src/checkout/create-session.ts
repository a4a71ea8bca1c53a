// POST /v1/checkout/sessions: a merchant's server opens a session for one amount and one shopper.

import type { Context } from '../context.ts'
import { Refusal } from '../errors.ts'
import { type SecretKey, secretKey } from '../http/access.ts'
import { route } from '../http/route.ts'
import { admitMerchant } from '../merchants/admit.ts'
import { defaultIntegration } from '../merchants/directory.ts'
import {
  judgeConfirmationUrl,
  modeOrRefuse,
  newSession,
  type Place,
  sessionCreated,
  sessionLine,
  viewCreated,
} from './open-session.ts'
import { priceBasket } from './price-check.ts'
import { sessionCreate } from './purchase.ts'

export const createSession = route({
  method: 'POST',
  path: '/v1/checkout/sessions',
  tag: 'Checkout sessions',
  summary: 'Create a checkout session',
  door: secretKey('create_payments'),
  dialect: 'checkout',
  idempotency: 'required',
  body: sessionCreate,
  status: 201,
  reply: sessionCreated,
  refusals: [
    'public_key_missing',
    'card_data_rejected',
    'metadata_too_large',
    'key_live_only',
    'acquiring_profile_incomplete',
  ],
  admit: async (context: Context, key: SecretKey) => {
    if (!key.publishable_key) {
      throw new Refusal(
        'public_key_missing',
        'The secret key has no publishable key paired with it.',
      )
    }
    await admitMerchant(context, key.merchant_id)
  },
  handle: async (context: Context, { body, holder: key, request_id, now, recordReply }) => {
    const account = await admitMerchant(context, key.merchant_id)
    const integration = defaultIntegration(account)
    const place: Place = {
      account,
      integration,
      public_key: key.publishable_key!,
      key_mode: key.mode,
    }
    // What is wrong with the body is told before what is wrong with the account.
    judgeConfirmationUrl(body.confirmation_url, integration)
    const lines = body.items && body.items.length > 0 ? body.items : null
    const items = lines && priceBasket(lines, integration?.price_list ?? null, body.currency)
    const session = newSession(context, {
      ...place,
      purchase: { ...body, items },
      mode: modeOrRefuse(place),
      minted_by: 'server',
      // The merchant's own server named the amount: there is nothing more to check it against.
      verification: { source: 'server_minted', detail: null },
      now,
    })
    const reply = viewCreated(context, session, now)
    const line = sessionLine(context, session, { actor: `key ${key.key_id}`, request_id })
    await context.writeSession({ session, key: recordReply(reply), line })
    return reply
  },
})
