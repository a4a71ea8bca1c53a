// What browser tests play on: the service with a merchant that has goods, a hosted page and a shop of its own elsewhere.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../src/kernel/world.ts'
import { createIntegration } from '../../src/merchants/manage.ts'
import {
  type Account,
  shop as https_shop,
  type Service,
  type ServiceOptions,
  startService,
} from '../support/service.ts'
import { realClock } from '../support/world.ts'

/** The real clock, set forward by hand. */
type ShiftedClock = Clock & { shift(duration_ms: number): void }

function shiftedClock(): ShiftedClock {
  let offset_ms = 0
  return {
    ...realClock,
    now: () => new Date(realClock.now().getTime() + offset_ms),
    shift(duration_ms) {
      offset_ms += duration_ms
    },
  }
}

export type Stage = {
  service: Service
  clock: ShiftedClock
  account: Account
  /** Tea, pot and cup in GBP. */
  pay_url: string
  shop: MerchantsSite
  close(): Promise<void>
}

export const goods = [
  { sku: 'tea', name: 'Breakfast tea, 250 g', unit_amount: 850, currency: 'GBP' },
  { sku: 'pot', name: 'Stoneware teapot', unit_amount: 4200, currency: 'GBP' },
]

/** Of the hosted page's integration. */
export const links = {
  terms_url: 'https://shop.example/terms',
  support_url: 'https://shop.example/help',
  back_url: 'https://shop.example/',
}

/** `handle` is unique in the database of the test file. */
export async function setStage(more: Pick<ServiceOptions, 'deliver'> = {}): Promise<Stage> {
  const clock = shiftedClock()
  const shop = await openSite()
  const service: Service = await startService({
    ...more,
    clock,
    demo_shop: () => ({
      secret_key: account.secret_key,
      publishable_key: account.publishable_key!,
      handle: 'tea',
      goods,
    }),
  })
  const account = await service.newAccount({
    integration: { allowed_origins: [shop.origin, https_shop] },
  })
  await createIntegration(service.operator, account.merchant_id, {
    name: 'hosted',
    is_hosted_page: true,
    handle: 'tea',
    allowed_origins: [shop.origin],
    price_list: goods,
    ...links,
  })
  return {
    service,
    clock,
    account,
    pay_url: `${service.base_url}/pay/tea`,
    shop,
    async close() {
      await service.close()
      await shop.close()
    },
  }
}

type MerchantsSite = {
  origin: string
  /** Serves a page from now on and gives its address. */
  page(html: string, headers?: Record<string, string>): string
  close(): Promise<void>
}

/** A small web server that is not the service's: another origin. */
export async function openSite(): Promise<MerchantsSite> {
  const pages = new Map<string, { html: string; headers: Record<string, string> }>()
  const server = createServer((request, response) => {
    const page = pages.get(request.url!.split('?')[0]!)
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html', ...page?.headers })
    response.end(page?.html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    page(html, headers = {}) {
      const path = `/${pages.size + 1}`
      pages.set(path, { html, headers })
      return origin + path
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A merchant's page: one script tag and the few lines that mount the checkout. `options` is script text. */
export function merchantsPage(service: Pick<Service, 'base_url'>, key: string, options: string) {
  return `<!doctype html><html lang="en"><head><title>A shop</title>
<link rel="icon" href="data:,"><script src="${service.base_url}/checkout.js"></script></head><body><main><h1>A shop</h1><div id="pay"></div></main>
<script>
window.told = []
window.ready = Ripper.loadCheckout('${key}').then((ripper) => {
  const checkout = window.checkout = ripper.checkout(${options})
  for (const name of ['ready', 'change', 'submitting', 'challenge', 'decline', 'complete', 'expired', 'loaderror']) {
    checkout.on(name, (event) => told.push({ ...event, name }))
  }
  checkout.mount('#pay')
})
</script></body></html>`
}
