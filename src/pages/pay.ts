// GET {pay_url}/{handle}: the hosted page, where a merchant takes payments without writing code.

import type { Page, PageAnswer } from '../http/pages.ts'
import { Refusal } from '../kernel/errors.ts'
import { type Language, languageFor } from '../kernel/words.ts'
import { findHosted, type PublicAccount } from '../merchants/public-account.ts'
import type { Context } from '../payments/context.ts'
import type { LinkStatus } from '../payments/payment-link.ts'
import { type Configuration, readConfiguration } from '../payments/reading/read-config.ts'
import { type Assets, checkoutStyles } from './assets.ts'
import { canonicalAddress, type DocumentOptions, document, documentHeaders } from './document.ts'
import { messagePage } from './message-page.ts'

export function payPage(assets: Assets, path: string): Page<Context> {
  return {
    method: 'GET',
    path: `${path}/{handle}`,
    handle: async (context, { params, query, url, caller }) => {
      const { addresses, directory } = context
      const elsewhere = canonicalAddress(addresses.pay_url(), { url, caller })
      if (elsewhere) return elsewhere
      const language = languageFor(query.get('locale'), caller.header('accept-language'))
      const publicAccount = await findHosted(directory, params.handle!)
      const active = publicAccount?.account.merchant.status === 'active'
      const config = active ? configurationOf(context, publicAccount) : null
      if (!config) {
        const status = active ? 503 : 404
        return messagePage({ status, language, words: 'unavailable' })
      }
      return hostedDocument(assets, { handle: params.handle!, base_url: addresses.base_url(), config, language })
    },
  }
}

type HostedPage = {
  handle: string
  base_url: string
  config: Configuration
  language: Language
  /** Of the page of a payment link. */
  link?: { status: LinkStatus; description: string | null; is_single: boolean }
}

export function hostedDocument(assets: Assets, { handle, base_url, config, language, link }: HostedPage): PageAnswer {
  const pictures = (config.pricing.price_list ?? []).flatMap(({ image_url }) =>
    image_url ? [new URL(image_url).origin] : [],
  )
  return document({
    parts: hostedPageOptions(assets, { service: new URL(base_url).origin, pictures }),
    language,
    title: config.merchant.name,
    // As in web/pay/context.ts: dark or light like the device, unless the merchant chose.
    appearance: { theme: 'auto', ...(config.appearance as object | null) },
    base_url,
    main_id: 'pay',
    context_json:
      `{"handle":${JSON.stringify(handle)},"link":${JSON.stringify(link ?? null)},"base_url":${JSON.stringify(base_url)},` +
      `"locale":${JSON.stringify(language.locale)},"config":${JSON.stringify(config)},"words":${language.words_json}}`,
  })
}

/** `service` is the service's origin. `pictures` are the origins of the price list's pictures. */
export function hostedPageOptions(
  assets: Assets,
  { service, pictures }: { service: string; pictures: string[] },
): DocumentOptions {
  const headers = documentHeaders({
    'script-src': [service],
    'style-src': [service, ...checkoutStyles(assets)],
    'connect-src': ["'self'", service],
    'img-src': ['data:', ...pictures],
    'frame-src': [service],
    'form-action': ["'self'"],
    'trusted-types': ['ripper-checkout'],
    'frame-ancestors': ["'none'"],
  })
  return {
    style: { link: assets['pay.css'] },
    scripts: [{ link: assets['checkout.js'] }, { link: assets['pay.js'] }],
    headers: {
      ...headers,
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'Accept-Language',
    },
  }
}

/** Null if cards cannot be authenticated now. */
export function configurationOf(context: Context, publicAccount: PublicAccount): Configuration | null {
  try {
    return readConfiguration(context, publicAccount)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** What a script of a hosted page gets that asks for a session. */
export function jsonAnswer(status: number, answer: object): PageAnswer {
  return {
    status,
    body: JSON.stringify(answer),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  }
}
