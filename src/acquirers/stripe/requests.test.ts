// The exact requests to Stripe. Bodies are checked against the types of Stripe's own library, so that the compiler rejects an
// unknown name.

import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import type { AuthoriseRequest, SettleRequest } from '../acquirer.ts'
import {
  cancelRequest,
  captureRequest,
  confirmRequest,
  intentRequest,
  intentsWithin,
  methodRequest,
  refundRequest,
  stripe_version,
} from './requests.ts'

const credentials = {
  secret_key: 'sk_test_1',
  webhook_secret: 'whsec_1',
  api_url: 'https://a.test/x/',
}
const reference = '0'.repeat(31).concat('1')
const card: AuthoriseRequest['card'] = {
  brand: 'visa',
  number: '4242424242424242',
  exp_month: 12,
  exp_year: 2030,
  cvc: '123',
  cardholder_name: 'A & B',
}
const request: AuthoriseRequest = {
  reference,
  installation: 'ours',
  amount: 4200,
  currency: 'GBP',
  capture: false,
  card,
  three_ds: null,
  merchant: { descriptor: 'Tea', mcc: null, country: null },
  handle: 'pi_1',
}
const three_ds: NonNullable<AuthoriseRequest['three_ds']> = {
  version: '2.2.0',
  eci: '05',
  authentication_value: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  ds_transaction_id: 'd6a1',
  status: 'Y',
  ares_status: 'C',
}
const settle: SettleRequest = {
  reference,
  authorisation: { reference, handle: 'pi_1', acquirer_transaction_id: 'pi_1' },
  amount: 4200,
  currency: 'GBP',
}

/** The members of a form by their names with brackets. */
function membersOf({ body }: { body: string | null }): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body!))
}

/** The same members, flattened from the parameters of the vendor's library. */
function flat(value: object, prefix?: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const full = prefix === undefined ? name : `${prefix}[${name}]`
      return typeof member === 'object' ? Object.entries(flat(member, full)) : [[full, String(member)]]
    }),
  )
}

describe('requests', () => {
  test('carry version, key and user agent, as a form', () => {
    expect(confirmRequest(request, 'pi_1', credentials)).toMatchObject({
      method: 'POST',
      url: 'https://a.test/x/v1/payment_intents/pi_1/confirm',
      headers: {
        authorization: 'Bearer sk_test_1',
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': reference,
        'stripe-version': stripe_version,
      },
    })
  })

  test('the card goes by itself', () => {
    const wireRequest = methodRequest(request, credentials)
    expect(wireRequest.headers['idempotency-key']).toBe(`${reference}-method`)
    const { number, exp_month, exp_year } = card
    const params = {
      type: 'card',
      card: { number, exp_month, exp_year, cvc: '123' },
      billing_details: { name: 'A & B' },
    } satisfies Stripe.PaymentMethodCreateParams
    expect(membersOf(wireRequest)).toEqual(flat(params))
    const bare = { ...card, cvc: null, cardholder_name: null }
    expect(membersOf(methodRequest({ reference, card: bare }, credentials))).toEqual(
      flat({ type: 'card', card: { number, exp_month, exp_year } }),
    )
  })

  test.each([
    [false, 'manual'],
    [true, 'automatic'],
  ] as const)('the intent, capture %s', (capture, capture_method) => {
    const chargeRequest = { ...request, capture }
    const wireRequest = intentRequest(chargeRequest, { amount: 4200, method: 'pm_1' }, credentials)
    expect(wireRequest.headers['idempotency-key']).toBe(`${reference}-intent`)
    const params = {
      amount: 4200,
      currency: 'gbp',
      payment_method: 'pm_1',
      allowed_payment_method_types: ['card'],
      capture_method,
      metadata: { ripper_reference: reference, ripper_installation: 'ours' },
    } satisfies Stripe.PaymentIntentCreateParams
    expect(membersOf(wireRequest)).toEqual(flat(params))
  })

  test('the confirm brings the 3-D Secure data that they take', () => {
    const params = {
      error_on_requires_action: true,
      payment_method_options: {
        card: {
          three_d_secure: {
            cryptogram: three_ds.authentication_value!,
            transaction_id: 'd6a1',
            version: '2.2.0',
            electronic_commerce_indicator: '05',
            ares_trans_status: 'C',
          },
        },
      },
      expand: ['latest_charge'],
    } satisfies Stripe.PaymentIntentConfirmParams
    const wireRequest = confirmRequest({ ...request, three_ds }, 'pi_1', credentials)
    expect(membersOf(wireRequest)).toEqual(flat(params))
  })

  test.each<[string, Partial<typeof three_ds>, number]>([
    ['without a cryptogram none', { authentication_value: null }, 0],
    ['without an id of the Directory Server none', { ds_transaction_id: null }, 0],
    ['of a version that they do not know none', { version: '2.4.0' }, 0],
    ['an ECI that they do not take is left out', { eci: '00' }, 4],
    ['no ECI', { eci: null }, 4],
    ['a status that they do not take is left out', { ares_status: 'D' }, 4],
  ])('%s', (_, change, count) => {
    const chargeRequest = { ...request, three_ds: { ...three_ds, ...change } }
    const fields = membersOf(confirmRequest(chargeRequest, 'pi_1', credentials))
    expect(Object.keys(fields).filter((name) => name.includes('three_d_secure'))).toHaveLength(count)
    expect(Object.values(fields)).not.toContain('null')
  })

  test('captures, cancels and refunds', () => {
    const capture = {
      amount_to_capture: 4200,
      metadata: { ripper_capture: reference },
    } satisfies Stripe.PaymentIntentCaptureParams
    const money = { amount: 4200, intent_id: 'pi_1', installation: 'ours' }
    expect(membersOf(captureRequest(settle, money, credentials))).toEqual(flat(capture))
    const cancel = { cancellation_reason: 'abandoned' } satisfies Stripe.PaymentIntentCancelParams
    expect(membersOf(cancelRequest('reverse', settle, 'pi_1', credentials))).toEqual(cancel)
    const marks = { ripper_reference: reference, ripper_installation: 'ours' }
    const refund = {
      payment_intent: 'pi_1',
      amount: 4200,
      metadata: { ...marks, ripper_kind: 'refund' },
    } satisfies Stripe.RefundCreateParams
    expect(membersOf(refundRequest('refund', settle, money, credentials))).toEqual(flat(refund))
    const { amount: _, ...whole } = money
    const back = refundRequest('reverse', settle, whole, credentials)
    expect(back.headers['idempotency-key']).toBe(`${reference}-refund`)
    expect(membersOf(back)).not.toHaveProperty('amount')
    expect(membersOf(back)['metadata[ripper_kind]']).toBe('reverse')
  })

  test('a list is of seconds, and goes on where it ended', () => {
    const within = { since: new Date(1999), until: new Date(3001) }
    const { method, url, body } = intentsWithin(within, { after: 'pi_9', limit: 100 }, credentials)
    expect({ method, body }).toEqual({ method: 'GET', body: null })
    const params = {
      created: { gte: 1, lte: 3 },
      limit: 100,
      starting_after: 'pi_9',
      expand: ['data.latest_charge'],
    } satisfies Stripe.PaymentIntentListParams
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual(flat(params))
  })
})
