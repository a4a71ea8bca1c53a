// The pages that shoppers' browsers get: their headers, their languages, what they load, and what they never say.

import { createHash } from 'node:crypto'
import { get, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeMerchant, createIntegration } from '../src/merchants/manage.ts'
import { readMarkup } from '../src/pages/markup.ts'
import { cardOf, runChallenge, visa } from './client.ts'
import { type Account, type Service, shop, startService } from './service.ts'

const name = '</script><script>alert(1)'
const picture = 'https://cdn.example/tea.png'
const tea = { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP', image_url: picture }

let service: Service
let account: Account
/** Addresses of the pages, below the service's own. */
let pages: Record<
  'fields' | 'pay' | 'demo' | 'method' | 'challenge' | 'result' | 'suspended',
  string
>
let client_secret: string

beforeAll(async () => {
  service = await startService({
    demo_shop: () => ({
      secret_key: account.secret_key,
      publishable_key: account.publishable_key!,
      handle: 'tea',
      goods: [tea],
    }),
  })
  account = await service.newAccount({ merchant: { name } })
  await hostedPage(account, 'tea')
  const suspended = await service.newAccount()
  await hostedPage(suspended, 'closed')
  await changeMerchant(service.office, suspended.merchant_id, { status: 'suspended' })
  const { client } = account
  const session = await client.open()
  const { body } = await client.referenceCard(session, cardOf(visa))
  const challenge = await challengeOf(account)
  const over = await challengeOf(account)
  await runChallenge(over)
  client_secret = session.client_secret
  pages = {
    fields: `/card-fields/${account.publishable_key}`,
    pay: '/pay/tea',
    demo: '/demo',
    method: new URL(body.three_ds_method.url).pathname,
    challenge: new URL(challenge).pathname,
    result: new URL(over).pathname,
    suspended: '/pay/closed',
  }
})
afterAll(() => service.close())

async function hostedPage({ merchant_id }: Account, handle: string): Promise<void> {
  await createIntegration(service.office, merchant_id, {
    name: 'hosted',
    is_hosted_page: true,
    handle,
    allowed_origins: [shop],
    price_list: [tea],
  })
}

async function challengeOf({ client }: Account): Promise<string> {
  const { body } = await client.present(await client.open(), '4000000000003220')
  return body.three_ds.challenge.url
}

type Got = { status: number; headers: IncomingHttpHeaders; bytes: Buffer; text: string }

/** Just what is asked: no header added, nothing decompressed, no redirect followed. */
function read(path: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    get(service.base_url + path, { headers }, async (response) => {
      const bytes = Buffer.concat(await response.toArray())
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, bytes, text: bytes.toString() })
    }).on('error', reject)
  })
}

function policyOf({ headers }: Got): Record<string, string[]> {
  const policy = String(headers['content-security-policy'])
  const directives = policy.split('; ').map((each) => each.split(' '))
  return Object.fromEntries(directives.map(([directive, ...sources]) => [directive!, sources]))
}

/** What the page itself holds, as its policy has to name it. */
function hashOf({ text }: Got, element: 'script' | 'style'): string {
  const found = readMarkup(text).tags.filter(
    (tag) => tag.name === element && tag.attributes.size === 0,
  )
  expect(found).toHaveLength(1)
  return `'sha256-${createHash('sha256').update(found[0]!.text!).digest('base64')}'`
}

