// A receipt: turns a payment into a letter for the shopper, with a plain and an HTML part. Nothing is fetched here, and texts
// from others are never treated as more than text.

import { readdirSync, readFileSync } from 'node:fs'
import { escapeHtml } from '../../kernel/html.ts'
import { type Brand, currencyOf, type Mode } from '../../kernel/values.ts'
import { type Language, languageFor } from '../../kernel/words.ts'
import type { PriceListItem } from '../../merchants/integration.ts'
import type { MailMessage } from '../../outgoing/mail/mailer.ts'
import { type Item, taxTotal } from '../purchase.ts'

export type ReceiptPayment = {
  payment_id: string
  mode: Mode
  amount: number
  currency: string
  executed_at: Date
  order_reference: string | null
  items: Item[] | null
  /** The price list of the session's integration, for the names of items that were sent with only their sku. */
  price_list: PriceListItem[] | null
  /** As the shopper typed it, or as the shop sent it. */
  email: string
  merchant_name: string
  /** The text on the card's statement. */
  descriptor: string
  brand: Brand
  last4: string
  /** The language of the checkout; null if it is unknown. */
  locale: string | null
  /** The how manieth time it is sent again; null for the first letter. */
  sequence: number | null
}

/** The letter's subject and its plain part. */
export function receiptTextOf(payment: ReceiptPayment): { subject: string; text: string } {
  const { subject, content, language } = draftOf(payment)
  return { subject, text: textOf(content, language) }
}

function draftOf(payment: ReceiptPayment) {
  const language = receiptLanguage(payment.locale)
  const shop = plain(payment.merchant_name) || 'Shop'
  const subject = language.say('subject', { shop })
  return { language, shop, subject, content: contentOf(payment, shop, language) }
}

/** The letter. `from` is the address of the service. Throws if the letter cannot be addressed. */
export function receiptOf(payment: ReceiptPayment, { from, now }: { from: string; now: Date }): MailMessage {
  const { language, shop, subject, content } = draftOf(payment)
  const again = payment.sequence === null ? '' : `.${payment.sequence}`
  return {
    from: { name: shop, address: from },
    to: addressOf(payment.email),
    subject,
    text: textOf(content, language),
    html: htmlOf(content, language),
    language: language.locale,
    // The id does not depend on the sender, so that the reader's mail program can recognise a duplicate. What somebody had sent again
    // is none.
    message_id: `receipt.${payment.payment_id}${again}@${from.slice(from.indexOf('@') + 1)}`,
    date: now,
  }
}

const brandNames: Record<Brand, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
}

/**
 * `runs_as` is the direction of a value: `foreign` for texts of others, `page` for the page's own language. Money is never
 * broken across lines.
 */
type Row = { label: string; value: string; runs_as: 'foreign' | 'page' | 'money' }
type Content = {
  title: string
  lead: string
  test: string | null
  items: { heading: string; rows: Row[] } | null
  rows: Row[]
  footer: string
}

function contentOf(payment: ReceiptPayment, shop: string, language: ReceiptLanguage): Content {
  const { say, locale } = language
  const money = (amount: number) => formatAmount(amount, payment.currency, locale)
  const amount = money(payment.amount)
  const tax = taxTotal(payment.items)
  const card = say('card_value', { brand: brandNames[payment.brand], last4: payment.last4 })
  const rows: [Parameters<typeof say>[0], string | null, Row['runs_as']][] = [
    ['amount', amount, 'money'],
    ['tax', tax === null ? null : money(tax), 'money'],
    ['date', formatTime(payment.executed_at, locale), 'page'],
    ['order', payment.order_reference && plain(payment.order_reference), 'foreign'],
    ['card', card, 'page'],
    ['statement', plain(payment.descriptor), 'foreign'],
    ['payment', payment.payment_id, 'foreign'],
  ]
  return {
    title: say('subject', { shop }),
    lead: say('paid', { amount, shop }),
    test: payment.mode === 'test' ? say('test') : null,
    items: payment.items?.length
      ? {
          heading: say('items'),
          rows: payment.items.map((item) => rowOf(item, nameOf(item, payment), money)),
        }
      : null,
    rows: rows.flatMap(([key, value, runs_as]) => (value ? [{ label: say(key), value, runs_as }] : [])),
    footer: say('footer', { shop }),
  }
}

/** The name under which the shopper saw the item. */
function nameOf({ name, sku }: Item, { price_list, currency }: ReceiptPayment): string {
  const entry = price_list?.find((each) => each.sku === sku && each.currency === currency)
  return plain(name ?? entry?.name ?? sku ?? '')
}

function rowOf(item: Item, name: string, money: (amount: number) => string): Row {
  const label = item.quantity === 1 ? name : `${item.quantity} × ${name}`
  if (item.unit_amount === null) return { label, value: '', runs_as: 'money' }
  const total = item.quantity * item.unit_amount
  const value = money(item.kind === 'discount' ? -total : total)
  return { label, value, runs_as: 'money' }
}

