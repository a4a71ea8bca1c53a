// Where a challenge page opened in full leads back to: pages of the shop and of the service, and of nobody else.

import { describe, expect, test } from 'vitest'
import { readMarkup } from '../../src/pages/check/markup.ts'
import { useServedPages } from '../support/served-pages.ts'
import { shop } from '../support/service.ts'

const { service, pages, read } = await useServedPages()

/** By the page's script, and by its links. */
async function leadsTo(page: 'challenge' | 'result', returnUrl: string) {
  const got = await read(`${pages[page]}?return_url=${encodeURIComponent(returnUrl)}`)
  expect(got.status).toBe(200)
  const { tags } = readMarkup(got.text)
  const body = tags.find(({ name }) => name === 'body')!
  return {
    back: body.attributes.get('data-back') ?? null,
    links: tags.filter(({ name }) => name === 'a').map(({ attributes }) => attributes.get('href')),
  }
}

describe.each(['challenge', 'result'] as const)('from the %s page', (page) => {
  test.each<[string, () => string]>([
    ["the shop's origin", () => `${shop}/basket?a=1&b="2"#till`.replaceAll('"', '%22')],
    ["the shop's origin alone", () => `${shop}/`],
    ["the service's own", () => `${service.base_url}/pay/tea?sku=tea`],
  ])('led to: %s', async (_name, address) => {
    const links = page === 'challenge' ? [address()] : []
    expect(await leadsTo(page, address())).toEqual({ back: address(), links })
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
  expect(readMarkup(text).tags.map(({ name }) => name)).not.toContain('a')
})
