// What is refused, by the class of its error; and keys of idempotency.

import { expectFit, type Scenario } from '../play.ts'
import { purchase } from './purchase.ts'

export const errors: Scenario[] = [
  {
    name: 'a parameter is missing',
    async act({ raises }) {
      const step = { params: { currency: 'gbp' } }
      const expected = { status: 400, code: 'parameter_missing', param: 'amount', type: 'invalid_request_error' }
      const { request_id } = await raises('payment_intents.create', step, 'InvalidRequest', expected)
      expectFit('the request id', request_id, /^req_/)
    },
  },
  {
    name: 'a parameter is not supported',
    async act({ raises }) {
      const step = { params: { ...purchase, customer: 'cus_1' } }
      const expected = { status: 400, code: 'parameter_unknown', param: 'customer', message: /receipt_email/ }
      await raises('payment_intents.create', step, 'InvalidRequest', expected)
    },
  },
  {
    name: 'a key is wrong',
    async act({ raises }) {
      const step = { params: purchase, key: 'rip_sk_wrong' }
      const expected = { status: 401, type: 'authentication_error' }
      await raises('payment_intents.create', step, 'Authentication', expected)
    },
  },
  {
    name: 'a key may not',
    async act({ shop, raises }) {
      const key = await shop.keyThatMay('read_transactions')
      const expected = { status: 403, type: 'permission_error' }
      await raises('payment_intents.create', { params: purchase, key }, 'Permission', expected)
    },
  },
  {
    name: 'an id is unknown',
    async act({ raises }) {
      const missing = { status: 404, code: 'resource_missing', type: 'invalid_request_error' }
      for (const resource of ['payment_intents', 'charges', 'refunds', 'checkout.sessions', 'events', 'prices']) {
        await raises(`${resource}.retrieve`, { id: 'none_1' }, 'InvalidRequest', missing)
      }
    },
  },
  {
    name: 'a route is not served',
    async act({ raises }) {
      const step = { params: { email: 'ada@example.com' } }
      const expected = { status: 404, type: 'invalid_request_error', message: /Ripper/ }
      await raises('customers.create', step, 'InvalidRequest', expected)
    },
  },
  {
    name: 'another account is named',
    async act({ raises }) {
      const step = { params: purchase, options: { stripe_account: 'acct_1' } }
      const expected = { status: 400, param: 'Stripe-Account' }
      await raises('payment_intents.create', step, 'InvalidRequest', expected)
    },
  },
]

export const idempotency: Scenario[] = [
  {
    name: 'a key that comes twice makes one intent',
    async act({ gives }) {
      const step = { params: purchase, options: { idempotency_key: 'order A-1' } }
      const { id } = await gives('payment_intents.create', step, { id: /^cs_/ })
      await gives('payment_intents.create', step, { id })
    },
  },
  {
    name: 'a key with another body is refused, and not sent again',
    async act({ gives, raises, proxy }) {
      const options = { idempotency_key: 'order A-1' }
      await gives('payment_intents.create', { params: purchase, options }, {})
      proxy.passed.length = 0
      const other = { params: { ...purchase, amount: 1 }, options }
      await raises('payment_intents.create', other, 'any', { status: 409, code: 'idempotency_key_reused' })
      expectFit('requests', proxy.passed.length, 1)
    },
  },
  {
    name: 'a lost answer is asked for again',
    async act({ gives, proxy }) {
      proxy.loseAnswers(1)
      const { id } = await gives('payment_intents.create', { params: purchase }, { client_secret: /_secret_/ })
      const keys = proxy.passed.map(({ headers }) => headers['idempotency-key'])
      expectFit('requests', keys, [/./, keys[0]])
      await gives('payment_intents.list', {}, [{ id }])
    },
  },
]
