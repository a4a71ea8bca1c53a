// The headers of the pages that shoppers' browsers get, the pages that are not there, and those asked for by another name.

import { describe, expect, test } from 'vitest'
import { checkoutStyles, readAssets } from '../../src/pages/assets.ts'
import { cardOf, visa } from '../support/client.ts'
import { tagsOf } from '../support/markup.ts'
import { hashOf, policyOf, useServedPages } from '../support/served-pages.ts'
import { shop, startService } from '../support/service.ts'

const { service, pages, read } = await useServedPages()

const nothing = ["'none'"]
const always = {
  'default-src': nothing,
  'base-uri': nothing,
  'form-action': nothing,
  'require-trusted-types-for': ["'script'"],
  'trusted-types': nothing,
}

/** Of a checkout: some browsers put them into the page. */
const styles = checkoutStyles(readAssets())

describe('headers', () => {
  test.each(['fields', 'pay', 'demo', 'method', 'challenge', 'result', 'suspended'] as const)(
    'of every page: %s',
    async (page) => {
      const { status, headers } = await read(pages[page])
      expect(status).toBe(page === 'suspended' ? 404 : 200)
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'strict-transport-security': 'max-age=63072000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'referrer-policy': ['method', 'challenge'].includes(page) ? 'origin' : 'no-referrer',
        'cache-control': 'no-store',
      })
      const own = ['fields', 'pay', 'demo'].includes(page)
      const permissions = own ? 'payment=(self), publickey-credentials-get=*' : undefined
      expect(headers['permissions-policy']).toBe(permissions)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  test('the card fields', async () => {
    const got = await read(pages.fields)
    expect(policyOf(got)).toEqual({
      ...always,
      'script-src': [hashOf(got, 'script')],
      'style-src': [hashOf(got, 'style')],
      'connect-src': ["'self'"],
      'img-src': ['data:'],
      'frame-src': ["'self'"],
      'frame-ancestors': ["'self'", service.base_url, shop],
    })
    expect(got.headers['x-frame-options']).toBeUndefined()
  })

  test('the card fields of a merchant without a hosted page', async () => {
    const { publishable_key } = service.account
    const got = await read(`/card-fields/${publishable_key}`)
    expect(policyOf(got)['frame-ancestors']).toEqual(["'self'", service.base_url, shop])
  })

  const embedder = 'cross-origin-embedder-policy'

  test('the card fields of a page that isolates itself', async () => {
    const plain = await read(pages.fields)
    expect(plain.headers[embedder]).toBeUndefined()
    const { headers } = await read(`${pages.fields}?isolated=1`)
    expect(headers[embedder]).toBe('require-corp')
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
    expect(policyOf({ ...plain, headers })).toEqual(policyOf(plain))
  })

  test.each([
    ['a page of the shop', { referer: `${shop}/basket` }, false],
    ['a page of the service', { referer: `${service.base_url}/demo` }, false],
    ['a page of a stranger', { referer: 'https://evil.example/' }, true],
    ['a page that does not say its name', {}, false],
    ['what is no address', { referer: 'x' }, false],
    ['a link on a page of a stranger', { referer: 'https://evil.example/', 'sec-fetch-dest': 'document' }, false],
  ])('the card fields, in test mode, in %s', async (_, headers, is_refused) => {
    const got = await read(pages.fields, { 'sec-fetch-dest': 'iframe', ...headers })
    expect(got.status).toBe(200)
    expect(got.text.includes('"type":"refused"')).toBe(is_refused)
    const framers = is_refused ? ['*'] : ["'self'", service.base_url, shop]
    expect(policyOf(got)['frame-ancestors']).toEqual(framers)
  })

  test('the card fields, in live mode, tell no stranger anything', async () => {
    const live = { merchant: { live: true, live_enabled: true } }
    const { publishable_key } = await service.newAccount(live)
    const got = await read(`/card-fields/${publishable_key}`, {
      'sec-fetch-dest': 'iframe',
      referer: 'https://evil.example/',
    })
    expect(policyOf(got)['frame-ancestors']).toEqual(["'self'", service.base_url, shop])
    expect(got.text).not.toContain('evil.example')
  })

  test('what a stranger hears of the card fields is no more than where it is', async () => {
    const got = await read(pages.fields, {
      'sec-fetch-dest': 'iframe',
      referer: 'https://evil.example/path?secret=</script>',
    })
    expect(policyOf(got)).toEqual({
      ...always,
      'script-src': [hashOf(got, 'script')],
      'img-src': ['data:'],
      'frame-ancestors': ['*'],
    })
    expect(got.text).toContain('Test mode: https://evil.example is not one of')
    expect(got.text).not.toContain('secret=')
    for (const own of [shop, service.account.publishable_key!]) expect(got.text).not.toContain(own)
  })

  test('the hosted page', async () => {
    const got = await read(pages.pay)
    const own = [service.base_url]
    expect(policyOf(got)).toEqual({
      ...always,
      'script-src': own,
      'style-src': [...own, ...styles],
      'connect-src': ["'self'", ...own],
      'img-src': ['data:', 'https://cdn.example'],
      'frame-src': own,
      'form-action': ["'self'"],
      'trusted-types': ['ripper-checkout'],
      'frame-ancestors': nothing,
    })
    expect(got.headers['x-frame-options']).toBe('DENY')
    expect(got.headers['cross-origin-opener-policy']).toBe('same-origin')
  })

  test('the demo shop', async () => {
    const got = await read(pages.demo)
    const own = [service.base_url]
    expect(policyOf(got)).toEqual({
      ...always,
      'script-src': own,
      'style-src': [...own, ...styles],
      'connect-src': own,
      'img-src': ['data:'],
      'frame-src': own,
      'trusted-types': ['ripper-checkout'],
      'frame-ancestors': nothing,
    })
    expect(got.headers['x-frame-options']).toBe('DENY')
  })

  test("the page around the bank's method", async () => {
    const got = await read(pages.method)
    const bank = ['https:', service.base_url]
    expect(policyOf(got)).toEqual({
      ...always,
      'script-src': [hashOf(got, 'script')],
      'style-src': [hashOf(got, 'style')],
      'img-src': ['data:'],
      'form-action': bank,
      'frame-src': bank,
      'frame-ancestors': ["'self'", service.base_url, shop],
    })
  })

  test.each([
    ['in a frame', () => pages.challenge],
    ['in full', () => `${pages.challenge}?return_url=${shop}/basket`],
  ])("the page of the bank's challenge, %s: a bank's app is no frame's source", async (_, path) => {
    const got = await read(path())
    const { 'default-src': _none, ...others } = always
    expect(policyOf(got)).toEqual({
      ...others,
      'connect-src': nothing,
      'font-src': nothing,
      'manifest-src': nothing,
      'media-src': nothing,
      'object-src': nothing,
      'worker-src': nothing,
      'script-src': [hashOf(got, 'script')],
      'style-src': [hashOf(got, 'style')],
      'img-src': ['data:'],
      'form-action': ['https:', service.base_url],
      'frame-ancestors': ["'self'", service.base_url, shop],
    })
  })

  test('the end of a challenge', async () => {
    const got = await read(pages.result)
    expect(policyOf(got)).toEqual({
      ...always,
      'script-src': [hashOf(got, 'script')],
      'style-src': [hashOf(got, 'style')],
      'img-src': ['data:'],
      'frame-ancestors': ["'self'", service.base_url, shop],
    })
  })
})

