// GET /v1/charges: the charges of a merchant, or that of one payment intent, newest first.

import { bearerKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import type { Address } from '../addresses.ts'
import { explain } from '../faults.ts'
import { idText, listMembers, listView, pageOf, pageRequestOf, queryOf, viewList } from '../lists.ts'
import { paymentOf } from '../refunds/list-refunds.ts'
import { listCharges } from '../refunds/refund-list-store.ts'
import { charge, viewCharge } from './charge.ts'

const url = '/v1/charges'

export const listChargesAt = (address: Address): Route<Context> =>
  route({
    method: 'GET',
    ...address,
    tag: 'Compatible',
    summary: 'List charges',
    access: bearerKey('read_transactions'),
    mode: 'handler',
    dialect: 'compatible',
    query: queryOf({ ...listMembers, payment_intent: idText.optional() }),
    explain,
    status: 200,
    reply: listView(charge, url).meta({ title: 'ChargeList', note: 'A page of charges, newest first.' }),
    refusals: ['resource_not_found'],
    admit: admitKey,
    handle: async ({ sql }: Context, { holder, query, only_mode: mode }) => {
      const { merchant_id } = holder
      const request = pageRequestOf(query)
      const payment_id = await paymentOf(sql, { merchant_id, mode }, query)
      const page = await listCharges(sql, { merchant_id, mode, payment_id }, request)
      const { rows, has_more } = pageOf(page, request, 'charge')
      return viewList(url, rows.map(viewCharge), has_more)
    },
  })
