// Payment links at the dashboard: the list, a new one, one with its QR code and its payments, and the end of one.

import { z } from 'zod'
import { limit_default, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import type { Context } from '../../payments/context.ts'
import { paymentLinkView } from '../../payments/payment-link.ts'
import { linkCreate, linkRecord } from '../../payments/payment-links/create-link.ts'
import { disablePaymentLink, listPaymentLinks, viewIn } from '../../payments/payment-links/link-routes.ts'
import { findLink, modeOfLink } from '../../payments/payment-links/link-store.ts'
import { qrDrawing } from '../../payments/payment-links/qr-code.ts'
import { filtersOf, listedPayment, pageOfPayments } from '../../payments/reading/list-payments.ts'
import { mode } from '../../payments/views.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { behind } from '../behind.ts'
import { showShoppers } from '../shoppers.ts'

const reading = signedIn('read_transactions')
const shared = { method: 'GET', tag: 'Dashboard', dialect: 'dashboard', access: reading, status: 200 } as const

export const listLinksHere = behind(reading, listPaymentLinks)

/** In the mode that the person looks at. */
export const createLinkHere = behind(
  signedIn('create_payments', { mode: 'body' }),
  linkRecord(z.strictObject({ ...linkCreate.shape, mode }), (_, body) => `${body.mode}_only` as const),
)

export const readLinkHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/payment_links/{payment_link_id}',
  summary: 'A payment link with its QR code, as a drawing',
  reply: paymentLinkView.extend({ qr: z.object({ size: z.int(), path: z.string() }) }),
  refusals: [],
  handle: async (context: Context, { holder: { merchant_id }, params, now }) => {
    const link = await findLink(context.sql, { merchant_id, payment_link_id: params.payment_link_id! })
    if (!link) throw notThere()
    const view = viewIn(context, link, now)
    return { ...view, qr: qrDrawing(view.url) }
  },
})

export const disableLinkHere = behind(
  signedIn('create_payments', {
    // A door gets the ids before anybody has judged them.
    mode: async ({ sql }, params) =>
      /^plink_[0-9a-f]{24}$/.test(params.payment_link_id ?? '')
        ? modeOfLink(sql, { merchant_id: params.merchant_id ?? '', params })
        : null,
  }),
  disablePaymentLink,
)

export const listLinkPaymentsHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/payment_links/{payment_link_id}/payments',
  summary: 'The payments by a payment link, newest first',
  query: z.strictObject(pageQuery),
  reply: pageView(listedPayment),
  refusals: ['invalid_pagination'],
  handle: async (context: Context, { holder, params, query: { limit, after } }) => {
    const { merchant_id } = holder
    const payment_link_id = params.payment_link_id!
    const of_mode = await modeOfLink(context.sql, { merchant_id, params: { payment_link_id } })
    if (of_mode === null) throw notThere()
    const filters = { ...filtersOf({ mode: of_mode }), merchant_id, payment_link_id }
    const page = await pageOfPayments(context, filters, { limit: Number(limit ?? limit_default), after })
    return showShoppers(page, holder)
  },
})
