import { expect, test } from 'vitest'
import { beginOf, dayOf, minuteBeginOf, minuteOf } from '../parts/days.ts'
import { type Filters, filtersOf, queryOf } from './filters.ts'
import { choicesOf, meaningsOf, type Reader, screenFor } from './search.ts'

const readerOf = (locale: string): Reader => ({ locale, opens: () => true })
const reader = readerOf('en-GB')

test.each([
  ['pay_0123456789abcdef01234567', { screen: 'payments/pay_0123456789abcdef01234567' }],
  [' cs_0123456789abcdef01234567', { screen: 'payments/cs_0123456789abcdef01234567' }],
  ['ref_0123456789abcdef01234567', { screen: 'refunds?refund_id=ref_0123456789abcdef01234567' }],
  ['req_0123456789abcdef01234567', { screen: 'requests?request_id=req_0123456789abcdef01234567' }],
  ['key_0123456789abcdef01234567', { screen: 'keys?row=key_0123456789abcdef01234567' }],
  ['whep_0123456789abcdef01234567', { screen: 'webhooks?row=whep_0123456789abcdef01234567' }],
  ['evt_0123456789abcdef01234567', { screen: 'webhooks' }],
  ['Jo@Shop.example', { filters: { customer_email: 'jo@shop.example' } }],
  ['4242', { filters: { card_last4: '4242' } }],
  ['42.00', { filters: { amount: '4200' } }],
  ['£42', { filters: { amount: '4200', currency: 'GBP' } }],
  ['4,200 gbp', { filters: { amount: '420000', currency: 'GBP' } }],
  ['JPY 500', { filters: { amount: '500', currency: 'JPY' } }],
  ['KWD 1.234', { filters: { amount: '1234', currency: 'KWD' } }],
  ['19.99 €', { filters: { amount: '1999', currency: 'EUR' } }],
  ['eur', { filters: { currency: 'EUR' } }],
  ['12345', { filters: { order_reference: '12345' } }],
  ['A-1042', { filters: { order_reference: 'A-1042' } }],
  ['  ', { filters: {} }],
])('%s', (typed, understood) => {
  const named = 'screen' in understood ? { ...understood, text: typed.trim() } : understood
  expect(meaningsOf(typed, reader)[0] ?? { filters: {} }).toEqual(named)
})

test.each([
  ['42,00 €', 'de', { amount: '4200', currency: 'EUR' }],
  ['4.200 ¥', 'de', { amount: '4200', currency: 'JPY' }],
  ['1234,56 £', 'it', { amount: '123456', currency: 'GBP' }],
  ['1.234,56 €', 'en', { amount: '123456', currency: 'EUR' }],
  ['42,00 zł', 'pl', { amount: '4200', currency: 'PLN' }],
  ['R$42.00', 'en', { amount: '4200', currency: 'BRL' }],
  ['US$42.00', 'nl', { amount: '4200', currency: 'USD' }],
  ['￥4,200', 'ja', { amount: '4200', currency: 'JPY' }],
])('%s in %s', (typed, locale, filters) => {
  expect(meaningsOf(typed, readerOf(locale))[0]).toEqual({ filters })
})

test.each<[string, Filters[]]>([
  ['4242', [{ card_last4: '4242' }, { order_reference: '4242' }, { amount: '424200' }]],
  ['42', [{ order_reference: '42' }, { amount: '4200' }]],
  ['42.00', [{ amount: '4200' }, { order_reference: '42.00' }]],
  ['jo@x', [{ customer_email: 'jo@x' }, { order_reference: 'jo@x' }]],
  ['0', [{ order_reference: '0' }]],
])('%s may mean', (typed, meanings) => {
  expect(meaningsOf(typed, reader)).toEqual(meanings.map((filters) => ({ filters })))
})

const secret = '0123456789abcdef'.repeat(3)

test.each([
  [`rip_sk_${secret}`, [{ secret_of: 'keys' }]],
  [` RIPPER_KEY=rip_sk_${secret} `, [{ secret_of: 'keys' }]],
  ['rip_sk_', [{ secret_of: 'keys' }]],
  [`rip_whsec_${secret}`, [{ secret_of: 'webhooks' }]],
  [
    `cs_0123456789abcdef01234567_secret_${secret}`,
    [{ screen: 'payments/cs_0123456789abcdef01234567', text: 'cs_0123456789abcdef01234567' }],
  ],
])('the secret %s is in no choice', (typed, meanings) => {
  const choices = choicesOf(typed, reader, nothing)
  expect(choices).toEqual(meanings)
  expect(JSON.stringify(choices)).not.toContain(secret)
})

