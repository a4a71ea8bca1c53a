// The demo merchant's shop: a page with checkout.js, made as a merchant would make it, and the shop's own small server.

import { z } from 'zod'
import type { Caller } from '../http/access.ts'
import { networkOf } from '../http/gateway-limit.ts'
import type { Page, PageAnswer } from '../http/pages.ts'
import { openRequestCounts, type RequestCounts } from '../http/request-counts.ts'
import { languageFor } from '../kernel/words.ts'
import { type OutgoingAnswer, OutgoingFailure, type OutgoingRequest } from '../kernel/world.ts'
import type { PriceListItem } from '../merchants/integration.ts'
import type { Context } from '../payments/context.ts'
import { type Assets, checkoutStyles } from './assets.ts'
import { canonicalAddress, type DocumentOptions, document, documentHeaders } from './document.ts'
import { messagePage } from './message-page.ts'

/** What the shop's server needs. */
export type DemoShop = {
  secret_key: string
  publishable_key: string
  handle: string
  goods: PriceListItem[]
}

/** `shop` returns null if there is no demo merchant. There is no shop then. */
export function demoShopPages(assets: Assets, shop: () => DemoShop | null): Page<Context>[] {
  let counts: RequestCounts | null = null
  return [
    {
      method: 'GET',
      path: '/demo',
      handle: async (context, { url, caller }) => {
        const { base_url } = context.addresses
        const elsewhere = canonicalAddress(base_url(), { url, caller })
        if (elsewhere) return elsewhere
        const open = shop()
        const language = languageFor('en', null)
        if (!open) return messagePage({ status: 404, language, words: 'unavailable' })
        const { goods, publishable_key, handle } = open
        const hosted_url = `${context.addresses.pay_url()}/${handle}`
        return shopDocument(assets, { base_url: base_url(), public_key: publishable_key, goods, hosted_url })
      },
    },
    {
      method: 'POST',
      path: '/demo/orders',
      body_kind: 'fields',
      handle: async (context, request) => {
        const { caller } = request
        const open = shop()
        if (!open) return json(404, { message: 'There is no demo shop.' })
        counts ??= openRequestCounts(context.world.random.bytes(16))
        return refusalOf(context, caller, counts) ?? order(context, open, request.body)
      },
    },
  ]
}

/** What the shop's script is told. */
export type ShopContext = { base_url: string; public_key: string; goods: PriceListItem[]; hosted_url: string }

export function shopDocument(assets: Assets, { base_url, public_key, goods, hosted_url }: ShopContext): PageAnswer {
  return document({
    parts: demoShopOptions(assets, { service: new URL(base_url).origin }),
    language: languageFor('en', null),
    title: 'Hearth & Leaf, a demo shop',
    appearance: { theme: 'auto' },
    base_url,
    main_id: 'shop',
    context_json: JSON.stringify({ base_url, public_key, goods, hosted_url }),
  })
}

export function demoShopOptions(assets: Assets, { service }: { service: string }): DocumentOptions {
  const headers = documentHeaders({
    'script-src': [service],
    'style-src': [service, ...checkoutStyles(assets)],
    'connect-src': [service],
    'img-src': ['data:'],
    'frame-src': [service],
    'trusted-types': ['ripper-checkout'],
    'frame-ancestors': ["'none'"],
  })
  return {
    style: { link: assets['demo.css'] },
    scripts: [{ link: assets['checkout.js'] }, { link: assets['demo.js'] }],
    headers: { ...headers, 'x-frame-options': 'DENY' },
  }
}

/** Limits the orders of a minute here, because the shop's server calls with its own key from its own address. */
const orders_of_address_max = 30
const orders_max = 300

/** Refuses an order before it is read, so that another site's form cannot make the shop's server create sessions. */
function refusalOf(context: Context, caller: Caller, counts: RequestCounts): PageAnswer | null {
  if (!/^application\/json *(;|$)/i.test(caller.header('content-type') ?? '')) {
    return json(415, { message: 'Send the order with Content-Type: application/json.' })
  }
  if (caller.origin !== new URL(context.addresses.base_url()).origin) {
    return json(403, { message: 'The demo shop takes orders only from its own page.' })
  }
  const now = context.world.clock.now()
  const ofAddress = counts.count(networkOf(caller.address), now)
  // A shopper who has used up their own orders does not use up those of others.
  const is_over = ofAddress.count > orders_of_address_max || counts.count('', now).count > orders_max
  if (!is_over) return null
  const seconds = Math.ceil(ofAddress.left_ms / 1000)
  const message = `The shop has too many orders. Try again in ${seconds} seconds.`
  const { headers, ...answer } = json(429, { message })
  return { ...answer, headers: { ...headers, 'retry-after': String(seconds) } }
}

const orderBody = z.strictObject({
  items: z
    .array(z.strictObject({ sku: z.string().max(200), quantity: z.int().min(1).max(99) }))
    .min(1)
    .max(20),
})

/** The server sets the prices. The browser says only which goods it wants. */
async function order(context: Context, shop: DemoShop, body: string): Promise<PageAnswer> {
  const asked = orderBody.safeParse(parsed(body))
  if (!asked.success) return json(400, { message: 'items must name goods and quantities.' })
  const items = asked.data.items.map(({ sku, quantity }) => {
    const good = shop.goods.find((each) => each.sku === sku)
    return good && { sku, quantity, name: good.name, unit_amount: good.unit_amount }
  })
  if (!items.every((item) => item !== undefined)) {
    return json(400, { message: 'items names goods that the shop does not have.' })
  }
  const order_reference = `HL-${context.world.random.bytes(4).toString('hex')}`
  const answer = await posted(context, {
    url: `${context.addresses.internal_url()}/v1/checkout/sessions`,
    headers: {
      'content-type': 'application/json',
      'x-service-api-key': shop.secret_key,
      'rip-idempotency-key': order_reference,
    },
    body: JSON.stringify({
      amount: items.reduce((sum, { quantity, unit_amount }) => sum + quantity * unit_amount, 0),
      currency: shop.goods[0]!.currency,
      items,
      order_reference,
    }),
    timeout_ms: 10_000,
  })
  if (!answer) return json(502, { message: 'The payment service did not answer.' })
  if (answer.status !== 201) {
    return json(502, { message: 'The payment service refused the order.' })
  }
  const { client_secret, public_key } = JSON.parse(answer.body) as Record<string, string>
  return json(201, { client_secret, public_key, order_reference })
}

/** Null if no answer came. There may be a session then, which nobody will pay. */
async function posted({ world }: Context, request: OutgoingRequest): Promise<OutgoingAnswer | null> {
  try {
    return await world.http.post(request)
  } catch (error) {
    if (error instanceof OutgoingFailure) return null
    throw error
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function json(status: number, body: object): PageAnswer {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status, body: JSON.stringify(body), headers }
}
