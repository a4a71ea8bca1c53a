// GET /v1/refunds: the refunds of a merchant, or of one payment, in the other platform's words, newest first.

import type { Sql } from '../../database/open.ts'
import { bearerKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { MerchantId, Mode, SessionId } from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import { findSession } from '../../payments/sessions/session-store.ts'
import type { Address } from '../addresses.ts'
import { explain } from '../faults.ts'
import { findCharge } from '../intents/intent-store.ts'
import { idText, listMembers, listView, pageOf, pageRequestOf, queryOf, viewList } from '../lists.ts'
import { isCharge, paymentIdOf } from '../members.ts'
import { noCharge, noIntent } from './create-refund.ts'
import { compatibleRefund, viewCompatibleRefund } from './refund.ts'
import { listRefunds } from './refund-list-store.ts'

const url = '/v1/refunds'

export const listRefundsAt = (address: Address): Route<Context> =>
  route({
    method: 'GET',
    ...address,
    tag: 'Compatible',
    summary: 'List refunds of payment intents',
    access: bearerKey('read_transactions'),
    mode: 'handler',
    dialect: 'compatible',
    query: queryOf({ ...listMembers, payment_intent: idText.optional(), charge: idText.optional() }),
    explain,
    status: 200,
    reply: listView(compatibleRefund, url).meta({
      title: 'CompatibleRefundList',
      note: 'A page of refunds, newest first.',
    }),
    refusals: ['resource_not_found'],
    admit: admitKey,
    handle: async ({ sql }: Context, { holder, query, only_mode: mode }) => {
      const { merchant_id } = holder
      const request = pageRequestOf(query)
      const payment_id = await paymentOf(sql, { merchant_id, mode }, query)
      const page = await listRefunds(sql, { merchant_id, mode, payment_id }, request)
      const { rows, has_more } = pageOf(page, request, 'refund')
      return viewList(url, rows.map(viewCompatibleRefund), has_more)
    },
  })

/** The payment whose refunds are asked for: undefined for those of all, null where it has none. */
export async function paymentOf(
  sql: Sql,
  { merchant_id, mode }: { merchant_id: MerchantId; mode: Mode | null },
  { payment_intent, charge }: { payment_intent?: string | undefined; charge?: string | undefined },
): Promise<string | null | undefined> {
  const isSeen = (row: { mode: Mode } | undefined) => row !== undefined && (mode === null || row.mode === mode)
  if (charge !== undefined) {
    if (payment_intent !== undefined) throw new Refusal('invalid_request', either, { field: 'charge' })
    const row = await findCharge(sql, { merchant_id, payment_id: paymentIdOf(charge) })
    if (!row || !isSeen(row) || !isCharge(row)) throw noCharge()
    return row.payment_id
  }
  if (payment_intent === undefined) return undefined
  const session = await findSession(sql, { merchant_id, session_id: payment_intent as SessionId })
  if (!session || !isSeen(session)) throw noIntent()
  return session.payment_id
}

const either = 'charge cannot be sent with payment_intent: send one of them.'
