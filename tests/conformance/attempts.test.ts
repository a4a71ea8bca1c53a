// Attempts: one card tried once, three at most, and what each end of one allows.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, cardOf, purchase, refusal, type SessionSecret, visa } from '../client.ts'
import { drivenClock, driving, type Service, startService } from '../service.ts'

const clock = drivenClock()
let service: Service
let client: Client
beforeAll(async () => {
  service = await startService({ clock })
  client = service.client
})
afterAll(() => service.close())

const declining = '4000000000009995'
const hard = '4000000000009987'
const fraud = '4000000000004954'
const otp = '4000000000003220'
const lost = '4100000000000001'
const down = '4000009900040000'
const minutes = (count: number) => clock.advance(count * 60_000)

const decline = async (session: SessionSecret, number: string) => {
  expect((await client.present(session, number)).status).toBe(200)
  return (await client.confirm(session)).body
}

describe('card references', () => {
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
        expires_at: new Date(clock.now().getTime() + 900_000)
          .toISOString()
          .replace('Z', '0000+00:00'),
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
    expect(answer.text).not.toMatch(/4242/)
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
    await minutes(15)
    for (const one of [foreign, theirs, reference, 'card_0', '']) {
      const answer = await client.authenticate(session, one)
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.body.message).toContain('card_reference')
    }
    expect((await client.readSession(session.id)).body.attempt_count).toBe(0)
  })
})

describe('authenticate', () => {
  test('the answer has its members and no others', async () => {
    const session = await client.open()
    const { body } = await client.present(session, otp, { challenge_window_size: '02' })
    expect(body).toEqual({
      session_id: session.id,
      attempt: {
        id: expect.stringMatching(/^att_[0-9a-f]{24}$/),
        number: 1,
        card: { brand: 'visa', last4: '3220' },
      },
      three_ds: {
        state: 'awaiting_challenge',
        version: '2.2.0',
        challenge: {
          url: expect.stringContaining(`${service.base_url}/3ds/challenge/`),
          window_size: '02',
          expires_at: expect.any(String),
        },
        cardholder_info: null,
      },
      attempts_left: 2,
    })
    const { attempt, three_ds } = (await client.state(session)).body
    expect({ attempt, three_ds }).toEqual({ attempt: body.attempt, three_ds: body.three_ds })
  })

  test.each<[object, string]>([
    [{ browser: undefined }, 'browser is required'],
    [{ browser: { language: 'en' } }, 'browser.'],
    [{ challenge_window_size: '06' }, 'challenge_window_size'],
    [{ card_reference: 7 }, 'card_reference'],
    [{ card_number: visa }, 'card_number is not a field'],
  ])('refuses %j', async (more, words) => {
    const answer = await client.authenticate(await client.open(), 'card_x', more)
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toContain(words)
    expect(answer.text).not.toContain(visa)
  })

  test('the same reference answers the same attempt', async () => {
    const session = await client.open()
    const reference = await client.reference(session)
    const answers = [await client.authenticate(session, reference)]
    await client.confirm(await client.open())
    answers.push(await client.authenticate(session, reference))
    expect(answers[1]!.text).toBe(answers[0]!.text)
    expect((await client.readSession(session.id)).body.attempt_count).toBe(1)
  })

  test('another card supersedes an unfinished attempt', async () => {
    const session = await client.open()
    const first = await client.reference(session, otp)
    await client.authenticate(session, first)
    const { body } = await client.present(session)
    expect(body).toMatchObject({ attempt: { number: 2 }, attempts_left: 1 })
    const again = await client.authenticate(session, first)
    expect(again.body).toMatchObject({
      attempt: { number: 1 },
      three_ds: { state: 'superseded', challenge: null },
      attempts_left: 1,
    })
    const result = (await client.confirm(session)).body
    expect(result).toMatchObject({ status: 'captured', attempt: { number: 2 }, attempts_left: 1 })
  })

  test('three attempts at most', async () => {
    const session = await client.open()
    for (const left of [2, 1]) {
      expect(await decline(session, declining)).toMatchObject({
        status: 'declined',
        attempts_left: left,
      })
      expect((await client.readSession(session.id)).body.status).toBe('requires_payment')
    }
    const fourth = await client.reference(session)
    expect(await decline(session, declining)).toMatchObject({
      status: 'declined',
      attempts_left: 0,
    })
    expect((await client.readSession(session.id)).body).toMatchObject({
      status: 'declined',
      attempt_count: 3,
      last_decline: { code: 'insufficient_funds', category: 'soft' },
    })
    expect(refusal(await client.authenticate(session, fourth))).toBe('409 attempts_exhausted')
    expect(refusal(await client.referenceCard(session, cardOf(visa)))).toBe(
      '409 attempts_exhausted',
    )
    const payments = await service.sql`select 1 from payments where session_id = ${session.id}`
    expect(payments).toHaveLength(3)
  })

  test('three unfinished attempts: no fourth, but the third may go on', async () => {
    const session = await client.open()
    for (let count = 0; count < 3; count++) await client.present(session)
    expect(refusal(await client.present(session))).toBe('409 attempts_exhausted')
    expect((await client.confirm(session)).body).toMatchObject({
      status: 'captured',
      attempts_left: 0,
    })
  })

  test('a hard decline leaves the session open, one for fraud closes it', async () => {
    const session = await client.open()
    await decline(session, hard)
    const third = await client.reference(session)
    expect(await decline(session, fraud)).toMatchObject({
      decline: { category: 'fraud' },
      attempts_left: 1,
    })
    expect(refusal(await client.authenticate(session, third))).toBe('409 session_declined')
    expect((await client.readSession(session.id)).body.status).toBe('declined')
  })

  test('a decline for fraud on the third attempt: the three are used up', async () => {
    const session = await client.open()
    for (const number of [declining, declining, fraud]) await decline(session, number)
    expect(refusal(await client.authenticate(session, 'card_x'))).toBe('409 attempts_exhausted')
  })

  test('a paid, processing or expired session takes no card', async () => {
    const paid = await client.open()
    await client.present(paid)
    await client.confirm(paid)
    expect(refusal(await client.authenticate(paid, 'card_x'))).toBe('409 session_completed')
    const waiting = await client.open()
    const other = await client.reference(waiting)
    await client.present(waiting, lost)
    await driving(clock, client.confirm(waiting))
    expect(refusal(await client.authenticate(waiting, other))).toBe('409 session_processing')
    const old = await client.open()
    const unused = await client.reference(old)
    await client.present(old)
    await minutes(30)
    expect(refusal(await client.authenticate(old, unused))).toBe('409 session_expired')
    expect(refusal(await client.referenceCard(old, cardOf(visa)))).toBe('409 session_expired')
    expect(refusal(await client.confirm(old))).toBe('409 session_expired')
    expect((await client.state(old)).body.session).toMatchObject({
      status: 'expired',
      expires_in_seconds: 0,
    })
    expect((await client.readSession(waiting.id)).body.status).toBe('processing')
    expect((await client.readSession(paid.id)).body.status).toBe('succeeded')
  })

  test('a provider that is down spends nothing, and gives way to another card', async () => {
    const session = await client.open()
    await decline(session, declining)
    expect(refusal(await client.present(session, down))).toBe('503 three_ds_provider_unavailable')
    expect((await client.readSession(session.id)).body.attempt_count).toBe(1)
    expect((await client.present(session)).body.attempt.number).toBe(2)
    expect((await client.confirm(session)).body.status).toBe('captured')
  })
})

