// Stripe's tables: currencies, declines and notices.

import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { currencyOf } from '../../kernel/values.ts'
import { NotGenuine } from '../acquirer.ts'
import { suggests } from '../answers.ts'
import { stripeCredentials } from './credentials.ts'
import { amountSent, moneyRead, stripeCurrencies } from './currencies.ts'
import { declineOf } from './declines.ts'
import { refundIn, refundsOfCapture } from './intents.ts'
import { noticesIn } from './notices.ts'
import { liveOf } from './standings.ts'

describe('amounts', () => {
  test('each listed currency is one of ours, and comes back as it went', () => {
    for (const currency of stripeCurrencies) {
      expect(currencyOf(currency), currency).toBeDefined()
      const money = { amount: 100_000, currency }
      const their_amount = amountSent(money)!
      expect(moneyRead({ amount: their_amount, currency: currency.toLowerCase() }), currency).toEqual(money)
    }
  })

  test.each<[number, string, number | null]>([
    [4200, 'GBP', 4200],
    [4200, 'JPY', 4200],
    [4200, 'CLP', 4200],
    [4200, 'ISK', 420_000],
    [4200, 'MGA', 42],
    [4250, 'MGA', null],
    [4200, 'KWD', 4200],
    [4205, 'KWD', null],
    [4200, 'UGX', null],
    [4200, 'XXX', null],
    [0, 'GBP', null],
    [100_000_000, 'GBP', 100_000_000],
    [150_000_000, 'IDR', 150_000_000],
    [99_999_999_999, 'COP', 99_999_999_999],
  ])('%i %s is sent as %s', (amount, currency, their_amount) => {
    expect(amountSent({ amount, currency })).toBe(their_amount)
  })
})

describe('declines', () => {
  test.each<[string | null, string | null, string, string]>([
    ['card_declined', 'generic_decline', 'card_declined', 'soft'],
    ['card_declined', 'lost_card', 'lost_card', 'hard'],
    ['expired_card', null, 'expired_card', 'hard'],
    ['incorrect_cvc', 'incorrect_cvc', 'incorrect_cvc', 'soft'],
    ['card_declined', 'merchant_blacklist', 'fraudulent', 'fraud'],
    ['card_declined', 'issuer_not_available', 'issuer_unavailable', 'network'],
    ['processing_error', null, 'processing_error', 'provider_error'],
    ['card_declined', 'revocation_of_all_authorizations', 'not_permitted', 'hard'],
    [null, null, 'card_declined', 'soft'],
    ['constructor', 'toString', 'card_declined', 'soft'],
  ])('%s, %s: %s', (code, decline_code, ours, category) => {
    const decline = declineOf({ code, decline_code, message: 'No: 4242 4242 4242 4242\n!' })
    expect(decline).toMatchObject({ code: ours, category, reason: 'No: … !' })
  })
})

