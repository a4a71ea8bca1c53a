// GET /card-fields/{public_key}: the frame in which a checkout takes the card. It is one document with its script and style.

import type { Page, PageAnswer } from '../http/pages.ts'
import { guarded, htmlDocument, inlineText } from '../kernel/html.ts'
import { brands } from '../kernel/values.ts'
import { type Language, languageFor } from '../kernel/words.ts'
import { modeOf } from '../merchants/merchant.ts'
import { findPublic, framingOrigins } from '../merchants/public-account.ts'
import type { Context } from '../payments/context.ts'
import type { Assets } from './assets.ts'
import { type DocumentOptions, document, documentHeaders, inScript } from './document.ts'
import { messagePage } from './message-page.ts'

export function cardFieldsPage(assets: Assets): Page<Context> {
  return {
    method: 'GET',
    path: '/card-fields/{public_key}',
    handle: async (context, { params, query, caller }) => {
      const language = languageFor(query.get('locale'), caller.header('accept-language'))
      const publicAccount = await findPublic(context.directory, {
        public_key: params.public_key!,
        integration: query.get('integration'),
      })
      if (publicAccount?.account.merchant.status !== 'active') {
        return messagePage({ status: 404, language, words: 'unavailable', framed: true })
      }
      const { integration, account, public_key, key_mode } = publicAccount
      const mode = modeOf({ merchant: account.merchant, integration, key_mode })
      const base_url = context.addresses.base_url()
      const origins = [
        ...new Set([new URL(base_url).origin, ...framingOrigins(context.addresses, account, integration)]),
      ]
      const framer = framerOf(caller.header)
      if (mode === 'test' && framer && !origins.includes(framer)) {
        return refusedFrame(language, framer, assets['card-fields.css'].text)
      }
      return cardFieldsDocument(assets, {
        origins,
        public_key,
        language,
        base_url,
        appearance: integration.appearance ?? null,
        receipts_sent: context.receipt_modes.includes(mode),
        is_isolated: query.has('isolated'),
      })
    },
  }
}

type CardFields = {
  /** May frame the page and get its messages. */
  origins: string[]
  public_key: string
  language: Language
  base_url: string
  appearance: unknown
  receipts_sent: boolean
  is_isolated: boolean
}

export function cardFieldsDocument(assets: Assets, { origins, language, ...fields }: CardFields): PageAnswer {
  const parts = cardFieldsOptions(assets, { origins })
  return document({
    parts: fields.is_isolated ? inIsolation(parts) : parts,
    language,
    title: language.words.card_details!,
    appearance: fields.appearance,
    base_url: fields.base_url,
    main_id: 'fields',
    context_json:
      `{"origins":${JSON.stringify(origins)},"public_key":${JSON.stringify(fields.public_key)},` +
      `"brands":${JSON.stringify(brands)},"locale":${JSON.stringify(language.locale)},` +
      `"words":${language.words_json},"appearance":${JSON.stringify(fields.appearance)},` +
      `"receipts_sent":${fields.receipts_sent}}`,
  })
}

/** For pages that isolate themselves. Such a frame takes no bank's page either, so others are spared this. */
function inIsolation({ headers, ...parts }: DocumentOptions): DocumentOptions {
  return {
    ...parts,
    headers: {
      ...headers,
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'cross-origin',
    },
  }
}

/** `origins` may frame the page. */
export function cardFieldsOptions(assets: Assets, { origins }: { origins: string[] }): DocumentOptions {
  const script = assets['card-fields.js']
  const style = assets['card-fields.css']
  const headers = documentHeaders({
    'script-src': [script.sha256],
    'style-src': [style.sha256],
    'connect-src': ["'self'"],
    'img-src': ['data:'],
    // Our page for the 3DS Method, which nests the bank's page.
    'frame-src': ["'self'"],
    'frame-ancestors': ["'self'", ...origins],
  })
  return {
    style: { inline: style },
    scripts: [{ inline: script }],
    headers: { ...headers, vary: 'Accept-Language' },
  }
}

// Any page may hear it: it is told only where it is itself.
const tell = inlineText("parent.postMessage(JSON.parse(document.getElementById('context').textContent),'*')")

/** The origin of the page around a frame, as the browser says it; null where it does not, or where there is none. */
function framerOf(header: (name: string) => string | null | undefined): string | null {
  const referrer = header('referer') ?? ''
  return header('sec-fetch-dest') === 'iframe' && URL.canParse(referrer) ? new URL(referrer).origin : null
}

/**
 * In place of the card fields, in test mode: tells a page on an origin that is not allowed why they do not come. `sheet`: the card
 * fields' style, in which the page around says it.
 */
function refusedFrame(language: Language, origin: string, sheet: string): PageAnswer {
  const { words, locale } = language
  const load_failed = words.test_origin!.replace('{origin}', () => origin)
  const message = { type: 'refused', words: { ...words, load_failed }, locale, sheet }
  return {
    status: 200,
    body: htmlDocument({
      language,
      title: words.card_details!,
      head: '',
      body:
        `<script type="application/json" id="context">${inScript(JSON.stringify(message))}</script>` +
        `<script>${tell.text}</script>`,
    }),
    headers: {
      ...guarded({
        'script-src': [tell.sha256],
        'img-src': ['data:'],
        'frame-ancestors': ['*'],
      }),
      vary: 'Accept-Language, Referer, Sec-Fetch-Dest',
    },
  }
}