test('the frame of a method whose card is used up: the shop may show it', async () => {
  const { client } = service.account
  const session = await client.open()
  const { body } = await client.referenceCard(session, cardOf(visa))
  await service.sql`delete from vault.cards where card_reference = ${body.card_reference}`
  const got = await read(new URL(body.three_ds_method.url).pathname)
  expect(got.status).toBe(404)
  expect(policyOf(got)['frame-ancestors']).toEqual(["'self'", service.base_url, shop])
})

describe('a page that is not there', () => {
  test.each([
    ['a key of another shape', '/card-fields/x', ['*']],
    ['an unknown key', `/card-fields/rip_pk_${'0'.repeat(48)}`, ['*']],
    ['an unknown integration', () => `${pages.fields}?integration=x`, ['*']],
    ['an unknown handle', '/pay/nobody', nothing],
    ['a handle of another shape', '/pay/No%20body', nothing],
    ['a suspended merchant', () => pages.suspended, nothing],
    ['a method that nobody asked for', '/3ds/method/0', ["'self'"]],
    ["another's token", () => pages.challenge.replace('challenge', 'method'), ["'self'"]],
    ['a challenge that nobody asked for', '/3ds/challenge/0', ["'self'"]],
  ] as [string, string | (() => string), string[]][])('%s', async (_name, where, ancestors) => {
    const got = await read(typeof where === 'string' ? where : where())
    expect(got.status).toBe(404)
    const policy = policyOf(got)
    expect(policy).toEqual({
      ...always,
      'style-src': [hashOf(got, 'style')],
      'img-src': ['data:'],
      'frame-ancestors': ancestors,
    })
    expect(tagsOf(got.text).map(({ name }) => name)).not.toContain('script')
  })

  test('the demo shop, where there is none', async () => {
    const other = await startService()
    const answer = await fetch(`${other.base_url}/demo`)
    await other.close()
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('This checkout is not available')
  })

  test("says so in the shopper's language", async () => {
    const { text, headers } = await read('/pay/nobody', { 'accept-language': 'de' })
    expect(text).toContain('<html lang="de" dir="ltr">')
    expect(text).not.toContain('This checkout is not available')
    expect(headers.vary).toContain('Accept-Language')
  })
})

