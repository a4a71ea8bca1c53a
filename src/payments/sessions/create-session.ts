// POST /v1/checkout/sessions: a merchant's server creates a session for one amount and one shopper.

import { secretKey } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import type { Context } from '../context.ts'
import { sessionCreate } from '../purchase.ts'
import { judgeConfirmationUrl, sessionCreated, sessionLine, viewCreated } from './new-session.ts'
import { priceBasket } from './price-check.ts'
import { admitServer, newServerSession, placeOf, serverSessionRefusals } from './server-session.ts'

export const createSession = route({
  method: 'POST',
  path: '/v1/checkout/sessions',
  tag: 'Checkout sessions',
  summary: 'Create a checkout session',
  access: secretKey('create_payments'),
  mode: 'handler',
  dialect: 'checkout',
  idempotency: 'required',
  body: sessionCreate,
  body_kind: 'basket',
  status: 201,
  reply: sessionCreated,
  refusals: serverSessionRefusals,
  admit: admitServer,
  handle: async (context: Context, { body, holder: key, request_id, now, recordReply }) => {
    const place = await placeOf(context, key)
    const { integration } = place
    // Faults of the body are reported before faults of the account.
    judgeConfirmationUrl(body.confirmation_url, integration)
    const lines = body.items && body.items.length > 0 ? body.items : null
    const list = integration?.price_list ?? null
    const items = lines && priceBasket(lines, { list, currency: body.currency, sent_by: 'server' })
    const session = newServerSession(context, place, { purchase: { ...body, items }, now })
    const reply = viewCreated(context, session, now)
    const line = sessionLine(context, session, { actor: `key ${key.key_id}`, request_id })
    await context.insertSession({ session, key: recordReply(reply), line })
    return reply
  },
})