describe('confirm', () => {
  test('the answer has its members and no others, and stays', async () => {
    const session = await client.open({
      ...purchase,
      order_reference: 'A 1',
      confirmation_url: 'https://shop.example/x?a=1',
    })
    const { attempt } = (await client.present(session)).body
    const first = await client.confirm(session)
    expect(first.body).toEqual({
      status: 'captured',
      session_id: session.id,
      payment_id: expect.stringMatching(/^pay_[0-9a-f]{24}$/),
      attempt: { id: attempt.id, number: 1 },
      decline: null,
      attempts_left: 2,
      order_reference: 'A 1',
      confirmation_url: `https://shop.example/x?a=1&payment_id=${first.body.payment_id}&order_reference=A+1`,
    })
    await minutes(60)
    const again = await client.confirm(session, { customer: { email: 'other@example.com' } })
    expect(again.text).toBe(first.text)
    expect((await client.state(session)).body.result).toEqual(first.body)
  })

  test('an email is needed, and the one in the body is kept', async () => {
    const session = await client.open({ amount: 1, currency: 'GBP', customer: { name: 'Ada' } })
    await client.present(session)
    expect((await client.state(session)).body.session.customer_email_required).toBe(true)
    for (const body of [undefined, {}, { customer: null }, { customer: { email: null } }]) {
      expect(refusal(await client.confirm(session, body))).toBe('400 customer_email_required')
    }
    expect(refusal(await client.confirm(session, { customer: { email: 'x' } }))).toBe(
      '400 invalid_request',
    )
    expect(refusal(await client.confirm(session, { customer: { name: 'x' } }))).toBe(
      '400 invalid_request',
    )
    const { body } = await client.confirm(session, { customer: { email: 'b@example.com' } })
    const customer = {
      email: 'b@example.com',
      name: 'Ada',
      account_created: null,
      account_id: null,
      metadata: null,
    }
    expect((await client.readPayment(body.payment_id)).body.customer).toEqual(customer)
    expect((await client.readSession(session.id)).body.customer).toEqual(customer)
    expect((await client.state(session)).body.session.customer_email_required).toBe(false)
  })

  test('before any authenticate', async () => {
    const answer = await client.confirm(await client.open())
    expect(refusal(answer)).toBe('409 authentication_incomplete')
    expect(answer.body).toEqual({
      ...{
        error: 'authentication_incomplete',
        message: expect.any(String),
        request_id: expect.any(String),
      },
      attempt: null,
      three_ds: { state: 'not_started', version: null, challenge: null, cardholder_info: null },
    })
  })

  test('before the challenge has ended', async () => {
    const session = await client.open()
    const { attempt, three_ds } = (await client.present(session, otp)).body
    const answer = await client.confirm(session)
    expect(refusal(answer)).toBe('409 authentication_incomplete')
    expect(answer.body).toMatchObject({ attempt, three_ds })
    const payments = await service.sql`select 1 from payments where session_id = ${session.id}`
    expect(payments).toHaveLength(0)
  })

  test('takes an empty body, whatever its type', async () => {
    const session = await client.open()
    await client.present(session)
    const path = `/v1/checkout/sessions/${session.id}/confirm`
    const headers = {
      'rip-client-secret': session.client_secret,
      'content-type': 'application/json',
    }
    expect((await client.send('POST', path, { headers, raw: '' })).body.status).toBe('captured')
  })

  test('each decline has a payment of its own', async () => {
    const session = await client.open()
    const first = await decline(session, declining)
    const second = await decline(session, hard)
    expect(second.payment_id).not.toBe(first.payment_id)
    expect((await client.readSession(session.id)).body.payment_id).toBe(second.payment_id)
    expect((await client.readPayment(first.payment_id)).body.status).toBe('declined')
  })
})
