// A test payment from the dashboard: a session in test mode, and a shopper who pays it at the simulator.

import { z } from 'zod'
import { actorOf } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { type Account, defaultIntegration } from '../../merchants/directory.ts'
import type { Context } from '../../payments/context.ts'
import { sessionConflicts } from '../../payments/session.ts'
import { newSession, sessionLine } from '../../payments/sessions/new-session.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { findTestSession, payTestSession } from './pay-test-session.ts'
import { isTestOutcome, test_outcomes } from './test-outcomes.ts'

const shared = {
  method: 'POST' as const,
  tag: 'Dashboard',
  dialect: 'dashboard' as const,
  // The sessions of these routes are all in test mode.
  access: signedIn('create_payments', { mode: async () => 'test' }),
}

const shopper = { email: 'shopper@example.com', name: 'Test Shopper' }
const amount = 4200
const usual_currency = 'GBP'

export const beginTestPayment = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/test-payments',
  summary: 'Make a session in test mode, which a test shopper is to pay',
  idempotency: 'required',
  body: z.strictObject({ outcome: z.enum(test_outcomes) }),
  status: 201,
  reply: z.object({
    session_id: z.string(),
    email: z.string(),
    amount: z.int(),
    currency: z.string(),
  }),
  refusals: ['merchant_not_active'],
  handle: async (context: Context, { body, holder, request_id, now, recordReply }) => {
    const { outcome } = body
    const account = await admitMerchant(context, holder.merchant_id)
    const integration = simulatedIntegration(account)
    const currency = integration?.default_currency ?? usual_currency
    const session = newSession(context, {
      account,
      integration,
      public_key: null,
      mode: 'test',
      now,
      purchase: {
        amount,
        currency,
        items: null,
        metadata: { test_payment: outcome },
        customer: { ...shopper, account_created: null, account_id: null, metadata: null },
      },
      // A payment is held where a page named an amount that nothing could check.
      ...(outcome === 'held'
        ? { minted_by: 'client', verification: { source: 'none', detail: null } }
        : { minted_by: 'server', verification: { source: 'server_minted', detail: null } }),
    })
    const reply = { session_id: session.session_id, email: shopper.email, amount, currency }
    const line = sessionLine(context, session, { actor: actorOf(holder), request_id })
    await context.insertSession({ session, key: recordReply(reply), line })
    return reply
  },
})

export const payTestPayment = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/test-payments/{session_id}/pay',
  summary: 'Pay a session of a test payment as its shopper would; a paid one answers as before',
  body: z.strictObject({}),
  body_optional: true,
  status: 200,
  reply: z.object({ payment_id: z.string(), status: z.string() }),
  refusals: ['merchant_not_active', 'three_ds_provider_unavailable', ...sessionConflicts],
  handle: async (context: Context, { holder, params, ...request }) => {
    const { merchant_id } = holder
    const found = await findTestSession(context, { merchant_id, session_id: params.session_id! })
    if (!found || !isTestOutcome(found.metadata.test_payment)) throw notThere()
    const { payment_id, status } = await payTestSession(context, request, found)
    return { payment_id, status }
  },
})

/** The default integration, unless its tests are paid at a vendor's sandbox, which does not know our test cards. */
function simulatedIntegration(account: Account) {
  const integration = defaultIntegration(account)
  return integration?.test_connections.length === 0 ? integration : null
}
