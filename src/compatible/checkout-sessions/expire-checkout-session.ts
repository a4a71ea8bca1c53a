// POST /v1/checkout/sessions/{id}/expire of the other platform: ends a Checkout Session that nobody pays.

import { z } from 'zod'
import { bearerKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { StandingCheckout } from '../../payments/checkout-session.ts'
import { endCheckout } from '../../payments/checkout-sessions/end-checkout.ts'
import type { Context } from '../../payments/context.ts'
import type { Address } from '../addresses.ts'
import { expandOf } from '../expand.ts'
import { explainCheckout } from './checkout-advice.ts'
import { checkoutParts } from './checkout-body.ts'
import { checkoutSession } from './checkout-session.ts'
import {
  checkoutMode,
  checkoutSessionOrRefuse,
  noCheckoutSession,
  oneAt,
  viewCheckoutSessions,
} from './read-checkout-session.ts'

export const expireCheckoutAt = (address: Address): Route<Context> =>
  route({
    method: 'POST',
    ...oneAt(address, '/expire'),
    tag: 'Compatible',
    summary: 'Expire a compatible Checkout Session',
    access: bearerKey('create_payments'),
    mode: checkoutMode,
    dialect: 'compatible',
    idempotency: 'compatible',
    query: z.strictObject({}),
    body: z.strictObject({ expand: expandOf(checkoutParts) }),
    body_optional: true,
    form: { integers: [], maps: [] },
    explain: explainCheckout,
    status: 200,
    reply: checkoutSession,
    unknownId: noCheckoutSession,
    refusals: ['resource_not_found'],
    admit: admitKey,
    handle: async (context: Context, { body, holder, params, request_id, recordReply }) =>
      endCheckout(context, {
        cause: { actor: `key ${holder.key_id}`, request_id },
        find: (now) => checkoutSessionOrRefuse(context, { holder, params, now }),
        refusalOf,
        answer: async (checkout, now) => {
          const [reply] = await viewCheckoutSessions(context, [checkout], { key: holder, expand: body.expand, now })
          return { reply: reply!, key: recordReply(reply) }
        },
      }),
  })

function refusalOf({ status, session_status }: StandingCheckout): Refusal | null {
  if (status === 'open' && session_status !== 'processing') return null
  const words =
    session_status === 'processing'
      ? 'A payment of this Checkout Session is being processed: wait for its end.'
      : `Only a Checkout Session that is open can be expired; this one is ${status}.`
  return new Refusal('invalid_request', words, { field: 'session' })
}
