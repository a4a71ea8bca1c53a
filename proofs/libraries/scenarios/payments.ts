// Payment intents and their refunds: paid, held, canceled, declined, given back.

import { expectFit, type Scenario } from '../play.ts'
import { intentPaid, odd, purchase } from './purchase.ts'

const paid = { status: 'succeeded', amount: 4200, amount_received: 4200 }

export const intents: Scenario[] = [
  {
    name: 'an intent is paid',
    async act({ shop, gives }) {
      const intent = await gives(
        'payment_intents.create',
        { params: purchase },
        {
          object: 'payment_intent',
          amount: 4200,
          currency: 'gbp',
          status: 'requires_payment_method',
          livemode: false,
          client_secret: /_secret_/,
          receipt_email: 'ada@example.com',
          metadata: { order_id: 'A-1' },
          amount_received: null,
          latest_charge: null,
          customer: null,
        },
      )
      await shop.pay(intent)
      const { latest_charge } = await gives(
        'payment_intents.retrieve',
        { id: intent.id },
        {
          ...paid,
          latest_charge: /^ch_/,
          client_secret: null,
        },
      )
      const id = latest_charge.id ?? latest_charge
      await gives(
        'charges.retrieve',
        { id },
        {
          object: 'charge',
          paid: true,
          captured: true,
          amount: 4200,
          amount_captured: 4200,
          payment_intent: intent.id,
          metadata: { order_id: 'A-1' },
        },
      )
    },
  },
  {
    name: 'an intent is asked for as most servers do',
    async act({ shop, gives }) {
      const ways = [
        { automatic_payment_methods: { enabled: true } },
        { payment_method_types: ['card'] },
        { confirm: false },
        { confirmation_method: 'automatic' },
        { capture_method: 'automatic' },
        { description: 'Tea', statement_descriptor_suffix: 'TEA' },
      ]
      for (const way of ways) {
        const intent = await gives('payment_intents.create', { params: { ...purchase, ...way } }, { amount: 4200 })
        expectFit('the payment', await shop.pay(intent), { status: 'captured' })
      }
    },
  },
  {
    name: 'metadata comes back as it was sent, whatever is in it',
    async act({ gives }) {
      const { id } = await gives(
        'payment_intents.create',
        { params: { ...purchase, metadata: odd } },
        { metadata: odd },
      )
      await gives('payment_intents.retrieve', { id }, { metadata: odd })
    },
  },
  {
    name: 'its charge is expanded',
    async act({ shop, gives }) {
      const intent = await gives('payment_intents.create', { params: purchase }, {})
      await shop.pay(intent)
      const expand = ['latest_charge']
      await gives(
        'payment_intents.retrieve',
        { id: intent.id, params: { expand } },
        {
          latest_charge: { object: 'charge', paid: true, amount: 4200 },
        },
      )
    },
  },
  {
    name: 'a held payment is captured',
    async act({ shop, gives }) {
      const id = await shop.payUnverified()
      await gives(
        'payment_intents.retrieve',
        { id },
        {
          status: 'requires_capture',
          capture_method: 'manual',
          amount_capturable: 4200,
          amount_received: null,
          latest_charge: /^ch_/,
        },
      )
      await gives('payment_intents.capture', { id }, { id, amount_capturable: null, ...paid })
      await gives('payment_intents.retrieve', { id }, paid)
    },
  },
  {
    name: 'a held payment is canceled',
    async act({ shop, gives, raises }) {
      const id = await shop.payUnverified()
      const canceled = { id, status: 'canceled', canceled_at: /^\d{10}$/, amount_received: null }
      await gives('payment_intents.cancel', { id }, canceled)
      await gives('payment_intents.retrieve', { id }, canceled)
      await raises('payment_intents.capture', { id }, 'InvalidRequest', { status: 400 })
    },
  },
  {
    name: 'an unpaid intent is canceled',
    async act({ shop, gives }) {
      const intent = await gives('payment_intents.create', { params: purchase }, {})
      await gives('payment_intents.cancel', { id: intent.id }, { id: intent.id, status: 'canceled' })
      await gives('payment_intents.retrieve', { id: intent.id }, { status: 'canceled', amount_received: null })
      const late = await shop.pay(intent).catch((error: Error) => error.message)
      expectFit('a payment after that', late, /expired/)
    },
  },
  {
    name: 'a card is declined',
    async act({ shop, gives }) {
      const intent = await gives('payment_intents.create', { params: purchase }, {})
      await shop.pay(intent, 'declined')
      await gives(
        'payment_intents.retrieve',
        { id: intent.id },
        {
          status: 'requires_payment_method',
          last_payment_error: { type: 'card_error', code: 'card_declined', decline_code: /./ },
          latest_charge: null,
        },
      )
    },
  },
]

export const refunds: Scenario[] = [
  {
    name: 'all is refunded',
    async act({ shop, gives, raises }) {
      const id = await intentPaid({ shop, gives })
      const refund = await gives(
        'refunds.create',
        { params: { payment_intent: id } },
        {
          object: 'refund',
          amount: 4200,
          currency: 'gbp',
          status: 'succeeded',
          payment_intent: id,
          charge: /^ch_/,
        },
      )
      await gives('refunds.retrieve', { id: refund.id }, { id: refund.id, amount: 4200, status: 'succeeded' })
      const charge = refund.charge.id ?? refund.charge
      await gives('charges.retrieve', { id: charge }, { refunded: true, amount_refunded: 4200 })
      const again = { params: { payment_intent: id } }
      await raises('refunds.create', again, 'InvalidRequest', { status: 400, code: 'charge_already_refunded' })
    },
  },
  {
    name: 'a part is refunded, then another of its charge',
    async act({ shop, gives, raises }) {
      const id = await intentPaid({ shop, gives })
      const first = { payment_intent: id, amount: 1200, reason: 'requested_by_customer', metadata: { case: 'A & B' } }
      const { charge } = await gives('refunds.create', { params: first }, first)
      const params = { charge: charge.id ?? charge, amount: 1000 }
      await gives('refunds.create', { params }, { amount: 1000, status: 'succeeded', payment_intent: id })
      await gives('charges.retrieve', { id: params.charge }, { refunded: null, amount_refunded: 2200 })
      const rest = { params: { payment_intent: id, amount: 2001 } }
      await raises('refunds.create', rest, 'InvalidRequest', { status: 400, code: 'refund_exceeds_captured' })
    },
  },
]
