// POST /v1/checkout/sessions of the other platform: a page on which a shopper pays for these lines.

import { z } from 'zod'
import { bearerKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/values.ts'
import { type Integration, returnUrlFault } from '../../merchants/integration.ts'
import { ownDefault } from '../../merchants/own-default.ts'
import {
  type CheckoutSession,
  checkout_life_least_ms,
  checkout_life_ms,
  successUrl,
} from '../../payments/checkout-session.ts'
import { checkoutUrl } from '../../payments/checkout-sessions/checkout-url.ts'
import { createCheckout, newCheckout, unopened } from '../../payments/checkout-sessions/create-checkout.ts'
import type { Context } from '../../payments/context.ts'
import { modeOrRefuse } from '../../payments/sessions/new-session.ts'
import { admitServer, placeOf, serverSessionRefusals } from '../../payments/sessions/server-session.ts'
import type { Address } from '../addresses.ts'
import { explainCheckout } from './checkout-advice.ts'
import { type CheckoutCreate, checkoutCreate, checkoutForm } from './checkout-body.ts'
import { checkoutSession, viewCheckout, viewLines } from './checkout-session.ts'
import { sellLines } from './sell-lines.ts'

export const createCheckoutAt = (address: Address): Route<Context> =>
  route({
    method: 'POST',
    ...address,
    tag: 'Compatible',
    summary: 'Create a compatible Checkout Session',
    access: bearerKey('create_payments'),
    mode: 'handler',
    dialect: 'compatible',
    idempotency: 'compatible',
    query: z.strictObject({}),
    body: checkoutCreate,
    body_kind: 'lines',
    form: checkoutForm,
    explain: explainCheckout,
    status: 200,
    reply: checkoutSession,
    refusals: serverSessionRefusals,
    admit: admitServer,
    handle: async (context: Context, { body, holder: key, request_id, now, recordReply }) => {
      const place = await placeOf(context, key)
      const { merchant_id, routing } = place.account.merchant
      const actor = `key ${key.key_id}` as const
      // It decides the mode, and a refusal may name it.
      const integration =
        place.integration ??
        (await ownDefault({ ...context, clock: context.world.clock, actor, request_id }, place.account))
      const mode = modeOrRefuse({ ...place, integration })
      const id = context.ids.checkoutSession(routing, mode, now)
      judgeUrls(body, { checkout_session_id: id, mode, integration })
      const expires_at = endOf(body, now)
      const sale = sellLines(id, body.line_items, integration)
      const checkout = newCheckout({
        merchant_id,
        checkout_session_id: id,
        mode,
        ...sale,
        success_url: body.success_url,
        cancel_url: body.cancel_url ?? null,
        customer_email: body.customer_email ?? null,
        client_reference_id: body.client_reference_id ?? null,
        metadata: body.metadata ?? {},
        payment_metadata: body.payment_intent_data?.metadata ?? {},
        locale: body.locale ?? null,
        integration_id: integration.integration_id,
        public_key: place.public_key,
        created_at: now,
        expires_at,
      })
      const view = viewCheckout(unopened(checkout), checkoutUrl(context, checkout))
      const reply = body.expand?.has('line_items') ? { ...view, line_items: viewLines(checkout) } : view
      await createCheckout(context, checkout, { key: recordReply(reply), actor, request_id })
      return reply
    },
  })

type Judged = Pick<CheckoutSession, 'checkout_session_id'> & { mode: Mode; integration: Integration }

/** Throws `invalid_request` if shoppers may not be sent to these addresses. */
function judgeUrls(
  { success_url, cancel_url }: CheckoutCreate,
  { checkout_session_id, mode, integration }: Judged,
): void {
  const urls = { success_url: successUrl({ success_url, checkout_session_id }), cancel_url }
  for (const [field, url] of Object.entries(urls)) {
    const words = url ? returnUrlFault(url, integration, mode) : null
    if (words !== null) throw new Refusal('invalid_request', `${field} ${words}.`, { field })
  }
}

function endOf({ expires_at }: CheckoutCreate, now: Date): Date {
  const last = new Date(now.getTime() + checkout_life_ms)
  if (expires_at === null || expires_at === undefined) return last
  const at_ms = expires_at * 1000
  if (at_ms >= now.getTime() + checkout_life_least_ms && at_ms <= last.getTime()) return new Date(at_ms)
  const words = 'expires_at must be 30 minutes to 24 hours ahead, in Unix seconds.'
  throw new Refusal('invalid_request', words, { field: 'expires_at' })
}