const nothing = ["'none'"]
const always = {
  'default-src': nothing,
  'base-uri': nothing,
  'form-action': nothing,
  'require-trusted-types-for': ["'script'"],
  'trusted-types': nothing,
}

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
      // The hosted page's origin too, because the merchant has one.
      'frame-ancestors': ["'self'", shop, service.base_url],
    })
    expect(got.headers['x-frame-options']).toBeUndefined()
  })

  test('the card fields of a merchant without a hosted page', async () => {
    const { publishable_key } = service.account
    const got = await read(`/card-fields/${publishable_key}`)
    expect(policyOf(got)['frame-ancestors']).toEqual(["'self'", shop])
  })

  test('the hosted page', async () => {
    const got = await read(pages.pay)
    const own = [service.base_url]
    expect(policyOf(got)).toEqual({
      ...always,
      'script-src': own,
      'style-src': own,
      'connect-src': own,
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
      'style-src': own,
      'connect-src': own,
      'img-src': ['data:'],
      'frame-src': own,
      'trusted-types': ['ripper-checkout'],
      'frame-ancestors': nothing,
    })
    expect(got.headers['x-frame-options']).toBe('DENY')
  })

  test.each(['method', 'challenge'] as const)("the page around the bank's %s", async (page) => {
    const got = await read(pages[page])
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
    expect(readMarkup(got.text).tags.map(({ name }) => name)).not.toContain('script')
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

/** What the linked scripts and style sheets of a page are, with their integrity. */
async function linkedBy(path: string): Promise<{ path: string; integrity: string }[]> {
  const { tags } = readMarkup((await read(path)).text)
  return tags.flatMap(({ attributes }) => {
    const url = attributes.get('src') ?? attributes.get('href') ?? 'data:,'
    if (url === 'data:,') return []
    expect(attributes.has('crossorigin')).toBe(true)
    expect(url.startsWith(`${service.base_url}/assets/`)).toBe(true)
    return [{ path: new URL(url).pathname, integrity: attributes.get('integrity')! }]
  })
}

describe('scripts and style sheets', () => {
  test.each([
    ['pay', ['checkout.js', 'pay.css', 'pay.js']],
    ['demo', ['checkout.js', 'demo.css', 'demo.js']],
  ] as const)('of %s have their integrity and may be kept for ever', async (page, files) => {
    const links = await linkedBy(pages[page])
    expect(links.map(({ path }) => path.split('/').at(-1)).sort()).toEqual(files)
    for (const { path, integrity } of links) {
      const { status, bytes, headers } = await read(path)
      expect(status).toBe(200)
      expect(integrity).toBe(`sha384-${createHash('sha384').update(bytes).digest('base64')}`)
      const type = path.endsWith('.css') ? 'text/css' : 'text/javascript'
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': `${type}; charset=utf-8`,
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'Accept-Encoding',
      })
    }
  })

  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const)('Accept-Encoding %s', async (accepted, encoding, unpack) => {
    const { path } = (await linkedBy(pages.pay))[0]!
    const plain = await read(path)
    const packed = await read(path, { 'accept-encoding': accepted })
    expect(packed.headers['content-encoding']).toBe(encoding)
    expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true)
    expect(packed.bytes.length < plain.bytes.length).toBe(encoding !== undefined)
  })

  test('of another version are not there, and that is not kept', async () => {
    const { path } = (await linkedBy(pages.pay))[0]!
    const [, , hash, file] = path.split('/')
    for (const other of [`/assets/0123456789abcdef/${file}`, `/assets/${hash}/x.js`]) {
      const { status, headers } = await read(other)
      expect(status).toBe(404)
      expect(headers['cache-control']).toBe('no-store')
    }
  })

  test('/checkout.js is the newest, and is not sent again to those who have it', async () => {
    const links = await linkedBy(pages.demo)
    const pinned = await read(links.find(({ path }) => path.endsWith('/checkout.js'))!.path)
    const { status, headers, bytes } = await read('/checkout.js')
    expect(status).toBe(200)
    expect(bytes.equals(pinned.bytes)).toBe(true)
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'content-type': 'text/javascript; charset=utf-8',
    })
    const etag = headers.etag!
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await read('/checkout.js', { 'if-none-match': known })
      expect(again).toMatchObject({ status: 304, text: '' })
      expect(again.headers.etag).toBe(etag)
    }
    expect((await read('/checkout.js', { 'if-none-match': '"x"' })).status).toBe(200)
  })
})

