import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Item } from '../purchase.ts'
import { type ReceiptPayment, receiptOf } from './receipt.ts'

const locales = readdirSync(new URL('words/', import.meta.url)).map((file) => file.slice(0, -5))

const item = (asked: Partial<Item>): Item => ({
  kind: 'product',
  sku: null,
  name: 'Assam',
  quantity: 1,
  unit_amount: 850,
  tax_amount: null,
  tax_rate: null,
  type: null,
  ...asked,
})

const paid: ReceiptPayment = {
  payment_id: 'pay_1',
  mode: 'live',
  amount: 4200,
  currency: 'GBP',
  executed_at: new Date('2026-09-01T12:34:56Z'),
  order_reference: 'A-17',
  items: null,
  price_list: null,
  email: 'ada@example.com',
  merchant_name: 'Tea & Sons',
  descriptor: 'TEA AND SONS A17',
  brand: 'visa',
  last4: '4242',
  locale: 'en-GB',
  sequence: null,
}

const at = { from: 'receipts@pay.example', now: new Date('2026-09-01T12:35:00Z') }
const receipt = (asked: Partial<ReceiptPayment> = {}) => receiptOf({ ...paid, ...asked }, at)
/** Values of attributes and the text between tags. */
const shown = (html: string) => html.replace(/<[^>]*>/g, '\n')

test('says who was paid, what, when, for what and by which card', () => {
  const { from, to, subject, text, message_id, date } = receipt({
    items: [
      item({ quantity: 2 }),
      item({ name: null, sku: 'pot', unit_amount: 3000, tax_amount: 500 }),
      item({ kind: 'discount', name: 'Spring', unit_amount: 500 }),
      item({ name: 'Leaflet', unit_amount: null }),
    ],
  })
  expect({ from, to, subject, message_id, date }).toEqual({
    from: { name: 'Tea & Sons', address: 'receipts@pay.example' },
    to: 'ada@example.com',
    subject: 'Receipt from Tea & Sons',
    message_id: 'receipt.pay_1@pay.example',
    date: at.now,
  })
  expect(text).toBe(`Receipt from Tea & Sons

You paid £42.00 to Tea & Sons.

What you bought
2 × Assam
    £17.00
pot
    £30.00
Spring
    -£5.00
Leaflet

Amount
    £42.00
Tax included
    £5.00
Date
    1 September 2026 at 12:34 UTC
Order
    A-17
Card
    Visa ending in 4242
On your card statement
    TEA AND SONS A17
Payment number
    pay_1

You get this message because this address was given when the payment was made. If you have questions about your order, ask Tea & Sons.
`)
})

describe.each(locales)('%s', (locale) => {
  const { text, html, language } = receipt({ locale, items: [item({})] })
  const plain = (of: string) => of.replace(/[\u2066-\u2069]/g, '')

  test('both parts say the same', () => {
    expect(language).toBe(locale)
    const lines = text.split('\n').map((line) => plain(line).trim())
    const decoded = shown(html).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    const said = plain(decoded)
    expect(lines.filter((line) => line !== '' && !said.includes(line))).toEqual([])
    expect(text).not.toMatch(/\{\w+\}|undefined|null|NaN/)
  })

  test('runs as the language does', () => {
    const direction = locale === 'ar' ? 'rtl' : 'ltr'
    expect(html).toContain(`<html lang="${locale}" dir="${direction}">`)
    expect(html).toContain(`<body dir="${direction}"`)
  })

  test('says in test mode that it was a test', () => {
    const tested = receipt({ locale, mode: 'test', items: [item({})] })
    expect(tested.text.length).toBeGreaterThan(text.length)
    expect(tested.html.length).toBeGreaterThan(html.length)
  })
})

test.each<[Partial<ReceiptPayment>, string]>([
  [{ amount: 4200, currency: 'JPY', locale: 'ja' }, '￥4,200'],
  [{ amount: 4200, currency: 'KWD', locale: 'en' }, 'KWD\u00a04.200'],
  [{ amount: 123456, currency: 'EUR', locale: 'de' }, '1.234,56\u00a0€'],
  [{ amount: 4200, currency: 'HUF', locale: 'en' }, 'HUF\u00a042.00'],
])('an amount has its currency’s digits: %j', (asked, written) => {
  expect(receipt(asked).text).toContain(written)
  expect(receipt(asked).html).toContain(written)
})

