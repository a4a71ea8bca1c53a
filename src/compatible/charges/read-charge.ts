// GET /v1/charges/{charge_id}: a payment that was captured or held, read in the other platform's words.

import { z } from 'zod'
import { bearerKey } from '../../http/access.ts'
import type { ObjectPlace } from '../../http/only-mode.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import { modeOfPayment } from '../../payments/reading/mode-store.ts'
import type { Address } from '../addresses.ts'
import { explain } from '../faults.ts'
import { findCharge } from '../intents/intent-store.ts'
import { isCharge, paymentIdOf } from '../members.ts'
import { charge, viewCharge } from './charge.ts'

export const readChargeAt = ({ path, alias_of }: Address): Route<Context> =>
  route({
    method: 'GET',
    path: `${path}/{charge_id}`,
    alias_of: alias_of && `${alias_of}/{charge_id}`,
    tag: 'Compatible',
    summary: 'Read a charge',
    access: bearerKey('read_transactions'),
    mode: { of: modeOfCharge, unknown: noCharge },
    dialect: 'compatible',
    query: z.strictObject({}),
    explain,
    status: 200,
    reply: charge,
    unknownId: noCharge,
    refusals: ['resource_not_found'],
    admit: admitKey,
    handle: async ({ sql }: Context, { holder, params }) => {
      const { merchant_id } = holder
      const row = await findCharge(sql, { merchant_id, payment_id: paymentIdOf(params.charge_id!) })
      if (!row || !isCharge(row)) throw noCharge()
      return viewCharge(row)
    },
  })

function modeOfCharge(sql: Context['sql'], { merchant_id, params: { charge_id = '' } }: ObjectPlace) {
  return modeOfPayment(sql, { merchant_id, params: { payment_id: paymentIdOf(charge_id) } })
}

function noCharge(): Refusal {
  return noChargeAt('id')
}

/** `field` is what named it. */
export function noChargeAt(field: string): Refusal {
  return new Refusal('resource_not_found', 'There is no charge with this id.', { field })
}
