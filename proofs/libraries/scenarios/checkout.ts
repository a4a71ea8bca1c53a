// Checkout Sessions: sold by price or on the spot, paid on their page, listed, expired.

import { expectFit, type Part, type Scenario } from '../play.ts'
import { tea } from '../shop.ts'
import { odd } from './purchase.ts'

export const order = {
  mode: 'payment',
  line_items: [{ price_data: { currency: 'gbp', unit_amount: 2100, product_data: { name: 'Cup' } }, quantity: 2 }],
  success_url: 'http://localhost:4242/done?session_id={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://localhost:4242/basket',
  client_reference_id: 'A-1',
  metadata: { basket: '7' },
  payment_intent_data: { metadata: { order_id: 'A-1' } },
}

const open = { object: 'checkout.session', status: 'open', payment_status: 'unpaid', url: /^http/ }
const complete = { object: 'checkout.session', status: 'complete', payment_status: 'paid', url: null }

export const checkouts: Scenario[] = [
  {
    name: 'a checkout session is paid on its page',
    async act({ shop, gives }) {
      const session = await gives(
        'checkout.sessions.create',
        { params: order },
        {
          ...open,
          id: /^cs_test_\w{56}$/,
          amount_total: 4200,
          amount_subtotal: 4200,
          currency: 'gbp',
          livemode: false,
          mode: 'payment',
          success_url: order.success_url,
          cancel_url: order.cancel_url,
          client_reference_id: 'A-1',
          metadata: { basket: '7' },
          customer_email: null,
          payment_intent: null,
        },
      )
      await gives('checkout.sessions.retrieve', { id: session.id }, { ...open, id: session.id, url: session.url })
      expectFit('the payment', await shop.payCheckout(session), { status: 'captured' })
      const paid = await gives(
        'checkout.sessions.retrieve',
        { id: session.id },
        {
          ...complete,
          amount_total: 4200,
          payment_intent: /^cs_/,
          customer_details: { email: 'ada@example.com' },
          metadata: { basket: '7' },
        },
      )
      const id = paid.payment_intent.id ?? paid.payment_intent
      await gives(
        'payment_intents.retrieve',
        { id },
        {
          status: 'succeeded',
          amount_received: 4200,
          metadata: { order_id: 'A-1' },
          receipt_email: 'ada@example.com',
        },
      )
      await gives('refunds.create', { params: { payment_intent: id } }, { amount: 4200, status: 'succeeded' })
    },
  },
  {
    name: 'a checkout session of the price list, with what most servers send along',
    async act({ shop, gives }) {
      await gives('prices.list', {}, [{ object: 'price', id: tea.sku, unit_amount: tea.unit_amount, currency: 'gbp' }])
      const { product } = await gives(
        'prices.retrieve',
        { id: tea.sku },
        { unit_amount: tea.unit_amount, active: true },
      )
      await gives('products.retrieve', { id: product.id ?? product }, { object: 'product', name: tea.name })
      const params = {
        ...order,
        line_items: [{ price: tea.sku, quantity: 3 }],
        customer_email: 'grace@example.com',
        payment_method_types: ['card'],
        submit_type: 'pay',
        customer_creation: 'if_required',
        billing_address_collection: 'auto',
        phone_number_collection: { enabled: false },
        automatic_tax: { enabled: false },
        allow_promotion_codes: false,
        invoice_creation: { enabled: false },
        locale: 'auto',
        expires_at: Math.floor(Date.now() / 1000) + 3_600,
      }
      const { expires_at } = params
      const session = await gives(
        'checkout.sessions.create',
        { params },
        {
          ...open,
          amount_total: 3 * tea.unit_amount,
          customer_email: 'grace@example.com',
          expires_at,
        },
      )
      expectFit('the payment', await shop.payCheckout(session), { status: 'captured' })
      const email = 'grace@example.com'
      await gives('checkout.sessions.retrieve', { id: session.id }, { ...complete, customer_details: { email } })
    },
  },
  {
    name: 'its lines and its payment intent are expanded',
    async act({ shop, gives }) {
      const session = await gives('checkout.sessions.create', { params: order }, open)
      await shop.payCheckout(session)
      const line = { object: 'item', description: 'Cup', quantity: 2, amount_total: 4200, currency: 'gbp' }
      const lineSold = { ...line, price: { object: 'price', unit_amount: 2100, currency: 'gbp' } }
      await gives('checkout.sessions.line_items.list', { id: session.id }, [lineSold])
      const expand = ['line_items', 'payment_intent.latest_charge']
      await gives(
        'checkout.sessions.retrieve',
        { id: session.id, params: { expand } },
        {
          line_items: { data: [lineSold] },
          payment_intent: { object: 'payment_intent', latest_charge: { object: 'charge', paid: true } },
        },
      )
    },
  },
  {
    name: 'the shopper comes back to where the shop says',
    async act({ shop, gives }) {
      const addresses: [string, (id: string) => string][] = [
        ['http://localhost:4242?success=true', () => 'http://localhost:4242?success=true'],
        ['http://127.0.0.1:3000/success', () => 'http://127.0.0.1:3000/success'],
        [
          'https://shop.example/{CHECKOUT_SESSION_ID}/done?of={CHECKOUT_SESSION_ID}',
          (id) => `https://shop.example/${id}/done?of=${id}`,
        ],
      ]
      for (const [success_url, filled] of addresses) {
        const params = { ...order, success_url, cancel_url: success_url }
        const session = await gives('checkout.sessions.create', { params }, { ...open, success_url })
        const confirmation_url = filled(session.id)
        expectFit('the payment', await shop.payCheckout(session), { status: 'captured', confirmation_url })
      }
    },
  },
  {
    name: 'lines and metadata come back as they were sent, whatever is in them',
    async act({ gives }) {
      const product = {
        name: 'Tasse & Tee [groß] = 50 %+',
        description: 'été ☕',
        images: ['https://shop.example/a?b=c&d'],
      }
      const lines = [
        { price_data: { currency: 'gbp', unit_amount: 2100, product_data: product }, quantity: 1 },
        { price: tea.sku, quantity: 11 },
      ]
      const params = { ...order, line_items: lines, metadata: odd, payment_intent_data: { metadata: odd } }
      const { id } = await gives('checkout.sessions.create', { params }, { ...open, metadata: odd })
      await gives('checkout.sessions.line_items.list', { id, params: { limit: 1 } }, [
        { description: product.name, quantity: 1, amount_total: 2100 },
        { description: tea.name, quantity: 11, amount_total: 11 * tea.unit_amount, price: { id: tea.sku } },
      ])
    },
  },
  {
    name: 'a declined card leaves a checkout session open',
    async act({ shop, gives }) {
      const session = await gives('checkout.sessions.create', { params: order }, open)
      await shop.payCheckout(session, 'declined')
      const { payment_intent } = await gives('checkout.sessions.retrieve', { id: session.id }, open)
      await gives(
        'payment_intents.retrieve',
        { id: payment_intent.id ?? payment_intent },
        {
          status: 'requires_payment_method',
          last_payment_error: { type: 'card_error', code: 'card_declined' },
        },
      )
      await shop.payCheckout(session)
      await gives('checkout.sessions.retrieve', { id: session.id }, complete)
    },
  },
  {
    name: 'a checkout session is expired',
    async act({ shop, gives, raises }) {
      const session = await gives('checkout.sessions.create', { params: order }, open)
      const expired = { id: session.id, status: 'expired', payment_status: 'unpaid', url: null }
      await gives('checkout.sessions.expire', { id: session.id }, expired)
      await gives('checkout.sessions.retrieve', { id: session.id }, expired)
      await raises('checkout.sessions.expire', { id: session.id }, 'InvalidRequest', { status: 400 })
      const late = await shop.payCheckout(session).catch((error: Error) => error.message)
      expectFit('a payment after that', late, /expired/)
    },
  },
  {
    name: 'a payment intent of an open checkout session is not canceled',
    async act({ shop, gives, raises }) {
      const session = await gives('checkout.sessions.create', { params: order }, open)
      await shop.payCheckout(session, 'declined')
      const { payment_intent } = await gives('checkout.sessions.retrieve', { id: session.id }, open)
      const id = payment_intent.id ?? payment_intent
      await raises('payment_intents.cancel', { id }, 'InvalidRequest', { status: 400, message: /expire/ })
    },
  },
  {
    name: 'checkout sessions are listed, page after page',
    async act({ shop, gives }) {
      const made: string[] = []
      for (let count = 0; count < 7; count += 1) made.push((await newOrder({ gives })).id)
      const all = await gives('checkout.sessions.list', { params: { limit: 3 } }, { length: made.length })
      expectFit(
        'their order',
        all.map(({ id }: { id: string }) => id),
        made.toReversed(),
      )
      const session = await newOrder({ gives })
      await shop.payCheckout(session)
      const of = { params: { status: 'complete' } }
      const [{ payment_intent }] = await gives('checkout.sessions.list', of, [{ id: session.id }])
      const params = { payment_intent: payment_intent.id ?? payment_intent }
      await gives('checkout.sessions.list', { params }, [{ id: session.id }])
      await gives('checkout.sessions.list', { params: { status: 'expired' } }, { length: 0 })
    },
  },
  {
    name: 'a key that comes twice makes one checkout session',
    async act({ gives, raises }) {
      const step = { params: order, options: { idempotency_key: 'basket 7' } }
      const { id, url } = await gives('checkout.sessions.create', step, open)
      await gives('checkout.sessions.create', step, { id, url })
      const other = { ...step, params: { ...order, client_reference_id: 'A-2' } }
      await raises('checkout.sessions.create', other, 'any', { status: 409, code: 'idempotency_key_reused' })
    },
  },
  {
    name: 'what a checkout session cannot do is refused by name',
    async act({ raises }) {
      const { line_items: _, ...withoutLines } = order
      const { success_url: __, ...withoutAddress } = order
      const bodies: [RegExp, object][] = [
        [/^mode/, { ...order, mode: 'subscription' }],
        [/^line_items/, withoutLines],
        [/^success_url/, withoutAddress],
        [/^success_url/, { ...order, success_url: 'ftp://shop.example' }],
        [/^line_items\[0\]\[price\]/, { ...order, line_items: [{ price: 'none', quantity: 1 }] }],
        [/^ui_mode/, { ...order, ui_mode: 'embedded_page' }],
        [/^customer/, { ...order, customer: 'cus_1' }],
        [/^discounts/, { ...order, discounts: [{ coupon: 'TEN' }] }],
        [/^shipping_address_collection/, { ...order, shipping_address_collection: { allowed_countries: ['GB'] } }],
        [/^allow_promotion_codes/, { ...order, allow_promotion_codes: true }],
        [/^automatic_tax/, { ...order, automatic_tax: { enabled: true } }],
        [/^payment_method_types/, { ...order, payment_method_types: ['card', 'ideal'] }],
      ]
      for (const [param, params] of bodies) {
        const expected = { status: 400, param, message: /\w/ }
        await raises('checkout.sessions.create', { params }, 'InvalidRequest', expected)
      }
    },
  },
]

const newOrder = ({ gives }: Pick<Part, 'gives'>) => gives('checkout.sessions.create', { params: order }, open)
