// POST /v1/checkout/sessions/{session_id}/expire: a merchant's server ends an unpaid session, and with it the Checkout Session whose
// page made it.

import { z } from 'zod'
import { retryRaces } from '../../database/retry-races.ts'
import { secretKey } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import type { SessionId } from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import { endCheckoutOf } from '../checkout-sessions/end-checkout.ts'
import type { Context } from '../context.ts'
import { modeOfSessionAt } from '../reading/mode-store.ts'
import { noSession, sessionView, viewSession } from '../reading/read-session.ts'
import { refuseUnlessOpen, statusAt } from '../session.ts'
import { type End, endLapsed, endSession } from '../sessions/end-session.ts'
import { findSessionAndHold } from '../sessions/session-store.ts'

export const expireSession = route({
  method: 'POST',
  path: '/v1/checkout/sessions/{session_id}/expire',
  tag: 'Checkout sessions',
  summary: 'End an unpaid checkout session',
  access: secretKey('create_payments'),
  mode: { of: modeOfSessionAt, unknown: noSession },
  dialect: 'checkout',
  idempotency: 'required',
  body: z.strictObject({}),
  body_optional: true,
  status: 200,
  reply: sessionView,
  refusals: ['resource_not_found', 'session_completed', 'session_processing'],
  admit: admitKey,
  handle: async (context: Context, { holder, params, request_id, recordReply }) => {
    const { sql, world } = context
    const place = { merchant_id: holder.merchant_id, session_id: params.session_id as SessionId }
    return retryRaces('the session', async () => {
      const row = await findSessionAndHold(sql, place)
      if (!row) throw noSession()
      const { session, hold } = row
      // Read after the session: the process may have stood still since the request came.
      const now = world.clock.now()
      const status = statusAt(session, now)
      if (status === 'declined' || status === 'expired') {
        const reply = viewSession(session, hold, now)
        return (await endLapsed(sql, session, { now, key: recordReply(reply) })) ? reply : null
      }
      refuseUnlessOpen(session, now)
      const end: End = {
        cancellation: 'expired',
        cause: { actor: `key ${holder.key_id}`, request_id },
        keyFor: (ended) => recordReply(viewSession(ended, hold, now)),
      }
      const ended = await (session.checkout_session_id === null
        ? endSession(context, session, end)
        : endCheckoutOf(context, session, end))
      return ended && viewSession(ended, hold, now)
    })
  },
})