/** What the script of a page is told. */
function contextOf({ text }: Got) {
  const block = readMarkup(text).tags.find(({ attributes }) => attributes.get('id') === 'context')
  return JSON.parse(block!.text!)
}

describe('the language', () => {
  test.each([
    ['none', '', undefined, 'en', 'ltr'],
    ["the browser's", '', 'xx, de-CH;q=0.8, fr;q=0.9', 'fr', 'ltr'],
    ['with its region', '', 'de-CH', 'de-CH', 'ltr'],
    ['asked for', 'locale=ja', 'de', 'ja', 'ltr'],
    ['asked for as auto', 'locale=auto', 'de', 'de', 'ltr'],
    ['one that is not there', 'locale=xx', 'de', 'en', 'ltr'],
    ['one that is no tag', 'locale=de%22%3E%3Cscript%3E', undefined, 'en', 'ltr'],
    ['from right to left', 'locale=ar-EG', undefined, 'ar-EG', 'rtl'],
  ])('%s', async (_name, query, accepted, locale, direction) => {
    for (const page of [pages.fields, pages.pay]) {
      const headers: Record<string, string> = accepted ? { 'accept-language': accepted } : {}
      const got = await read(`${page}?${query}`, headers)
      expect(got.text).toContain(`<html lang="${locale}" dir="${direction}">`)
      const { locale: told, words } = contextOf(got)
      expect(told).toBe(locale)
      const english = words.card_details === 'Card details'
      expect(english).toBe(locale === 'en')
      expect(got.headers.vary).toContain('Accept-Language')
    }
  })

  test.each([
    ['challenge', 'ar', '<html lang="ar" dir="rtl">'],
    ['method', 'fr-CA', '<html lang="fr-CA" dir="ltr">'],
    ['result', 'de', '<html lang="en" dir="ltr">'],
  ] as const)('of the page around the bank: %s in %s', async (page, accepted, element) => {
    expect((await read(pages[page], { 'accept-language': accepted })).text).toContain(element)
  })
})

test('a merchant’s name stays a name', async () => {
  for (const page of [pages.pay, pages.fields, pages.demo]) {
    const got = await read(page)
    expect(got.text).not.toContain(name)
    expect(got.text).not.toContain('<script>alert')
  }
  const got = await read(pages.pay)
  expect(contextOf(got).config.merchant.name).toBe(name)
  const scripts = readMarkup(got.text).tags.filter((tag) => tag.name === 'script')
  expect(scripts).toHaveLength(3)
  expect(got.text).toContain('<title>&#60;/script&#62;&#60;script&#62;alert(1)</title>')
})

test('no page says a secret', async () => {
  for (const path of Object.values(pages)) {
    const { text, headers } = await read(`${path}?client_secret=${client_secret}`)
    const said = `${text}${JSON.stringify(headers)}`
    expect(said).not.toContain(account.secret_key)
    expect(said).not.toContain(client_secret)
    expect(said).not.toMatch(/rip_sk_|_secret_/)
  }
})

describe("this machine's other name", () => {
  const asked = (path: string, host: string) =>
    read(path, { host: `${host}:${new URL(service.base_url).port}` })

  test.each(['localhost', '[::1]'])(
    '%s leads to the one that is an allowed origin',
    async (host) => {
      for (const path of ['/demo', '/pay/tea?amount=5&currency=GBP']) {
        const { status, headers } = await asked(path, host)
        expect(status).toBe(302)
        expect(headers.location).toBe(service.base_url + path)
      }
    },
  )

  test.each(['127.0.0.1', 'pay.example'])('%s is not led away', async (host) => {
    for (const path of ['/demo', '/pay/tea']) expect((await asked(path, host)).status).toBe(200)
  })

  test('what is framed is not led away', async () => {
    expect((await asked(pages.fields, 'localhost')).status).toBe(200)
  })
})
