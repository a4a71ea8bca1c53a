// POST …/card_references: which cards are taken, and for how long their reference is good.

import { expect, test } from 'vitest'
import { cardOf, refusal, visa, wordsOf } from '../support/client.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service

test('the answer has its members and no others', async () => {
  const session = await client.open()
  const card = { ...cardOf(visa), cardholder_name: 'Ada Lovelace' }
  const { status, body, text } = await client.referenceCard(session, card)
  expect([status, body]).toEqual([
    201,
    {
      card_reference: expect.stringMatching(/^card_[0-9a-f]{24}$/),
      brand: 'visa',
      last4: '4242',
      exp_month: 9,
      exp_year: 2031,
      expires_at: new Date(clock.now().getTime() + 900_000).toISOString().replace('Z', '0000+00:00'),
      three_ds_method: { url: expect.stringContaining(`${service.base_url}/3ds/method/`) },
    },
  ])
  expect(text).not.toContain(visa)
  const amex = await client.referenceCard(session, cardOf('340000920003000'))
  expect(amex.body).toMatchObject({ brand: 'amex', last4: '3000', three_ds_method: null })
})

test.each<[string, object, string]>([
  ['a number that is none', { number: 4242424242424242 }, 'number'],
  ['no number', { number: undefined }, 'number'],
  ['a month as text', { exp_month: '9' }, 'exp_month'],
  ['month 13', { exp_month: 13 }, 'exp_month'],
  ['month 0', { exp_month: 0 }, 'exp_month'],
  ['two digits of a year', { exp_year: 31 }, 'exp_year'],
  ['last year', { exp_year: 2025 }, 'expired'],
  ['last month', { exp_year: 2026, exp_month: 8 }, 'expired'],
  ['cvc of four', { cvc: '1234' }, 'security code'],
  ['cvc as a number', { cvc: 123 }, 'cvc'],
  ['no cvc', { cvc: undefined }, 'cvc'],
  ['a card as name', { cardholder_name: visa }, 'name'],
  ['an unknown field', { pin: '1' }, 'pin'],
])('refuses %s', async (_, more, words) => {
  const session = await client.open()
  const answer = await client.referenceCard(session, { ...cardOf(visa), ...more })
  expect(refusal(answer)).toBe('400 invalid_request')
  expect(answer.body.message).toContain(words)
  expect(wordsOf(answer)).not.toMatch(/4242/)
})

test('an empty name is none', async () => {
  const session = await client.open()
  const { body } = await client.referenceCard(session, { ...cardOf(visa), cardholder_name: '' })
  const [row] = await service.sql`
    select cardholder_name from vault.cards where card_reference = ${body.card_reference}`
  expect(row).toEqual({ cardholder_name: null })
})

test('this month, and spaces and hyphens, are taken', async () => {
  const session = await client.open()
  const card = { number: ' 4242-4242 4242 4242 ', exp_month: 9, exp_year: 2026, cvc: '000' }
  expect((await client.referenceCard(session, card)).status).toBe(201)
})

test('an unknown, foreign or old one is refused by its name', async () => {
  const session = await client.open()
  const foreign = await client.reference(await client.open())
  const merchants = await (await service.newAccount()).client.open()
  const theirs = await client.reference(merchants)
  const reference = await client.reference(session)
  await clock.advance(15 * 60_000)
  for (const one of [foreign, theirs, reference, 'card_0', '']) {
    const answer = await client.authenticate(session, one)
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toContain('card_reference')
  }
  expect((await client.readSession(session.id)).body.attempt_count).toBe(0)
})
