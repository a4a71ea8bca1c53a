// {service}/pay/l/{token}: the page of a payment link. GET shows what is paid for, or why the link is over. A session to pay by its
// script gets by POST, so that what only looks at the address, such as a messenger's preview, makes none.

import { inCell } from '../database/cells/cells.ts'
import type { Page } from '../http/pages.ts'
import { Refusal } from '../kernel/errors.ts'
import { languageFor } from '../kernel/words.ts'
import type { PublicAccount } from '../merchants/public-account.ts'
import type { Context } from '../payments/context.ts'
import { linkStatusAt } from '../payments/payment-link.ts'
import { findLinkToOpen } from '../payments/payment-links/link-store.ts'
import { isOfLink, link_page, readToken } from '../payments/payment-links/link-url.ts'
import { openLink, placeOfLink } from '../payments/payment-links/open-link.ts'
import { viewConfiguration } from '../payments/reading/read-config.ts'
import { clientSecretOf } from '../payments/sessions/client-secret.ts'
import type { Assets } from './assets.ts'
import { canonicalAddress } from './document.ts'
import { messagePage } from './message-page.ts'
import { configurationOf, hostedDocument, jsonAnswer } from './pay.ts'

export function paymentLinkPages(assets: Assets, pay_path: string): Page<Context>[] {
  const path = pay_path + link_page
  return [
    {
      method: 'GET',
      path,
      handle: async (context, { params, query, url, caller }) => {
        const base_url = context.addresses.base_url()
        const elsewhere = canonicalAddress(base_url, { url, caller })
        if (elsewhere) return elsewhere
        const language = languageFor(query.get('locale'), caller.header('accept-language'))
        const key = await keyOf(context, params)
        const place = key && (await inCell(context, key.merchant_id))
        const link = place && (await findLinkToOpen(place.sql, key))
        if (!link || !isOfLink(link, key.proof)) return messagePage({ status: 404, language, words: 'not_found' })
        const status = linkStatusAt(link, context.world.clock.now())
        const account = await context.directory.account(link.merchant_id)
        const shown = account && (await placeOfLink(context, account))
        const own = shown && configOf(context, shown, { mode: link.mode, begins: status === 'active' })
        if (!own) return messagePage({ status: status === 'active' ? 503 : 410, language, words: 'unavailable' })
        const config = { ...own, pricing: { ...own.pricing, amount: null, price_list: null } }
        const { description, max_payments } = link
        const shownLink = { status, description, is_single: max_payments === 1 }
        const page = { handle: '', base_url, config, language, link: shownLink }
        return { ...hostedDocument(assets, page), status: status === 'active' ? 200 : 410 }
      },
    },
    {
      method: 'POST',
      path,
      body_kind: 'fields',
      handle: async (context, { params, caller, request_id }) => {
        const key = await keyOf(context, params)
        if (!key) return jsonAnswer(404, { status: 'unknown' })
        if (context.clockFault() !== null) {
          throw new Refusal('store_unavailable', 'The clock of this process is wrong. Try again in a moment.')
        }
        const place = await inCell(context, key.merchant_id)
        const opened = await openLink(place, key, { address: caller.address, request_id })
        if (!opened) return jsonAnswer(404, { status: 'unknown' })
        const { status, session_id } = opened
        return jsonAnswer(200, { status, client_secret: session_id && clientSecretOf(context.keyring, session_id) })
      },
    },
  ]
}

/** What a token names, whether or not the service made it; null for a text that is none. */
async function keyOf({ directory }: Context, { token = '' }: Record<string, string>) {
  const read = readToken(token)
  const merchant_id = read && (await directory.merchantIdOfSession(read.payment_link_id))
  return merchant_id ? { merchant_id, ...read } : null
}

/** Null where payments cannot be begun now; a link that is over says so all the same. */
function configOf(
  context: Context,
  shown: Omit<PublicAccount, 'key_mode'>,
  { mode, begins }: { mode: 'test' | 'live'; begins: boolean },
) {
  if (!begins) return viewConfiguration(context, shown, mode)
  if (shown.account.merchant.status !== 'active') return null
  const config = configurationOf(context, { ...shown, key_mode: mode === 'live' ? 'live_only' : 'test_only' })
  return config?.mode === mode ? config : null
}
