// GET /v1/payment_intents/{session_id}: a session, read in the other platform's words.

import { bearerKey } from '../http/access.ts'
import { type Route, route } from '../http/route.ts'
import { Refusal } from '../kernel/errors.ts'
import { admitKey } from '../merchants/admit.ts'
import type { Context } from '../payments/context.ts'
import type { Address } from './addresses.ts'
import { expandOf } from './expand.ts'
import { expandIntents, intentParts } from './expand-intents.ts'
import { explain } from './faults.ts'
import { paymentIntent, viewIntent } from './intent.ts'
import { findIntent } from './intent-store.ts'
import { queryOf } from './lists.ts'

export const readIntentAt = ({ path, alias_of }: Address): Route<Context> =>
  route({
    method: 'GET',
    path: `${path}/{session_id}`,
    alias_of: alias_of && `${alias_of}/{session_id}`,
    tag: 'Compatible',
    summary: 'Read a payment intent',
    access: bearerKey('read_transactions'),
    mode: { of: 'reply', unknown: noIntent },
    dialect: 'compatible',
    query: queryOf({ expand: expandOf(intentParts) }),
    explain,
    status: 200,
    reply: paymentIntent,
    unknownId: noIntent,
    refusals: ['resource_not_found'],
    admit: admitKey,
    handle: async ({ sql }: Context, { holder, params, query, now }) => {
      const { merchant_id } = holder
      const rows = await findIntent(sql, { merchant_id, session_id: params.session_id! })
      if (!rows) throw noIntent()
      const intents = [viewIntent(rows, { now })]
      const [intent] = await expandIntents(sql, merchant_id, { intents, expand: query.expand })
      return intent!
    },
  })

function noIntent(): Refusal {
  return new Refusal('resource_not_found', 'There is no payment intent with this id.', {
    field: 'intent',
  })
}
