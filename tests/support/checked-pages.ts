// Pages as they are served, and what `ripper page check` says of the same with one thing changed: without a service.

import { expect } from 'vitest'
import { challengeFrame, doneNotice, methodFrame } from '../../src/checkout/authentication/framed-page.ts'
import type { PageAnswer } from '../../src/http/pages.ts'
import { languageFor } from '../../src/kernel/words.ts'
import type { TextAnswer } from '../../src/kernel/world.ts'
import { assetsOf } from '../../src/pages/assets.ts'
import { cardFieldsOptions } from '../../src/pages/card-fields.ts'
import { comparePage, filesOf, type Report } from '../../src/pages/check/page-check.ts'
import { document } from '../../src/pages/document.ts'
import { type PageName, pageInventory } from '../../src/pages/inventory.ts'
import { hostedPageOptions } from '../../src/pages/pay.ts'

export const service = 'https://pay.example'
export const shop = 'https://shop.example'
export const public_key = 'rip_pk_1'
export const assets = assetsOf((name) => Buffer.from(`/* ${name} */ if (1 < 2) "<b>"`))
const language = languageFor('de', null)
const inventory = pageInventory(assets)

/** What the service answers as the configuration. */
export const config = {
  public_key,
  merchant: { name: '</script><script>1</script>' },
  methods: [{ type: 'card', brands: ['visa'] }],
  pricing: { price_list: [{ sku: 'tea', unit_amount: 850 }] },
  card_fields_url: `${service}/card-fields/${public_key}`,
  confirmation_url: `${shop}/thanks`,
  appearance: { theme: 'dark' },
}

const common = { language, title: 'Tea & Pots <1>', base_url: service, main_id: 'main', appearance: config.appearance }
const { locale, words } = language
const pages = {
  'hosted-page': document({
    ...common,
    parts: hostedPageOptions(assets, { service, pictures: ['https://cdn.example'] }),
    context_json: JSON.stringify({ handle: 'tea', base_url: service, locale, words, config }),
  }),
  'card-fields': document({
    ...common,
    parts: cardFieldsOptions(assets, { origins: [shop] }),
    context_json: JSON.stringify({
      origins: [service, shop],
      public_key,
      brands: ['visa'],
      locale,
      words,
      appearance: config.appearance,
    }),
  }),
  'challenge-page': challengeFrame({
    form: { action: 'https://acs.example/challenge', fields: { creq: '"&<' } },
    frame: { origins: [service, shop], service, back: `${shop}/basket?a=1&b=2` },
    language,
  }),
  'method-page': methodFrame({
    form: { action: `${service}/simulator/acs`, fields: {} },
    frame: { origins: [service, shop], service, back: null },
    language,
  }),
  'result-page': doneNotice('Thank you.', {
    frame: { origins: [service, shop], service, back: `${shop}/basket` },
    language,
  }),
} satisfies Partial<Record<PageName, PageAnswer>>

export type Checked = keyof typeof pages
export const checked_pages = Object.keys(pages) as Checked[]

const paths: Record<Checked, string> = {
  'hosted-page': '/pay/tea',
  'card-fields': `/card-fields/${public_key}`,
  'challenge-page': '/3ds/challenge/1',
  'method-page': '/3ds/method/1',
  'result-page': '/3ds/challenge/1',
}
const configurations = [`${service}/v1/checkout/handles/tea`, `${service}/v1/checkout/config/${public_key}`]

/** What a browser gets, perhaps of another text, with other headers or with other files. */
export type Change = {
  html?: (html: string) => string
  headers?: Record<string, string | undefined>
  policy?: (policy: string) => string
  files?: (files: Map<string, TextAnswer | string>) => void
  /** What the configuration answers, over what it ought to. */
  config?: object
  status?: number
  /** Named by `--origin`. */
  origins?: string[]
}

export function reportOf(name: Checked, change: Change = {}): Report {
  const { body, headers: own } = pages[name]
  const served = { 'content-type': 'text/html; charset=utf-8', ...own, ...change.headers }
  const kept = Object.entries(served).filter((header): header is [string, string] => !!header[1])
  const headers = Object.fromEntries(kept)
  const policy = headers['content-security-policy']
  if (policy && change.policy) headers['content-security-policy'] = change.policy(policy)
  const html = change.html?.(body) ?? body
  if (change.html) expect(html).not.toBe(body)
  const page = { status: change.status ?? 200, headers, body: html }
  const entry = inventory.find((each) => each.name === name)!
  const seen = { url: service + paths[name], service, origins: change.origins ?? null, page }
  const configuration = JSON.stringify({ ...config, ...change.config })
  const files = new Map<string, TextAnswer | string>(
    filesOf(entry, seen).map((address) => {
      const asset = Object.values(assets).find(({ path }) => service + path === address)
      const text = configurations.includes(address) ? configuration : asset?.text
      return [address, { status: text ? 200 : 404, headers: {}, body: text ?? '' }]
    }),
  )
  change.files?.(files)
  return comparePage(entry, { ...seen, files })
}

export function differences(name: Checked, change: Change = {}): string[] {
  return reportOf(name, change).differences
}

/** Puts more at the end of a page's body. */
export const within = (added: string) => (html: string) => html.replace('</body>', `${added}</body>`)
