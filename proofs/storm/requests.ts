// What clients of a storm ask for, as requests: creates of every kind, the steps of a checkout, reads, and decisions on holds.

import { testNumber } from '../../src/cards/test-cards.ts'
import { visa } from '../../tests/support/client.ts'
import type { Chance } from '../simulate/chance.ts'
import type { CreatingKind } from './asking.ts'
import type { DiaryRequest } from './diary.ts'
import type { Shop } from './shops.ts'

/** A session as its shopper has it. */
export type Opened = { id: string; client_secret: string }

export type Verb = 'capture' | 'void'

export function creating(
  kind: CreatingKind,
  { key, shop, amount }: { key: string; shop: Shop; amount: number },
): DiaryRequest {
  const headers = { 'rip-idempotency-key': key }
  const metadata = { key }
  const bought = { amount, currency: 'GBP', customer: { email: 'ada@example.com' }, metadata }
  switch (kind) {
    case 'native':
      return {
        method: 'POST',
        path: '/v1/checkout/sessions',
        headers: { ...headers, 'x-service-api-key': shop.secret_key },
        body: bought,
      }
    case 'browser':
      return {
        method: 'POST',
        path: '/v1/checkout/public/sessions',
        headers: { ...headers, origin: shop.origin },
        body: { ...bought, public_key: shop.publishable_key },
      }
    case 'compatible':
      return {
        method: 'POST',
        path: '/v1/payment_intents',
        headers: { 'idempotency-key': key, authorization: `Bearer ${shop.secret_key}` },
        body: { amount, currency: 'gbp', receipt_email: 'ada@example.com', metadata },
      }
  }
}

/** A step of a checkout. */
export function stepOf({ id, client_secret }: Opened, step: string, body: unknown): DiaryRequest {
  const headers = { 'rip-client-secret': client_secret }
  return { method: 'POST', path: `/v1/checkout/sessions/${id}/${step}`, headers, body }
}

export function readingState({ id, client_secret }: Opened): DiaryRequest {
  const headers = { 'rip-client-secret': client_secret }
  return { method: 'GET', path: `/v1/checkout/sessions/${id}/state`, headers }
}

export function readingSession({ secret_key }: Shop, { id }: Opened): DiaryRequest {
  const headers = { 'x-service-api-key': secret_key }
  return { method: 'GET', path: `/v1/checkout/sessions/${id}`, headers }
}

export function readingPayment({ secret_key }: Shop, payment_id: string): DiaryRequest {
  const headers = { 'x-service-api-key': secret_key }
  return { method: 'GET', path: `/v1/payments/${payment_id}`, headers }
}

export function deciding({ secret_key }: Shop, payment_id: string, verb: Verb, key: string): DiaryRequest {
  const headers = { 'x-service-api-key': secret_key, 'rip-idempotency-key': key }
  return { method: 'POST', path: `/v1/payments/${payment_id}/hold/${verb}`, headers }
}

/** Of all that is left where `amount` is null. */
export function refunding({ secret_key }: Shop, payment_id: string, amount: number | null, key: string): DiaryRequest {
  const headers = { 'x-service-api-key': secret_key, 'rip-idempotency-key': key }
  const body = amount === null ? {} : { amount }
  return { method: 'POST', path: `/v1/payments/${payment_id}/refunds`, headers, body }
}

const cards = [
  { number: visa, weight: 10 },
  { number: testNumber('mastercard'), weight: 3 },
  { number: testNumber('amex', { r: '2' }), weight: 2 },
  { number: testNumber('visa', { abc: '051' }), weight: 2 },
  { number: testNumber('visa', { abc: '059' }), weight: 1 },
  { number: testNumber('visa', { abc: '901' }), weight: 1 },
  { number: testNumber('visa', { abc: '907' }), weight: 1 },
  { number: testNumber('visa', { yz: '30' }), weight: 1 },
  { number: testNumber('visa', { abc: '905' }), weight: 1 },
  { number: testNumber('visa', { abc: '906' }), weight: 1 },
]
/** The acquirer may have taken the money, and says so half a minute later or never. */
const lost_cards = ['902', '903', '908'].map((abc) => ({
  number: testNumber('visa', { abc }),
  weight: 1,
}))

/** The number of a card of any outcome. */
export function cardFrom(chance: Chance, loses_answers: boolean): string {
  const all = loses_answers ? [...cards, ...lost_cards] : cards
  return chance.pick(all.flatMap(({ number, weight }) => Array(weight).fill(number)))
}