/** Each value is isolated, so that its direction does not move its neighbours. */
function textOf({ title, lead, test, items, rows, footer }: Content, language: ReceiptLanguage) {
  const apart = (value: string) => (language.direction === 'rtl' && value !== '' ? `\u2068${value}\u2069` : value)
  const lineOf = (each: Row) => `${apart(each.label)}\n    ${apart(each.value)}`.trimEnd()
  return [
    title,
    lead,
    ...(test ? [test] : []),
    ...(items ? [[items.heading, ...items.rows.map(lineOf)].join('\n')] : []),
    rows.map(lineOf).join('\n'),
    `${footer}\n`,
  ].join('\n\n')
}

// Readable on white and on black.
const muted = 'opacity:.75'
const line = 'border-top:1px solid #a3a3a3'

function htmlOf(content: Content, { locale, direction }: ReceiptLanguage): string {
  const { title, lead, test, items, rows, footer } = content
  const paragraph = (text: string, style: string) => `<p style="${style}">${escapeHtml(text)}</p>`
  return (
    `<!doctype html><html lang="${escapeHtml(locale)}" dir="${direction}"><head><meta charset="utf-8">` +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    '<meta name="color-scheme" content="light dark">' +
    // Phones would turn numbers into links.
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">' +
    `<title>${escapeHtml(title)}</title></head>` +
    `<body dir="${direction}" style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,sans-serif">` +
    '<div style="max-width:32rem;margin:0 auto">' +
    `<h1 style="font-size:20px;margin:0 0 8px">${escapeHtml(title)}</h1>` +
    paragraph(lead, 'margin:0 0 16px') +
    (test ? paragraph(test, 'margin:0 0 16px;font-weight:600') : '') +
    (items
      ? `<h2 style="font-size:16px;margin:16px 0 8px">${escapeHtml(items.heading)}</h2>${table(items.rows, direction, 'anywhere')}`
      : '') +
    // Our own words need no breaking, and beside a long value they would otherwise be broken.
    table(rows, direction, 'normal') +
    paragraph(footer, `margin:24px 0 0;font-size:14px;${muted}`) +
    '</div></body></html>\n'
  )
}

/** `label_breaks`: where a label may be broken inside a word. */
function table(rows: Row[], direction: ReceiptLanguage['direction'], label_breaks: 'anywhere' | 'normal'): string {
  const [start, end] = direction === 'rtl' ? ['right', 'left'] : ['left', 'right']
  const cell = `vertical-align:top;${line}`
  const name = `${cell};padding:8px 0;text-align:${start};font-weight:400;overflow-wrap:${label_breaks}`
  const value_style = `${cell};padding:8px 0;padding-${start}:16px;text-align:${end}`
  const lines = rows.map(({ label, value, runs_as }) => {
    const text = runs_as === 'page' ? escapeHtml(value) : `<bdi>${escapeHtml(value)}</bdi>`
    const breaks = runs_as === 'money' ? 'white-space:nowrap' : 'overflow-wrap:anywhere'
    return (
      `<tr><th scope="row" style="${name}"><bdi>${escapeHtml(label)}</bdi></th>` +
      `<td style="${value_style};${breaks}">${text}</td></tr>`
    )
  })
  return `<table style="width:100%;border-collapse:collapse;margin:0 0 16px"><tbody>${lines.join('')}</tbody></table>`
}

const text_length_max = 200

/** One line of text without invisible signs, such as those that change the direction of what follows. */
function plain(text: string): string {
  const visible = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return [...visible].slice(0, text_length_max).join('')
}

/** A single address: separators of addresses and line breaks are not accepted. */
function addressOf(email: string): string {
  if (/^[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}]+$/u.test(email)) {
    return email
  }
  throw new Error('no address that can be written to')
}

/** Formatted with the ISO 4217 exponent, as the checkout shows it. */
function formatAmount(amount: number, currency: string, locale: string): string {
  const digits = currencyOf(currency)?.exponent ?? 2
  const number = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits)
  // In text from right to left, the letters of `UK£` would otherwise appear behind its sign.
  return number.replace(/^(\u200f.*)([A-Z]{2}\p{Sc})/u, '$1\u2066$2\u2069')
}

/** Formatted in UTC, with the zone named, because the shopper's time zone is unknown. */
function formatTime(at: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  } as const).format(at)
}

type ReceiptLanguage = Pick<Language, 'locale' | 'direction'> & {
  /** The text of a key with its placeholders filled in. */
  say(key: ReceiptKey, values?: Record<string, string>): string
}

const folder = new URL('words/', import.meta.url)
const words = new Map(
  readdirSync(folder).map((file) => {
    const texts = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Texts
    return [file.slice(0, -5), texts]
  }),
)

type Texts = Record<ReceiptKey, string>

type ReceiptKey =
  | 'subject'
  | 'paid'
  | 'test'
  | 'amount'
  | 'date'
  | 'order'
  | 'card'
  | 'card_value'
  | 'statement'
  | 'payment'
  | 'items'
  | 'tax'
  | 'footer'

/** The texts of a language, or English if there is no such language. Pages have others, which every shopper loads. */
function receiptLanguage(locale: string | null): ReceiptLanguage {
  const language = languageFor(locale, null)
  const texts = words.get(new Intl.Locale(language.locale).language) ?? words.get('en')!
  return {
    locale: language.locale,
    direction: language.direction,
    say: (key, values = {}) => texts[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole),
  }
}