describe("this machine's other name", () => {
  const asked = (path: string, host: string) => read(path, { host: `${host}:${new URL(service.base_url).port}` })

  test.each(['localhost', '[::1]'])('%s leads to the one that is an allowed origin', async (host) => {
    for (const path of ['/demo', '/pay/tea?amount=5&currency=GBP']) {
      const { status, headers } = await asked(path, host)
      expect(status).toBe(302)
      expect(headers.location).toBe(service.base_url + path)
    }
  })

  test.each(['127.0.0.1', 'pay.example'])('%s is not led away', async (host) => {
    for (const path of ['/demo', '/pay/tea']) expect((await asked(path, host)).status).toBe(200)
  })

  test('what is framed is not led away', async () => {
    expect((await asked(pages.fields, 'localhost')).status).toBe(200)
  })
})

describe('an address that leads nowhere', () => {
  const nowhere = (path: string, accept: string, method = 'GET') =>
    fetch(service.base_url + path, { method, headers: { accept, 'accept-language': 'de' } })
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

  test('is a page in a browser', async () => {
    const answer = await nowhere('/no/such/page', browser)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const html = await answer.text()
    expect(html).toContain('<html lang="de" dir="ltr">')
    expect(html).toContain('<h1>Diese Seite gibt es nicht</h1>')
  })

  test.each([
    ['a program', '/no/such/page', '*/*', 'GET'],
    ['who posts', '/no/such/page', browser, 'POST'],
    ['who asks the API', '/v1/no/such/route', browser, 'GET'],
  ])('is a refusal to %s', async (_, path, accept, method) => {
    const answer = await nowhere(path, accept, method)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error: 'resource_not_found' })
  })
})

test('the checkout says that a receipt comes only where one is sent', async () => {
  const sending = await startService({ receipt_modes: ['test'] })
  for (const [each, sent] of [
    [service, false],
    [sending, true],
  ] as const) {
    const key = each.account.publishable_key
    const html = await (await fetch(`${each.base_url}/card-fields/${key}`)).text()
    expect(html).toContain(`"receipts_sent":${sent}`)
    const config = await fetch(`${each.base_url}/v1/checkout/config/${key}`)
    expect(await config.json()).toMatchObject({ receipts_sent: sent })
  }
  await sending.close()
})
