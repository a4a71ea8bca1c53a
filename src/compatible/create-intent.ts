// POST /v1/payment_intents: a session, created in the other platform's words.

import { z } from 'zod'
import type { Context } from '../checkout/context.ts'
import { clientSecretOf } from '../checkout/sessions/client-secret.ts'
import { sessionLine } from '../checkout/sessions/new-session.ts'
import { admitServer, newServerSession, placeOf, serverSessionRefusals } from '../checkout/sessions/server-session.ts'
import { bearerKey } from '../http/access.ts'
import { type Route, route } from '../http/route.ts'
import type { Address } from './addresses.ts'
import { explain } from './faults.ts'
import { paymentIntent, viewIntent } from './intent.ts'
import { intentCreate, intentForm, purchaseOf } from './intent-body.ts'

export const createIntentAt = (address: Address): Route<Context> =>
  route({
    method: 'POST',
    ...address,
    tag: 'Compatible',
    summary: 'Create a payment intent',
    access: bearerKey('create_payments'),
    mode: 'handler',
    dialect: 'compatible',
    idempotency: 'compatible',
    query: z.strictObject({}),
    body: intentCreate,
    body_kind: 'basket',
    form: intentForm,
    explain,
    status: 200,
    reply: paymentIntent,
    refusals: serverSessionRefusals,
    admit: admitServer,
    handle: async (context: Context, { body, holder: key, request_id, now, recordReply }) => {
      const place = await placeOf(context, key)
      const reference_key = place.integration?.order_reference_metadata_key ?? null
      const session = newServerSession(context, place, {
        purchase: purchaseOf(body, reference_key),
        now,
      })
      const client_secret = clientSecretOf(context.keyring, session.session_id)
      const rows = { session, payment_status: null, hold: null, step: null }
      const reply = viewIntent(rows, { now, client_secret })
      const line = sessionLine(context, session, { actor: `key ${key.key_id}`, request_id })
      await context.insertSession({ session, key: recordReply(reply), line })
      return reply
    },
  })
