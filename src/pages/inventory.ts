// Lists every page that a shopper's browser gets, its scripts and their purpose, and the headers that keep out the rest. The list
// is made from the parts of the pages themselves. Addresses that differ between installations are in braces.

import { createHash } from 'node:crypto'
import {
  challengePageOptions,
  type FramedPageOptions,
  frameStyle,
  methodPageOptions,
  resultPageOptions,
} from '../payments/authentication/framed-page.ts'
import { type Asset, type AssetName, type Assets, assetHeaders } from './assets.ts'
import { cardFieldsOptions } from './card-fields.ts'
import { demoShopOptions } from './demo-shop.ts'
import type { DocumentOptions } from './document.ts'
import { hostedPageOptions } from './pay.ts'

/** Stand in a policy for origins that differ between installations, shops or banks. */
export const placeholders = {
  service: '{service}',
  allowed: '{allowed origins}',
  pictures: '{origins of pictures}',
  bank: "{bank's origin}",
} as const

export const page_names = [
  'checkout.js',
  'card-fields',
  'hosted-page',
  'demo-shop',
  'challenge-page',
  'method-page',
  'result-page',
] as const
export type PageName = (typeof page_names)[number]

export type ScriptEntry = {
  /** The name of the file, or of the purpose of an inline script. */
  name: string
  /** `on demand`: checkout.js adds it to the page when the shopper begins to type, or earlier. */
  way: 'inline' | 'linked' | 'on demand'
  text: string
  /** For a file: `/assets/{hash}/{name}`. */
  path: string | null
  integrity: string
  size_bytes: number
  purpose: string
}

export type PageEntry = {
  name: PageName
  title: string
  /** Its address, as people write it, and a pattern for the path of such an address. */
  address: string
  path: RegExp
  seen: string
  /** The script of a document draws it; a frame nests the bank's page; pages of shops load a script. */
  kind: 'document' | 'frame' | 'script'
  scripts: ScriptEntry[]
  styles: ScriptEntry[]
  /** The headers that change what a browser does. */
  headers: Record<string, string>
}

export function pageInventory(assets: Assets): PageEntry[] {
  const { service } = placeholders
  const origins = [placeholders.allowed]
  const framed = { origins, bank: placeholders.bank }
  const threeDs = fileEntry(assets['three-ds.js'], 'on demand')
  const withCheckout = (parts: DocumentOptions): Contents => {
    const { scripts, ...contents } = documentContents(parts)
    return { ...contents, scripts: [...scripts, threeDs] }
  }
  const contents: Record<PageName, Contents> = {
    'checkout.js': {
      scripts: [fileEntry(assets['checkout.js'], 'linked'), threeDs],
      styles: [],
      headers: assetHeaders(assets['checkout.js']),
    },
    'card-fields': documentContents(cardFieldsOptions(assets, { origins })),
    'hosted-page': withCheckout(hostedPageOptions(assets, { service, pictures: [placeholders.pictures] })),
    'demo-shop': withCheckout(demoShopOptions(assets, { service })),
    'challenge-page': frameContents('challenge', challengePageOptions(framed)),
    'method-page': frameContents('method', methodPageOptions(framed)),
    'result-page': frameContents('result', resultPageOptions({ origins })),
  }
  return page_names.map((name) => {
    const { headers, ...rest } = contents[name]
    return { name, ...places[name], ...rest, headers: guardingHeaders(headers, places[name].kind) }
  })
}

type Contents = Pick<PageEntry, 'scripts' | 'styles' | 'headers'>

