// POST /v1/checkout/sessions: a merchant's server opens a session for one amount and one shopper.

import { secretKey } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import type { Context } from '../context.ts'
import { sessionCreate } from '../purchase.ts'
import { admitServer, mintRefusals, mintSession, placeOf } from './mint-session.ts'
import { judgeConfirmationUrl, sessionCreated, sessionLine, viewCreated } from './open-session.ts'
import { priceBasket } from './price-check.ts'

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
  refusals: mintRefusals,
  admit: admitServer,
  handle: async (context: Context, { body, holder: key, request_id, now, recordReply }) => {
    const place = await placeOf(context, key)
    const { integration } = place
    // What is wrong with the body is told before what is wrong with the account.
    judgeConfirmationUrl(body.confirmation_url, integration)
    const lines = body.items && body.items.length > 0 ? body.items : null
    const list = integration?.price_list ?? null
    const items = lines && priceBasket(lines, { list, currency: body.currency, sent_by: 'server' })
    const session = mintSession(context, place, { purchase: { ...body, items }, now })
    const reply = viewCreated(context, session, now)
    const line = sessionLine(context, session, { actor: `key ${key.key_id}`, request_id })
    await context.writeSession({ session, key: recordReply(reply), line })
    return reply
  },
})
