// GET /v1/refunds/{refund_id}: a refund, read in the other platform's words.

import { z } from 'zod'
import { bearerKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import { modeOfRefund } from '../../payments/reading/mode-store.ts'
import { findRefund } from '../../payments/reading/refund-store.ts'
import type { Address } from '../addresses.ts'
import { explain } from '../faults.ts'
import { compatibleRefund, viewCompatibleRefund } from './refund.ts'

export const readRefundAt = ({ path, alias_of }: Address): Route<Context> =>
  route({
    method: 'GET',
    path: `${path}/{refund_id}`,
    alias_of: alias_of && `${alias_of}/{refund_id}`,
    tag: 'Compatible',
    summary: 'Read a refund of a payment intent',
    access: bearerKey('read_transactions'),
    mode: { of: modeOfRefund, unknown: noRefund },
    dialect: 'compatible',
    query: z.strictObject({}),
    explain,
    status: 200,
    reply: compatibleRefund,
    unknownId: noRefund,
    refusals: ['resource_not_found'],
    admit: admitKey,
    handle: async ({ sql }: Context, { holder, params }) => {
      const { merchant_id } = holder
      const refund = await findRefund(sql, { merchant_id, refund_id: params.refund_id! })
      if (!refund) throw noRefund()
      return viewCompatibleRefund(refund)
    },
  })

function noRefund(): Refusal {
  return new Refusal('resource_not_found', 'There is no refund with this id.', { field: 'id' })
}