const places: Record<PageName, Pick<PageEntry, 'title' | 'address' | 'path' | 'seen' | 'kind'>> = {
  'checkout.js': {
    title: 'checkout.js',
    address: '{service}/checkout.js',
    path: /\/checkout\.js$/,
    seen: "loaded by a shop's own page, which draws the checkout with it",
    kind: 'script',
  },
  'card-fields': {
    title: 'The card fields',
    address: '{service}/card-fields/{public_key}',
    path: /\/card-fields\/[^/]+$/,
    seen: 'the frame in a checkout, in which the card is typed',
    kind: 'document',
  },
  'hosted-page': {
    title: 'The hosted page',
    address: '{pay_url}/{handle}',
    path: /\/pay\/([cl]\/)?[^/]+$/,
    seen: 'a page of its own, for shops without a page',
    kind: 'document',
  },
  'demo-shop': {
    title: 'The demo shop',
    address: '{service}/demo',
    path: /\/demo$/,
    seen: 'a page of its own, in test mode, if there is a demo merchant',
    kind: 'document',
  },
  'challenge-page': {
    title: 'The 3-D Secure challenge page',
    address: '{service}/3ds/challenge/{token}',
    path: /\/3ds\/challenge\/\w+$/,
    seen: "a frame in the checkout's dialog, which nests the bank's page; or a page of its own, which makes way for it",
    kind: 'frame',
  },
  'method-page': {
    title: 'The 3DS Method page',
    address: '{service}/3ds/method/{token}',
    path: /\/3ds\/method\/\w+$/,
    seen: "a hidden frame in the card fields; it nests the bank's page",
    kind: 'frame',
  },
  'result-page': {
    title: 'The 3-D Secure result page',
    address: '{service}/3ds/challenge/{token}',
    path: /\/3ds\/challenge\/\w+$/,
    seen: "instead of the bank's page once the bank has answered, and from then on instead of the challenge page",
    kind: 'frame',
  },
}

const purposes: Record<AssetName | 'challenge' | 'method' | 'result', string> = {
  'checkout.js':
    'Draws the checkout: opens the session, frames the card fields, asks for the email address, adds three-ds.js and tells the page what happens.',
  'three-ds.js':
    "Takes the payment: authenticates the card, opens the dialog with the bank's page, confirms the payment, shows the outcome and counts down the last two minutes. checkout.js adds it when the shopper begins to type or comes back to a payment.",
  'card-fields.js':
    'Takes number, expiry and security code, checks them while they are typed, and sends them to the service alone. Draws the test cards in test mode.',
  'card-fields.css': 'The style of the card fields. They pass it on to the checkout around them.',
  'pay.js': 'Reads the payment link, shows what is paid for and mounts the checkout.',
  'pay.css': 'The style of the hosted page.',
  'demo.js': "The demo shop's basket: asks the shop's server for a session and mounts the checkout.",
  'demo.css': 'The style of the demo shop.',
  challenge:
    "Posts the shopper's browser on to the bank's challenge, and tells the page around it when the challenge is over.",
  method: "Posts the browser on to the bank's 3DS Method.",
  result: "Tells the page around it that the bank's challenge is over.",
}

function documentContents({ scripts, style, headers }: DocumentOptions): Contents {
  return { scripts: scripts.map(partEntry), styles: [partEntry(style)], headers }
}

function partEntry(part: DocumentOptions['style']): ScriptEntry {
  return 'link' in part ? fileEntry(part.link, 'linked') : fileEntry(part.inline, 'inline')
}

function fileEntry(asset: Asset, way: ScriptEntry['way']): ScriptEntry {
  const path = way === 'inline' ? null : asset.path
  return entry({
    name: asset.name,
    way,
    text: asset.text,
    path,
    purpose: purposes[asset.name as AssetName],
  })
}

function frameContents(name: 'challenge' | 'method' | 'result', { script, headers }: FramedPageOptions): Contents {
  const inline = { way: 'inline', path: null } as const
  const scripts = [entry({ ...inline, name, text: script!.text, purpose: purposes[name] })]
  const look = { name: 'frame', text: frameStyle.text, purpose: 'The style of the page.' }
  return { scripts, styles: [entry({ ...inline, ...look })], headers }
}

function entry(of: Omit<ScriptEntry, 'integrity' | 'size_bytes'>): ScriptEntry {
  return { ...of, integrity: integrityOf(of.text), size_bytes: Buffer.byteLength(of.text) }
}

export function integrityOf(text: string): string {
  return `sha384-${createHash('sha384').update(text).digest('base64')}`
}

/** The headers without those for caches. `cache-control` of a page stays, because no cache may keep the page. */
export function guardingHeaders(headers: Record<string, string>, kind: PageEntry['kind']): Record<string, string> {
  const { vary: _vary, 'cache-control': cache, ...rest } = headers
  if (kind === 'script') return rest
  return { 'content-type': 'text/html; charset=utf-8', ...rest, 'cache-control': cache! }
}
