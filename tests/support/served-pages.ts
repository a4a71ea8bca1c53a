// A service with one of each page that shoppers' browsers get, and a reader that takes them as they come.

import { createHash } from 'node:crypto'
import { get, type IncomingHttpHeaders } from 'node:http'
import { afterAll, expect } from 'vitest'
import { changeMerchant, createIntegration } from '../../src/merchants/manage.ts'
import { cardOf, runChallenge, visa } from './client.ts'
import { tagsOf } from './markup.ts'
import { type Account, type Service, shop, startService } from './service.ts'

/** What a page must not take for its own markup, wherever a merchant writes it. */
export const breakout = '</script><script>alert(1)'
const picture = 'https://cdn.example/tea.png'
const tea = { sku: 'tea', name: breakout, unit_amount: 850, currency: 'GBP', image_url: picture }
const appearance = { variables: { fontFamily: breakout } }

export type ServedPages = {
  service: Service
  /** Whose pages they are, but for the suspended one. */
  account: Account
  /** Addresses of the pages, below the service's own. */
  pages: Record<'fields' | 'pay' | 'demo' | 'method' | 'challenge' | 'result' | 'suspended', string>
  /** Of one of the merchant's sessions. */
  client_secret: string
  /** Just what is asked: no header added, nothing decompressed, no redirect followed. */
  read(path: string, headers?: Record<string, string>): Promise<PageAnswer>
}

/** To be awaited at the top of a test file: the service is closed after its tests. */
export async function useServedPages(): Promise<ServedPages> {
  const served = await servePages()
  afterAll(() => served.service.close())
  return served
}

async function servePages(): Promise<ServedPages> {
  const service = await startService({
    demo_shop: () => ({
      secret_key: account.secret_key,
      publishable_key: account.publishable_key!,
      handle: 'tea',
      goods: [tea],
    }),
  })
  const account = await service.newAccount({
    merchant: { name: breakout },
    integration: { appearance },
  })
  await hostedPage(service, account, 'tea')
  const suspended = await service.newAccount()
  await hostedPage(service, suspended, 'closed')
  await changeMerchant(service.operator, suspended.merchant_id, { status: 'suspended' })
  const { client } = account
  const session = await client.open()
  const { body } = await client.referenceCard(session, cardOf(visa))
  const challenge = await challengeOf(account)
  const over = await challengeOf(account)
  await runChallenge(over)
  return {
    service,
    account,
    client_secret: session.client_secret,
    pages: {
      fields: `/card-fields/${account.publishable_key}`,
      pay: '/pay/tea',
      demo: '/demo',
      method: new URL(body.three_ds_method.url).pathname,
      challenge: new URL(challenge).pathname,
      result: new URL(over).pathname,
      suspended: '/pay/closed',
    },
    read: (path, headers = {}) => read(service.base_url + path, headers),
  }
}

async function hostedPage({ operator }: Service, { merchant_id }: Account, handle: string): Promise<void> {
  await createIntegration(operator, merchant_id, {
    name: 'hosted',
    is_hosted_page: true,
    handle,
    allowed_origins: [shop],
    price_list: [tea],
    appearance,
  })
}

/** The address of a challenge that nobody has answered yet. */
export async function challengeOf({ client }: Account): Promise<string> {
  const { body } = await client.present(await client.open(), '4000000000003220')
  return body.three_ds.challenge.url
}

type PageAnswer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer; text: string }

function read(url: string, headers: Record<string, string>): Promise<PageAnswer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, async (response) => {
      const bytes = Buffer.concat(await response.toArray())
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, bytes, text: bytes.toString() })
    }).on('error', reject)
  })
}

export function policyOf({ headers }: PageAnswer): Record<string, string[]> {
  const policy = String(headers['content-security-policy'])
  const directives = policy.split('; ').map((each) => each.split(' '))
  return Object.fromEntries(directives.map(([directive, ...sources]) => [directive!, sources]))
}

/** What the page itself holds, as its policy has to name it. */
export function hashOf({ text }: PageAnswer, element: 'script' | 'style'): string {
  const found = tagsOf(text).filter((tag) => tag.name === element && tag.attributes.size === 0)
  expect(found).toHaveLength(1)
  return `'sha256-${createHash('sha256').update(found[0]!.text!).digest('base64')}'`
}

/** What the script of a page is told. */
export function contextOf({ text }: PageAnswer) {
  const block = tagsOf(text).find(({ attributes }) => attributes.get('id') === 'context')
  return JSON.parse(block!.text!)
}
