// Where a challenge page opened in full leads back to: pages of the shop and of the service, and of nobody else.

import { describe, expect, test } from 'vitest'
import { tagsOf } from '../support/markup.ts'
import { useServedPages } from '../support/served-pages.ts'
import { shop } from '../support/service.ts'

const { service, pages, read } = await useServedPages()

const inFull = (page: 'challenge' | 'result', returnUrl: string) =>
  read(`${pages[page]}?return_url=${encodeURIComponent(returnUrl)}`)

/** The bank's answer, with what it was given for us. */
async function answered(address: string) {
  const threeDSSessionData = Buffer.from(address).toString('base64url')
  const answer = await fetch(`${service.base_url}${pages.challenge}/result`, {
    method: 'POST',
    body: new URLSearchParams({ cres: 'e30', threeDSSessionData }),
  })
  return { status: answer.status, text: await answer.text() }
}

const ways = {
  'the challenge page': (address: string) => inFull('challenge', address),
  'the result page': (address: string) => inFull('result', address),
  "the bank's answer": answered,
}

/** By the page's script, and by its links. */
async function leadsTo(page: keyof typeof ways, returnUrl: string) {
  const got = await ways[page](returnUrl)
  expect(got.status).toBe(200)
  const tags = tagsOf(got.text)
  const body = tags.find(({ name }) => name === 'body')!
  return {
    back: body.attributes.get('data-back') ?? null,
    links: tags.filter(({ name }) => name === 'a').map(({ attributes }) => attributes.get('href')),
  }
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('from %s', (page) => {
  test.each<[string, () => string]>([
    ["the shop's origin", () => `${shop}/basket?a=1&b="2"#till`.replaceAll('"', '%22')],
    ["the shop's origin alone", () => `${shop}/`],
    ["the service's own", () => `${service.base_url}/pay/tea?sku=tea`],
  ])('led to: %s', async (_name, address) => {
    expect(await leadsTo(page, address())).toEqual({ back: address(), links: [address()] })
  })

  test.each<[string, () => string]>([
    ['a foreign origin', () => 'https://evil.example/'],
    ['a look-alike that begins as the shop', () => `${shop}.evil.example/`],
    ['a look-alike that ends as the shop', () => 'https://evilshop.example/'],
    ['a host below the shop', () => 'https://evil.shop.example/'],
    ['another port', () => `${shop}:8443/`],
    ['the shop without TLS', () => 'http://shop.example/'],
    ["the shop's name before another host", () => 'https://shop.example@evil.example/'],
    ['user information', () => 'https://jo:pass@shop.example/'],
    ['a user alone', () => 'https://evil.example@shop.example/'],
    ['a password alone', () => 'https://:pass@shop.example/'],
    ['javascript:', () => 'javascript:alert(1)'],
    ['javascript: with the shop', () => `javascript:${shop}/%0aalert(1)`],
    ['blob: of the shop', () => `blob:${shop}/0b4ce4c1-9d5c-4a1e-8c0e-2d0a1b2c3d4e`],
    ['blob: of the service', () => `blob:${service.base_url}/1`],
    ['data:', () => 'data:text/html,<script>alert(1)</script>'],
    ['file:', () => 'file:///etc/passwd'],
    ['another scheme of the same host', () => 'ftp://shop.example/'],
    ['a relative path', () => '/basket'],
    ['a host without a scheme', () => '//shop.example/basket'],
    ['nothing', () => ''],
    ['what is no address', () => 'https://['],
  ])('not led to: %s', async (_name, address) => {
    expect(await leadsTo(page, address())).toEqual({ back: null, links: [] })
  })
})

test('without an address there is no way back, and no link', async () => {
  const { text } = await read(pages.challenge)
  expect(text).not.toContain('data-back')
  expect(tagsOf(text).map(({ name }) => name)).not.toContain('a')
})

/** The names of a page's elements, and the fields of its form. */
async function partsOf(address: string) {
  const tags = tagsOf((await inFull('challenge', address)).text)
  const inputs = tags.filter(({ name }) => name === 'input')
  const field = (name: string) =>
    inputs.find(({ attributes }) => attributes.get('name') === name)?.attributes.get('value')
  return { names: tags.map(({ name }) => name), field }
}

test("in full the bank's page takes the place of ours, and brings the address back", async () => {
  const address = `${shop}/basket?a=1`
  const { names, field } = await partsOf(address)
  expect(names).not.toContain('iframe')
  expect(field('creq')).toBeTruthy()
  expect(Buffer.from(field('threeDSSessionData')!, 'base64url').toString()).toBe(address)
})

test('an address that is too long for the bank: its page is nested, and ours leads back', async () => {
  const at = (characters: number) => `${shop}/?${'a'.repeat(characters - shop.length - 2)}`
  expect((await partsOf(at(768))).names).not.toContain('iframe')
  const { names, field } = await partsOf(at(769))
  expect(names).toContain('iframe')
  expect(field('threeDSSessionData')).toBeUndefined()
})
