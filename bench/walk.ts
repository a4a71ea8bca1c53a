// The steps of a checkout one after the other, as requests: which of them there are, and what each needs of those before.

import type { Demo } from '../src/service/demo.ts'
import { browser, card, createRequest, nextKey, purchase, readRequest, requestBytes } from './requests.ts'

/** What a shopper and a merchant know so far. */
export type Visit = Record<string, string>

export type Step = {
  name: string
  /** False for what only leads to the next. */
  is_shown: boolean
  request(visit: Visit, demo: Demo): Buffer
  /** The answer's members that later steps need, by the names under which they need them. */
  learns: Record<string, string>
}

const asShopper = (step: string, method: string, body?: (visit: Visit) => object) => (visit: Visit) =>
  requestBytes({
    method,
    path: `/v1/checkout/sessions/${visit.session_id}/${step}`,
    headers: { 'rip-client-secret': visit.client_secret! },
    ...(body && { body: body(visit) }),
  })

const paying = (ending: string, is_shown: boolean): Step[] => [
  {
    name: `card reference${ending}`,
    is_shown,
    learns: { card_reference: 'card_reference' },
    request: asShopper('card_references', 'POST', () => card),
  },
  {
    name: `authenticate${ending}`,
    is_shown,
    learns: {},
    request: asShopper('authenticate', 'POST', ({ card_reference }) => ({
      card_reference,
      browser,
    })),
  },
  { name: `state${ending}`, is_shown, learns: {}, request: asShopper('state', 'GET') },
  {
    name: `confirm${ending}`,
    is_shown: true,
    learns: { payment_id: 'payment_id' },
    request: asShopper('confirm', 'POST', () => ({})),
  },
]

const opened = { session_id: 'id', client_secret: 'client_secret' }

export const steps: Step[] = [
  {
    name: 'create',
    is_shown: true,
    learns: opened,
    request: (_, { secret_key }) => createRequest(secret_key, nextKey()),
  },
  {
    name: 'session read',
    is_shown: true,
    learns: {},
    request: ({ session_id }, { secret_key }) => readRequest(secret_key, `/v1/checkout/sessions/${session_id}`),
  },
  ...paying('', true),
  {
    name: 'payment read',
    is_shown: true,
    learns: {},
    request: ({ payment_id }, { secret_key }) => readRequest(secret_key, `/v1/payments/${payment_id}`),
  },
  {
    name: 'compatible create',
    is_shown: true,
    learns: { intent: 'id' },
    request: (_, { secret_key }) =>
      requestBytes({
        method: 'POST',
        path: '/v1/payment_intents',
        headers: { authorization: `Bearer ${secret_key}`, 'idempotency-key': nextKey() },
        body: { amount: purchase.amount, currency: purchase.currency },
      }),
  },
  {
    name: 'compatible read',
    is_shown: true,
    learns: {},
    request: ({ intent }, { secret_key }) =>
      requestBytes({
        method: 'GET',
        path: `/v1/payment_intents/${intent}`,
        headers: { authorization: `Bearer ${secret_key}` },
      }),
  },
  {
    name: 'create by a page',
    is_shown: true,
    learns: opened,
    request: (_, { base_url, publishable_key }) =>
      requestBytes({
        method: 'POST',
        path: '/v1/checkout/public/sessions',
        headers: { origin: base_url, 'rip-idempotency-key': nextKey() },
        body: { ...purchase, public_key: publishable_key },
      }),
  },
  ...paying(', held', false),
  {
    name: 'hold capture',
    is_shown: true,
    learns: {},
    request: ({ payment_id }, { secret_key }) =>
      requestBytes({
        method: 'POST',
        path: `/v1/payments/${payment_id}/hold/capture`,
        headers: { 'x-service-api-key': secret_key, 'rip-idempotency-key': nextKey() },
      }),
  },
]
