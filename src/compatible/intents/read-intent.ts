// GET /v1/payment_intents/{session_id}: a session, read in the other platform's words.

import type { Sql } from '../../database/open.ts'
import { bearerKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import type { Address } from '../addresses.ts'
import { expandOf } from '../expand.ts'
import { explain } from '../faults.ts'
import { queryOf } from '../lists.ts'
import { type Expand, expandIntents, intentParts } from './expand-intents.ts'
import { type IntentRows, type PaymentIntent, paymentIntent, viewIntent } from './intent.ts'
import { findIntent } from './intent-store.ts'

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
    handle: (context: Context, { holder, params, query }) =>
      readIntent(context, { merchant_id: holder.merchant_id, session_id: params.session_id! }, query.expand),
  })

export type IntentPlace = { merchant_id: string; session_id: string }

/** The payment intent as it is now, with what is expanded. Throws `resource_not_found`. */
export async function readIntent(
  { sql, world }: Pick<Context, 'sql' | 'world'>,
  place: IntentPlace,
  expand: Expand,
): Promise<PaymentIntent> {
  const rows = await intentOrRefuse(sql, place)
  const intents = [viewIntent(rows, { now: world.clock.now() })]
  const [intent] = await expandIntents(sql, place.merchant_id, { intents, expand })
  return intent!
}

/** Throws `resource_not_found`. */
export async function intentOrRefuse(sql: Sql, place: IntentPlace): Promise<IntentRows> {
  const rows = await findIntent(sql, place)
  if (!rows) throw noIntent()
  return rows
}

export function noIntent(): Refusal {
  return noIntentAt('intent')
}

/** `field` is what named it. */
export function noIntentAt(field: string): Refusal {
  return new Refusal('resource_not_found', 'There is no payment intent with this id.', { field })
}
