// POST /v1/checkout/sessions/{session_id}/expire: a merchant's server ends an unpaid session.

import { z } from 'zod'
import { secretKey } from '../../http/access.ts'
import { storeKey } from '../../http/key-gate.ts'
import { route } from '../../http/route.ts'
import type { SessionId } from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../context.ts'
import { modeOfSessionAt } from '../reading/mode-store.ts'
import { noSession, sessionView, viewSession } from '../reading/read-session.ts'
import { refuseUnlessOpen, statusAt } from '../session.ts'
import { endSession } from '../sessions/end-session.ts'
import { findSessionAndHold } from '../sessions/session-store.ts'

/** How many races a request may lose. More than that means that something else is wrong. */
const tries_max = 5

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
    for (let tries = 0; tries < tries_max; tries++) {
      const found = await findSessionAndHold(sql, place)
      if (!found) throw noSession()
      const { session, hold } = found
      // Read after the session: the process may have stood still since the request came.
      const now = world.clock.now()
      const status = statusAt(session, now)
      if (status === 'declined' || status === 'expired') {
        const reply = viewSession(session, hold, now)
        await storeKey(sql, recordReply(reply))
        return reply
      }
      refuseUnlessOpen(session, now)
      const endedSession = await endSession(context, session, {
        cancellation: 'expired',
        cause: { actor: `key ${holder.key_id}`, request_id },
        keyFor: (ended) => recordReply(viewSession(ended, hold, now)),
      })
      if (endedSession) return viewSession(endedSession, hold, now)
    }
    throw new Error('the session changed under every try to end it')
  },
})
