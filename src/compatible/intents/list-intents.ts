// GET /v1/payment_intents: the sessions of a merchant in the other platform's words, newest first. Purged ones are gone.

import { bearerKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import type { Address } from '../addresses.ts'
import { expandInList } from '../expand.ts'
import { explain } from '../faults.ts'
import { listMembers, listView, pageOf, pageRequestOf, queryOf, viewList } from '../lists.ts'
import { expandIntents, intentParts } from './expand-intents.ts'
import { paymentIntent, viewIntent } from './intent.ts'
import { listIntents } from './intent-store.ts'

const url = '/v1/payment_intents'

export const listIntentsAt = (address: Address): Route<Context> =>
  route({
    method: 'GET',
    ...address,
    tag: 'Compatible',
    summary: 'List payment intents',
    access: bearerKey('read_transactions'),
    mode: 'handler',
    dialect: 'compatible',
    query: queryOf({ ...listMembers, expand: expandInList(intentParts) }),
    explain,
    status: 200,
    reply: listView(paymentIntent, url).meta({
      title: 'PaymentIntentList',
      note: 'A page of payment intents, newest first.',
    }),
    refusals: [],
    admit: admitKey,
    handle: async ({ sql }: Context, { holder, query, now, only_mode: mode }) => {
      const { merchant_id } = holder
      const request = pageRequestOf(query)
      const page = await listIntents(sql, { merchant_id, mode }, request)
      const { rows, has_more } = pageOf(page, request, 'payment intent')
      const intents = rows.map((row) => viewIntent(row, { now }))
      const data = await expandIntents(sql, merchant_id, { intents, expand: query.expand })
      return viewList(url, data, has_more)
    },
  })
