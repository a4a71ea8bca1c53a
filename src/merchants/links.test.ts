// Which addresses a merchant's links may have, and in which mode pages show them.

import { expect, test } from 'vitest'
import { linkFault, viewLinks } from './links.ts'

test.each([
  'https://shop.example/terms',
  'https://shop.example:8443/help?lang=de#contact',
  'http://localhost:3000/back',
  'http://127.0.0.1/',
  'http://[::1]:3000/',
])('%s can be one', (url) => {
  expect(linkFault(url)).toBeNull()
})

test.each([
  ['', 'absolute'],
  ['/terms', 'absolute'],
  ['shop.example', 'absolute'],
  ['https:shop.example', 'absolute'],
  ['https://', 'absolute'],
  ['https://shop.example/a b', 'absolute'],
  ['https://shop.example/\n', 'absolute'],
  ['javascript:alert(1)', 'absolute'],
  ['mailto:help@shop.example', 'absolute'],
  ['http://shop.example/', 'localhost'],
  ['http://localhost.shop.example/', 'localhost'],
  ['https://shop.example@evil.example/', 'user name or password'],
  [`https://shop.example/${'a'.repeat(2000)}`, '2000'],
])('%j cannot', (url, words) => {
  expect(linkFault(url)).toContain(words)
})

test('an address of this machine is shown in test mode alone', () => {
  const links = {
    terms_url: 'https://shop.example/terms',
    support_url: 'http://localhost:3000/help',
    back_url: null,
  }
  expect(viewLinks(links, 'test')).toEqual(links)
  expect(viewLinks(links, 'live')).toEqual({ ...links, support_url: null })
})