test('what came by its sku alone has its name from the price list, in the currency that was paid', () => {
  const listed = { sku: 'pot', name: 'Stoneware teapot', unit_amount: 4200, currency: 'GBP' }
  const price_list = [{ ...listed, name: 'Teekanne', currency: 'EUR' }, listed]
  const items = [
    item({ name: null, sku: 'pot' }),
    item({ name: 'A pot', sku: 'pot' }),
    item({ name: null, sku: 'cup' }),
  ]
  const { text, html } = receipt({ items, price_list })
  const heading = 'What you bought\n'
  const bought = text.slice(text.indexOf(heading) + heading.length).split('\n\n')[0]!
  const names = bought.split('\n').filter((line) => !line.startsWith(' '))
  expect(names).toEqual(['Stoneware teapot', 'A pot', 'cup'])
  expect(html).toContain('<bdi>Stoneware teapot</bdi>')
})

test('from right to left the letters of a currency stand before its sign', () => {
  const { text, html } = receipt({ locale: 'ar' })
  for (const part of [text, html]) {
    expect(part).toContain('\u2066UK£\u2069')
    expect(part.replaceAll('\u2066UK£\u2069', '')).not.toContain('£')
  }
})

test('beside a long value our own words are not broken, names of goods are', () => {
  const { html } = receipt({ order_reference: 'W'.repeat(64), items: [item({})] })
  const cell = (label: string) => html.match(`<th [^>]*><bdi>${label}</bdi>`)![0]
  expect(cell('Amount')).toContain('overflow-wrap:normal')
  expect(cell('Payment number')).toContain('overflow-wrap:normal')
  expect(cell('Assam')).toContain('overflow-wrap:anywhere')
})

test.each([
  ['no language', null],
  ['a language that we have not', 'sw'],
  ['no tag at all', 'x"><script>'],
])('%s is English', (_name, locale) => {
  expect(receipt({ locale })).toMatchObject({ language: 'en', subject: 'Receipt from Tea & Sons' })
})

const hostile = '<img src=https://evil.example/x onerror="a()">\'&amp;</td><script>1</script>'

test('what others wrote is text, wherever it stands', () => {
  const { html } = receipt({
    merchant_name: hostile,
    order_reference: hostile,
    descriptor: hostile,
    items: [item({ name: hostile }), item({ name: null, sku: hostile })],
  })
  expect(html).not.toMatch(/<(img|script|a|link|iframe|style|form|svg|object)\b/i)
  const safe = receipt({ items: [item({ name: 'x' }), item({ name: 'y' })] }).html
  const tags = (of: string) => of.match(/<[^>]*>/g)
  expect(tags(html)).toEqual(tags(safe))
})

test('loads nothing from anywhere', () => {
  const { html } = receipt({ items: [item({})], mode: 'test' })
  expect(html).not.toMatch(/\b(src|href|srcset|background|action)\s*=|url\(|@import|https?:|cid:/i)
})

test.each([
  ['line breaks', 'Tea\r\nBcc: eve@example.com'],
  ['separators of lines', 'Tea\u2028Bcc:\u2029eve'],
  ['a turned direction', 'Tea\u202egro.live\u202c \u2066x\u2069'],
  ['half a character', 'Tea \ud83c'],
  ['control characters', 'Tea\u0000\u0007\u009b'],
])('%s in a name are gone', (_name, merchant_name) => {
  const { from, subject, text, html } = receipt({
    merchant_name,
    items: [item({ name: merchant_name })],
  })
  const odd = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/
  for (const each of [from.name, subject]) expect(each).not.toMatch(/[\r\n]/)
  for (const each of [from.name, subject, text, html]) {
    expect(each).not.toMatch(odd)
    expect(each.isWellFormed()).toBe(true)
  }
})

test('a name without end is cut', () => {
  const { from, text } = receipt({ merchant_name: 'a'.repeat(100_000) })
  expect(from.name).toHaveLength(200)
  expect(text.length).toBeLessThan(5_000)
})

test.each([
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com,eve@example.com',
  'Ada <ada@example.com>',
  '"a b"@example.com',
  'ada@exa@mple.com',
  'ada@',
  '@example.com',
  '',
  'ada\u202e@example.com',
  `${'a'.repeat(65)}@example.com`,
])('%j is no address to write to', (email) => {
  expect(() => receipt({ email })).toThrow('no address that can be written to')
})

test.each(['ada@example.com', 'ada+tag@example.com', "o'neil@example.ie", 'adä@exämple.com'])('%s is one', (email) => {
  expect(receipt({ email }).to).toBe(email)
})
