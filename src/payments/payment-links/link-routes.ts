// GET /v1/payment_links, GET /v1/payment_links/{payment_link_id} and POST …/disable.

import { z } from 'zod'
import type { Sql } from '../../database/open.ts'
import { secretKey } from '../../http/access.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import type { PaymentLinkId } from '../../kernel/values.ts'
import { accountLine, type LineWriter, writerOf } from '../../merchants/account-lines.ts'
import { admitKey } from '../../merchants/admit.ts'
import { writeAs } from '../../merchants/write-as.ts'
import type { Context } from '../context.ts'
import { linkStatuses, noLink, paymentLinkView, type StandingLink, viewLink } from '../payment-link.ts'
import { boundSpan, filterChoice, spanQuery } from '../reading/list-filters.ts'
import { disableLink, findLink, listLinkRows, modeOfLink, positionOfLink } from './link-store.ts'
import { type AddressContext, linkUrl } from './link-url.ts'

const tag = 'Payment links'

export const listPaymentLinks = route({
  method: 'GET',
  path: '/v1/payment_links',
  tag,
  summary: 'List payment links',
  access: secretKey('read_transactions'),
  mode: 'query',
  dialect: 'checkout',
  query: z.strictObject({ ...pageQuery, ...spanQuery, status: filterChoice(linkStatuses).optional() }),
  status: 200,
  reply: pageView(paymentLinkView).meta({ title: 'PaymentLinkPage', note: 'A page of payment links, newest first.' }),
  refusals: ['invalid_pagination'],
  admit: admitKey,
  handle: async (context: Context, { holder: { merchant_id }, query, now }) => {
    const { mode, created_from, created_before, status, after } = query
    const filters = { merchant_id, mode, created_from, created_before, status }
    const limit = Number(query.limit ?? limit_default)
    const bound = [...boundSpan(filters), status]
    const asked = { purpose: 'payment link cursor', merchant_id, filters: bound, limit, after }
    const behind = beginOf(context.keyring, asked)
    const found = await listLinkRows(context.sql, filters, { behind, limit: limit + 1, now })
    const { rows, ...page } = pageOf(context.keyring, asked, found, positionOfLink)
    return { data: rows.map((link) => viewIn(context, link, now)), ...page }
  },
})

export const readPaymentLink = route({
  method: 'GET',
  path: '/v1/payment_links/{payment_link_id}',
  tag,
  summary: 'Read a payment link',
  access: secretKey('read_transactions'),
  mode: { of: 'reply', unknown: noLink },
  dialect: 'checkout',
  status: 200,
  reply: paymentLinkView,
  refusals: ['resource_not_found'],
  admit: admitKey,
  handle: async (context: Context, { holder: { merchant_id }, params, now }) => {
    const link = await findLink(context.sql, { merchant_id, payment_link_id: params.payment_link_id! })
    if (!link) throw noLink()
    return viewIn(context, link, now)
  },
})

export const disablePaymentLink = route({
  method: 'POST',
  path: '/v1/payment_links/{payment_link_id}/disable',
  tag,
  summary: 'Withdraw a payment link',
  access: secretKey('create_payments'),
  mode: { of: modeOfLink, unknown: noLink },
  dialect: 'checkout',
  idempotency: 'required',
  body: z.strictObject({}),
  body_optional: true,
  status: 200,
  reply: paymentLinkView,
  refusals: ['resource_not_found'],
  admit: admitKey,
  handle: async (context: Context, { holder, params, request_id, now, recordReply }) => {
    const { merchant_id } = holder
    const payment_link_id = params.payment_link_id as PaymentLinkId
    const link = await findLink(context.sql, { merchant_id, payment_link_id })
    if (!link) throw noLink()
    return withdrawLink(context, { link, now }, writerOf(context, { holder, request_id }), recordReply)
  },
})

type LinkView = z.input<typeof paymentLinkView>

/** Ends a link for good. Of one that was ended before, too, of which no line is written. Throws KeyTakenError. */
export async function withdrawLink(
  context: AddressContext & { sql: Sql },
  { link, now }: { link: StandingLink; now: Date },
  writer: LineWriter,
  recordReply: (reply: LinkView) => KeyRow | null,
): Promise<LinkView> {
  const reply = viewIn(context, { ...link, disabled_at: link.disabled_at ?? now }, now)
  const { merchant_id, payment_link_id: subject, mode } = link
  const line = accountLine(writer, { merchant_id, subject, change: 'payment_link.disabled', detail: { mode }, at: now })
  const key = recordReply(reply)
  await writeAs(context.sql, writer, (sql) => disableLink(sql, link, { key, line, now }))
  return reply
}

export function viewIn(context: AddressContext, link: StandingLink, now: Date): LinkView {
  return viewLink(link, linkUrl(context, link), now)
}