test.each([
  ['requests', 'req_0123456789abcdef01234567'],
  ['keys', 'key_0123456789abcdef01234567'],
  ['keys', `rip_sk_${secret}`],
  ['team', 'usr_0123456789abcdef01234567'],
])('who may not open %s is offered nothing for %s', (closed, typed) => {
  expect(choicesOf(typed, { ...reader, opens: (screen) => screen !== closed }, nothing)).toEqual([])
})

const nothing = { order_references: [], customer_emails: [], payment_ids: [], session_ids: [] }
const pay = 'pay_0123456789abcdef01234567'

test.each<[string, string, Partial<typeof nothing> | object, object[]]>([
  ['nothing is known', 'smith', {}, [{ order_reference: 'smith' }]],
  [
    'an email has it inside',
    'smith',
    { customer_emails: ['jo.smith@x.example'] },
    [{ customer_email: 'jo.smith@x.example' }, { order_reference: 'smith' }],
  ],
  [
    'a whole order comes before a part of one',
    'a-10',
    { order_references: ['A-1042', 'A-10'], customer_emails: ['a-10@x.example'] },
    [
      { order_reference: 'A-10' },
      { order_reference: 'A-1042' },
      { customer_email: 'a-10@x.example' },
      { order_reference: 'a-10' },
    ],
  ],
  [
    'an order that there is comes before a card',
    '4242',
    { order_references: ['4242'] },
    [{ order_reference: '4242' }, { card_last4: '4242' }, { amount: '424200' }],
  ],
])('%s', (_, typed, known, choices) => {
  expect(choicesOf(typed, reader, { ...nothing, ...known })).toEqual(choices.map((filters) => ({ filters })))
})

test('what an acquirer calls so is a payment, and an id of ours comes before all', () => {
  const matches = { ...nothing, order_references: ['re_1'], payment_ids: [pay] }
  expect(choicesOf('re_1', reader, matches)).toEqual([
    { screen: `payments/${pay}`, text: 're_1' },
    { filters: { order_reference: 're_1' } },
  ])
  expect(choicesOf(pay, reader, { ...nothing, order_references: [pay] })[0]).toEqual({
    screen: `payments/${pay}`,
    text: pay,
  })
})

test('a request that a shopper was refused leads to its session first, whoever may not open requests', () => {
  const request_id = 'req_0123456789abcdef01234567'
  const session_id = 'cs_0123456789abcdef01234567'
  const matches = { ...nothing, session_ids: [session_id] }
  const choices = choicesOf(request_id, reader, matches)
  expect(choices).toEqual([{ session_id }, { screen: `requests?request_id=${request_id}`, text: request_id }])
  expect(screenFor(choices[0]!)).toBe(`sessions/${session_id}`)
  const support = { ...reader, opens: (screen: string) => screen !== 'requests' }
  expect(choicesOf(request_id, support, matches)).toEqual([{ session_id }])
})

test('filters go into an address and come out of it again', () => {
  const filters: Filters = { status: 'held', customer_email: 'jo+tea@shop.example' }
  expect(filtersOf(queryOf(filters))).toEqual(filters)
  expect(filtersOf('?status=held&colour=red')).toEqual({ status: 'held' })
  expect(filtersOf('?status=lost')).toEqual({})
  expect(filtersOf('?refunded=true')).toEqual({ refunded: 'true' })
  expect(filtersOf('?refunded=false&status=captured')).toEqual({ status: 'captured', refunded: 'false' })
  // What no chip shows.
  expect(filtersOf('?refunded=false&status=held')).toEqual({ status: 'held' })
  expect(filtersOf('?refunded=maybe')).toEqual({})
  expect(queryOf({ status: undefined })).toBe('')
})

test('a day and a minute begin where the person is', () => {
  const begin = beginOf('2026-03-29')!
  expect(new Date(begin).getHours()).toBe(0)
  expect(dayOf(begin)).toBe('2026-03-29')
  expect(dayOf(beginOf('2026-03-29', 1)!)).toBe('2026-03-30')
  expect(beginOf('')).toBeUndefined()
  const minute = minuteBeginOf('2026-03-29T10:15')!
  expect(minuteOf(minute)).toBe('2026-03-29T10:15')
  expect(Date.parse(minuteBeginOf('2026-03-29T10:15', 1)!) - Date.parse(minute)).toBe(60_000)
  expect(minuteBeginOf('')).toBeUndefined()
})