describe('notices', () => {
  const webhook_secret = 'whsec_1'
  const now = new Date('2026-09-01T12:00:00Z')
  const seconds = now.getTime() / 1000
  const reference = 'f'.repeat(32)
  const metadata = { ripper_reference: reference, ripper_installation: 'ours' }
  const intent = { id: 'pi_1', capture_method: 'manual', cancellation_reason: null, metadata }
  const sign = (body: string, at = seconds, secret = webhook_secret) =>
    `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
  const eventOf = (type: string, object: object) =>
    JSON.stringify({ id: 'evt_1', type, created: seconds, data: { object } })
  const read = (body: string, signature = sign(body)) =>
    noticesIn({ headers: { 'stripe-signature': signature }, body }, { webhook_secret, installation: 'ours', now })

  const yes = suggests('approved')
  const no = suggests('refused')
  const refund = { id: 're_1', payment_intent: 'pi_1', metadata }

  test.each<[string, object, object]>([
    ['payment_intent.amount_capturable_updated', intent, { about: 'authorise', reference, answer: yes }],
    ['payment_intent.payment_failed', intent, { about: 'authorise', answer: no }],
    ['payment_intent.processing', intent, { about: 'authorise', answer: null }],
    ['payment_intent.succeeded', { ...intent, capture_method: 'automatic' }, { about: 'authorise', answer: yes }],
    [
      'payment_intent.succeeded',
      { ...intent, metadata: { ...metadata, ripper_capture: 'c'.repeat(32) } },
      {
        about: 'capture',
        reference: 'c'.repeat(32),
        authorisation_transaction_id: 'pi_1',
        answer: yes,
      },
    ],
    ['payment_intent.canceled', { ...intent, cancellation_reason: 'automatic' }, { about: 'expiry', answer: null }],
    ['payment_intent.canceled', { ...intent, cancellation_reason: 'abandoned' }, { about: 'reverse', answer: yes }],
    ['payment_intent.canceled', intent, { about: 'void', acquirer_transaction_id: 'pi_1', answer: yes }],
    ['refund.created', { ...refund, status: 'pending' }, { about: 'refund', answer: null }],
    ['refund.updated', { ...refund, status: 'failed' }, { about: 'refund', answer: no }],
    [
      'refund.updated',
      { ...refund, status: 'succeeded' },
      {
        about: 'refund',
        answer: yes,
        reference,
        acquirer_transaction_id: 're_1',
        authorisation_transaction_id: 'pi_1',
      },
    ],
    [
      'refund.failed',
      { ...refund, metadata: { ...metadata, ripper_kind: 'reverse' } },
      { about: 'reverse', answer: no },
    ],
    [
      'charge.dispute.created',
      { id: 'dp_1', payment_intent: 'pi_1', metadata: {} },
      {
        about: 'dispute',
        is_ours: null,
        reference: null,
        authorisation_transaction_id: 'pi_1',
        answer: null,
      },
    ],
    [
      'radar.early_fraud_warning.created',
      { id: 'issfr_1', charge: 'ch_1', payment_intent: 'pi_1' },
      { about: 'dispute', authorisation_transaction_id: 'pi_1', answer: null },
    ],
  ])('%s', (type, object, expected) => {
    const [notice, ...others] = read(eventOf(type, object))
    expect(notice).toMatchObject({ notice_id: 'evt_1', occurred_at: now, ...expected })
    if (notice!.about !== 'dispute') expect(notice!.is_ours).toBe(true)
    expect(others).toEqual([])
  })

  test('what bears another mark is not ours, and what we do not ask about is none', () => {
    const others = { ...intent, metadata: { ...metadata, ripper_installation: 'theirs' } }
    expect(read(eventOf('payment_intent.processing', others))).toMatchObject([{ is_ours: false }])
    expect(read(eventOf('customer.created', { id: 'cus_1' }))).toEqual([])
  })

  test('what we do not ask about need not look like what we do: a balance has no id', () => {
    expect(read(eventOf('balance.available', { object: 'balance' }))).toEqual([])
    expect(read(eventOf('person.updated', { id: 'person_1', status: {} }))).toEqual([])
    expect(() => read(eventOf('balance.available', {}), sign('{}'))).toThrow(NotGenuine)
  })

  const body = eventOf('payment_intent.processing', intent)
  test.each<[string, string, string]>([
    ['no signature', body, ''],
    ['another secret', body, sign(body, seconds, 'whsec_2')],
    ['another body', `${body} `, sign(body)],
    ['another time', body, sign(body).replace(`t=${seconds}`, `t=${seconds - 1}`)],
    ['too old', body, sign(body, seconds - 301)],
    ['of a time to come', body, sign(body, seconds + 301)],
    ['a time that is none', body, sign(body, Number.NaN)],
    ['only the scheme for tests', body, sign(body).replace('v1=', 'v0=')],
    ['no JSON', 'hello', sign('hello')],
    ['no event', '{}', sign('{}')],
  ])('%s: not genuine', (_, posted_body, signature) => {
    expect(() => read(posted_body, signature)).toThrow(NotGenuine)
  })

  test.each([-300, 300])('%i seconds away is near enough, and one of two signatures', (away) => {
    const signature = `${sign(body, seconds + away)},v1=${'0'.repeat(64)},v0=x`
    expect(read(body, signature)).toHaveLength(1)
  })
})

test('credentials: unknown members are refused, and no value is repeated', () => {
  const credentials = { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' }
  expect(stripeCredentials.parse(credentials)).toEqual(credentials)
  const wrong = stripeCredentials.safeParse({
    ...credentials,
    secret_key: 'sk test',
    publishable_key: 'pk',
  })
  expect(wrong.error?.message).toMatch(/publishable_key/)
  expect(wrong.error?.message).not.toMatch(/sk test|"pk"/)
})

describe('an intent in a list', () => {
  const intent = {
    id: 'pi_1',
    status: 'requires_capture',
    amount: 4200,
    amount_capturable: 4200,
    currency: 'gbp',
    created: 1_788_264_000,
  }
  const liveIntent = (metadata: object) => liveOf({ ...intent, metadata })

  test('has our reference, or a stand-in for it if it has a mark', () => {
    const reference = 'f'.repeat(32)
    expect(liveIntent({ ripper_reference: reference })).toMatchObject({ reference, installation: null })
    const marked = liveIntent({ ripper_installation: 'ours', ripper_reference: 'order 7' })
    expect(marked).toMatchObject({ installation: 'ours', acquirer_transaction_id: 'pi_1' })
    expect(marked!.reference).toMatch(/^[0-9a-f]{32}$/)
    expect(liveIntent({ ripper_installation: 'ours' })!.reference).toBe(marked!.reference)
    expect(liveIntent({ ripper_reference: 'order 7' })).toBeNull()
    expect(liveIntent({})).toBeNull()
  })

  // The charge counts what a capture of a part freed as refunded; one that did not would count less.
  test.each([
    ['nothing given back', 3000, 0],
    ['a part of the part', 3300, 300],
    ['as much as was freed', 4200, 1200],
    ['what was freed not counted', 300, 300],
  ])('of which a part was captured: %s', (_, amount_refunded, refunded_amount) => {
    const received = { status: 'succeeded', amount_received: 1200, amount_capturable: 0 }
    const latest_charge = { refunded: false, amount_refunded }
    const metadata = { ripper_reference: 'f'.repeat(32) }
    const live = liveOf({ ...intent, ...received, latest_charge, metadata })
    expect(live).toMatchObject({ amount: 1200, currency: 'GBP', captured: true, refunded_amount })
  })

  test.each([
    ['what was freed, and a refund', [300, 3000], [300]],
    ['what was freed alone', [3000], []],
    ['none that fits', [300], [300]],
    ['none', [], []],
  ])('whose refunds are listed: %s', (_, amounts, kept) => {
    const refunds = amounts.map((amount, at) => refundIn({ id: `re_${at}`, amount, currency: 'gbp' })!)
    const of = (status: string, amount_received: number | null) =>
      refundsOfCapture({ status, amount: 4200, amount_received }, refunds).map(({ amount }) => amount)
    expect(of('succeeded', 1200)).toEqual(kept)
    // Of a whole capture, or an unknown one, each counts.
    expect(of('succeeded', 4200)).toEqual(amounts)
    expect(of('succeeded', null)).toEqual(amounts)
  })

  test('a refund of ours is never what was freed', () => {
    const own = refundIn({ id: 're_1', amount: 3000, currency: 'gbp', metadata: { ripper_reference: 'f'.repeat(32) } })!
    expect(refundsOfCapture({ status: 'succeeded', amount: 4200, amount_received: 1200 }, [own])).toEqual([own])
  })
})
