// {service}/pay/c/{checkout_session_id}: the hosted page for a Checkout Session. GET shows whose page it is; what is sold, and a session to
// pay by, its script gets by POST, with the token that stands behind the `#` of the address.

import { inCell } from '../database/cells/cells.ts'
import type { Page } from '../http/pages.ts'
import { Refusal } from '../kernel/errors.ts'
import { languageFor } from '../kernel/words.ts'
import { defaultIntegration } from '../merchants/directory.ts'
import { type PublicAccount, usablePublishableKey } from '../merchants/public-account.ts'
import { type StandingCheckout, successUrl, usableSession } from '../payments/checkout-session.ts'
import { findCheckoutSession } from '../payments/checkout-sessions/checkout-session-store.ts'
import { checkout_page, isPageToken } from '../payments/checkout-sessions/checkout-url.ts'
import { openCheckout } from '../payments/checkout-sessions/open-checkout.ts'
import type { Context } from '../payments/context.ts'
import { type Configuration, viewConfiguration } from '../payments/reading/read-config.ts'
import { clientSecretOf } from '../payments/sessions/client-secret.ts'
import type { Assets } from './assets.ts'
import { canonicalAddress } from './document.ts'
import { messagePage } from './message-page.ts'
import { configurationOf, hostedDocument, jsonAnswer } from './pay.ts'

export function checkoutSessionPages(assets: Assets, pay_path: string): Page<Context>[] {
  const path = pay_path + checkout_page
  return [
    {
      method: 'GET',
      path,
      handle: async (context, { params, url, caller }) => {
        const elsewhere = canonicalAddress(context.addresses.base_url(), { url, caller })
        if (elsewhere) return elsewhere
        const checkout = await findByAddress(context, params)
        const { locale = null } = checkout ?? {}
        const language = languageFor(locale === 'auto' ? null : locale, caller.header('accept-language'))
        const config = checkout && (await configOf(context, checkout))
        if (!config) return messagePage({ status: checkout ? 503 : 404, language, words: 'unavailable' })
        return hostedDocument(assets, { handle: '', base_url: context.addresses.base_url(), config, language })
      },
    },
    {
      method: 'POST',
      path,
      body_kind: 'fields',
      handle: async (context, { params, body, request_id }) => {
        const { checkout_session_id = '' } = params
        if (!isPageToken(context.keyring, checkout_session_id, tokenIn(body)))
          return jsonAnswer(404, { status: 'unknown' })
        if (context.clockFault() !== null) {
          throw new Refusal('store_unavailable', 'The clock of this process is wrong. Try again in a moment.')
        }
        const merchant_id = await context.directory.merchantIdOfSession(checkout_session_id)
        const place = merchant_id && (await inCell(context, merchant_id))
        const opened = place && (await openCheckout(place, { merchant_id, checkout_session_id }, request_id))
        if (!opened) return jsonAnswer(404, { status: 'unknown' })
        const { checkout, session_id } = opened
        return jsonAnswer(200, {
          status: checkout.status,
          client_secret: session_id && clientSecretOf(context.keyring, session_id),
          cancel_url: checkout.cancel_url,
          success_url: checkout.status === 'complete' ? successUrl(checkout) : null,
        })
      },
    },
  ]
}

async function findByAddress(context: Context, { checkout_session_id = '' }: Record<string, string>) {
  const merchant_id = await context.directory.merchantIdOfSession(checkout_session_id)
  if (!merchant_id) return null
  const { sql, world } = await inCell(context, merchant_id)
  return (await findCheckoutSession(sql, { merchant_id, checkout_session_id }, world.clock.now())) ?? null
}

/**
 * Null where it needs another session and cards cannot be taken now; one that is paid, under way or over says so all the same. Prices
 * are those of the Checkout Session, so the integration's are left out.
 */
async function configOf(context: Context, checkout: StandingCheckout): Promise<Configuration | null> {
  const { merchant_id, public_key, integration_id, mode } = checkout
  const account = await context.directory.account(merchant_id)
  if (!account) return null
  const own = account.integrations.find((each) => each.integration_id === integration_id)
  const integration = own?.deleted_at === null ? own : (defaultIntegration(account) ?? own)
  if (!integration) return null
  const shown = { account, integration, public_key }
  const begins = checkout.status === 'open' && usableSession(checkout) === null
  const config = begins ? await configToBegin(context, shown) : viewConfiguration(context, shown, mode)
  return config && { ...config, mode, pricing: { ...config.pricing, amount: null, price_list: null } }
}

async function configToBegin(context: Context, shown: Omit<PublicAccount, 'key_mode'>) {
  const key = await usablePublishableKey(context.directory, shown.public_key)
  if (shown.account.merchant.status !== 'active' || !key) return null
  return configurationOf(context, { ...shown, key_mode: key.key_mode })
}

/** What is no text of JSON has none. */
function tokenIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { token?: unknown } | null)?.token
  } catch {
    return undefined
  }
}
