// Values for single examples that differ from the common samples: the state that a route leaves, or what only it asks for.

import { compatible_version } from '../../kernel/values.ts'
import type { ExampleValues } from './example.ts'

type ChosenOf = {
  /** Each example has its own key, so that a reader can send all of them. */
  idempotency_key?: string
  query?: Record<string, string>
  request?: ExampleValues
  answer?: ExampleValues
}

const hex = 'f0c3a1d28b7e4f6091a2b3c4'
const session = { id: `cs_${hex}` }
/** Most payments are in no payout yet. */
const payment = { id: `pay_${hex}`, payouts: undefined }
const endpoint = { id: `whep_${hex}` }
/** What only some endpoints show. */
const plainEndpoint = {
  extension_events: undefined,
  mode: undefined,
  event_format: undefined,
  api_version: undefined,
  standard_webhooks: undefined,
}
const firstAttempt = { 'attempt.id': `att_${hex}`, attempts_left: 2 }

/** The service checks a page's amount against the integration's amount or its price list. */
const ofAPage = {
  request: { items: undefined },
  answer: { ...session, amount_verification_source: 'integration_default' },
}

const held_detail = "the amount is 4200 GBP and the integration's is 3900 GBP"
/** A page sent this payment without a basket, and with another amount than the integration's. */
const held = {
  amount_verified: false,
  items: null,
  basket_total: null,
  'hold.detail': held_detail,
}
const heldEvent = {
  'data.amount_verified': false,
  'data.items': null,
  'data.basket_total': null,
  'data.hold.detail': held_detail,
}
const decided = {
  'hold.decided_by': 'merchant',
  'hold.decided_at': '2026-09-14T11:02:00.0000000+00:00',
}
const notCaptured = { executed_at: null, order_reference_captured_payments: 0 }
const decline = { code: 'insufficient_funds', category: 'soft', reason: 'Insufficient funds' }
const failure = { code: 'provider_error', category: null, reason: 'The acquirer failed' }

const refund = { id: `ref_${hex}`, amount: 1200, status: 'succeeded', failure: null, reason: 'One cup came broken' }
const dispute = {
  ...{ id: `dsp_${hex}`, amount: 1200, status: 'needs_response', reason: 'fraudulent', closed_at: null },
  ...{ respond_by: '2026-10-14T12:00:00.0000000+00:00', opened_at: '2026-09-30T12:00:00.0000000+00:00' },
  vendor_url: 'https://dashboard.stripe.com/disputes/du_1',
}
const lostDispute = { ...dispute, status: 'lost', closed_at: '2026-11-02T12:00:00.0000000+00:00' }
const compatibleRefund = {
  id: refund.id,
  amount: 1200,
  payment_intent: session.id,
  status: 'succeeded',
  reason: 'requested_by_customer',
  failure_reason: undefined,
  'ripper.reason': 'requested_by_customer',
  'ripper.failure': null,
}
const charge = `ch_${hex}`
const compatibleEndpoint = {
  ...endpoint,
  api_version: compatible_version,
  description: null,
  enabled_events: ['*'],
  status: 'enabled',
}
const compatibleEvent = {
  id: `evt_${hex}`,
  api_version: compatible_version,
  'data.object': {},
  pending_webhooks: 0,
  type: 'payment_intent.succeeded',
}
const chargeRead = {
  id: charge,
  amount_captured: 4200,
  amount_refunded: 0,
  payment_intent: session.id,
  paid: true,
  captured: true,
  refunded: false,
  status: 'succeeded',
}
const link = {
  id: `plink_${hex}`,
  url: `http://127.0.0.1:8080/pay/l/${'Q0d'.repeat(14)}Q`,
  status: 'active',
  description: 'One teapot',
  max_payments: 1,
  payments_count: 0,
  expires_at: null,
}
const sku = 'pot'
const offer = { id: sku, images: [], marketing_features: [], unit_amount_decimal: '4200', updated: 1789378200 }
const unpaidIntent = {
  ...session,
  amount_capturable: 0,
  amount_received: 0,
  latest_charge: null,
  metadata: { order_id: '1001' },
}
const checkout_id = `cs_test_${hex}${'5d0e'.repeat(8)}`
const compatibleCheckout = {
  id: checkout_id,
  currency: 'gbp',
  expires_at: 1789464600,
  locale: null,
  metadata: {},
  payment_intent: null,
  status: 'open',
  payment_status: 'unpaid',
  line_items: undefined,
  url: `http://127.0.0.1:8080/pay/c/${checkout_id}#page_secret_${'9b1c'.repeat(16)}`,
}
const soldLine = {
  id: `li_${'5d0e'.repeat(5)}5d00`,
  currency: 'gbp',
  description: 'Stoneware cup',
  metadata: {},
  quantity: 2,
  'price.id': `price_${'5d0e'.repeat(5)}5d00`,
  'price.currency': 'gbp',
  'price.metadata': {},
  'price.product': `prod_${'5d0e'.repeat(5)}5d00`,
  'price.tax_behavior': 'unspecified',
  'price.unit_amount': 2100,
}
const refusal = { code: 'refund_refused', reason: 'The issuer refused the refund' }
const inEvent = (row: object) => Object.fromEntries(Object.entries(row).map(([name, value]) => [`data.${name}`, value]))
const refundEvent = inEvent(refund)

/** The members of a row in a list. */
function inList(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [`data[].${name}`, value]))
}

/** By the operation's id. */
export const chosenValues: Record<string, ChosenOf> = {
  create_a_checkout_session: { idempotency_key: 'order-1001', answer: session },
  read_a_checkout_session: { answer: { ...session, payment_id: null } },
  end_an_unpaid_checkout_session: {
    idempotency_key: 'order-1001-end',
    answer: { ...session, payment_id: null, status: 'expired', expires_in_seconds: 0 },
  },
  read_a_payment: { answer: payment },
  list_payments: { answer: { 'data[].payouts': undefined } },
  list_payouts: { answer: { 'data[].id': `po_${hex}` } },
  capture_a_held_payment: {
    idempotency_key: 'parcel-1001',
    request: { amount: 1200 },
    answer: { ...payment, captured_amount: 1200, ...held, ...decided, 'hold.status': 'captured' },
  },
  release_a_held_payment: {
    answer: {
      ...payment,
      ...held,
      ...notCaptured,
      ...decided,
      status: 'voided',
      capture_state: 'voided',
      'hold.status': 'voided',
    },
  },
  have_a_person_look_at_a_held_payment: {
    answer: {
      ...payment,
      ...held,
      ...notCaptured,
      status: 'held',
      capture_state: 'authorised',
      'hold.status': 'escalated',
    },
  },
  refund_a_captured_payment: {
    idempotency_key: 'order-1001-refund-1',
    request: { amount: 1200, reason: 'One cup came broken' },
    answer: refund,
  },
  list_the_refunds_of_a_payment: {
    answer: Object.fromEntries(Object.entries(refund).map(([name, value]) => [`refunds[].${name}`, value])),
  },
  read_a_refund: { answer: refund },
  list_disputes: { query: { limit: '3' }, answer: inList(dispute) },
  read_a_dispute: { answer: dispute },
  create_a_payment_link: {
    idempotency_key: 'order-1001-link',
    request: { description: link.description, max_payments: 1 },
    answer: link,
  },
  list_payment_links: { query: { status: 'active' }, answer: inList(link) },
  read_a_payment_link: { answer: link },
  withdraw_a_payment_link: { idempotency_key: 'order-1001-link-end', answer: { ...link, status: 'disabled' } },
  register_a_webhook_endpoint: {
    answer: { ...endpoint, ...plainEndpoint, standard_signing_secret: undefined },
  },
  list_webhook_endpoints: {
    answer: {
      'endpoints[].id': endpoint.id,
      ...Object.fromEntries(Object.keys(plainEndpoint).map((name) => [`endpoints[].${name}`, undefined])),
    },
  },
  list_webhook_deliveries: { query: { status: 'succeeded', limit: '20' } },
  create_a_session_from_a_page: {
    idempotency_key: 'order-1002',
    ...ofAPage,
  },
  create_a_session_from_the_hosted_page: {
    idempotency_key: 'order-1003',
    ...ofAPage,
  },
  resume_a_session: {
    answer: {
      'session.id': session.id,
      'session.attempt_count': 1,
      'session.attempts_left': 2,
      'attempt.id': firstAttempt['attempt.id'],
      result: null,
      'three_ds.state': 'awaiting_challenge',
      'three_ds.challenge': {
        url: 'http://127.0.0.1:8080/3ds/challenge/…',
        window_size: '02',
        expires_at: '2026-09-14T09:35:00.0000000+00:00',
      },
    },
  },
  open_an_attempt_and_start_3_d_secure: {
    answer: { ...firstAttempt, 'three_ds.state': 'authenticated' },
  },
  charge_the_authenticated_attempt: { answer: firstAttempt },
  create_a_compatible_checkout_session: {
    idempotency_key: 'order-1001-page',
    request: {
      line_items: [
        { price_data: { currency: 'gbp', unit_amount: 2100, product_data: { name: 'Stoneware cup' } }, quantity: 2 },
      ],
      cancel_url: 'https://shop.example/basket',
      client_reference_id: 'order-1001',
      customer_email: 'jo@example.com',
    },
    answer: compatibleCheckout,
  },
  list_compatible_checkout_sessions: { query: { limit: '3' }, answer: inList(compatibleCheckout) },
  read_a_compatible_checkout_session: { answer: compatibleCheckout },
  list_the_lines_of_a_compatible_checkout_session: {
    answer: { ...inList(soldLine), url: `/v1/checkout/sessions/${checkout_id}/line_items` },
  },
  expire_a_compatible_checkout_session: {
    idempotency_key: 'order-1001-expire',
    answer: { ...compatibleCheckout, status: 'expired', url: null },
  },
  create_a_payment_intent: {
    idempotency_key: 'order-1004',
    request: { metadata: { order_id: '1001' } },
    answer: unpaidIntent,
  },
  list_payment_intents: { query: { limit: '3' }, answer: inList({ ...unpaidIntent, client_secret: null }) },
  read_a_payment_intent: { answer: { ...unpaidIntent, client_secret: null } },
  capture_a_held_payment_intent: {
    idempotency_key: 'order-1004-capture',
    answer: {
      ...unpaidIntent,
      client_secret: null,
      amount_received: 4200,
      capture_method: 'manual',
      latest_charge: charge,
      status: 'succeeded',
      'ripper.amount_verified': false,
      'ripper.hold': {
        status: 'captured',
        reason: 'mismatch',
        detail: held_detail,
        deadline: '2026-09-19T09:30:00.0000000+00:00',
        decided_by: decided['hold.decided_by'],
        decided_at: decided['hold.decided_at'],
        operation_refusal: null,
      },
    },
  },
  cancel_a_payment_intent: {
    idempotency_key: 'order-1004-cancel',
    request: { cancellation_reason: 'requested_by_customer' },
    answer: {
      ...unpaidIntent,
      client_secret: null,
      status: 'canceled',
      canceled_at: 1789378200,
      cancellation_reason: 'requested_by_customer',
    },
  },
  read_a_charge: { answer: chargeRead },
  refund_a_payment_intent: {
    idempotency_key: 'order-1004-refund-1',
    request: { payment_intent: session.id, amount: 1200, reason: 'requested_by_customer' },
    answer: compatibleRefund,
  },
  list_refunds_of_payment_intents: { query: { limit: '3' }, answer: inList(compatibleRefund) },
  read_a_refund_of_a_payment_intent: { answer: compatibleRefund },
  list_compatible_events: { query: { type: 'payment_intent.*', limit: '3' }, answer: inList(compatibleEvent) },
  read_a_compatible_event: { answer: compatibleEvent },
  register_a_compatible_webhook_endpoint: {
    idempotency_key: 'endpoint-1',
    request: { enabled_events: ['*'] },
    answer: { ...compatibleEndpoint, secret: `whsec_${'5d0e'.repeat(16)}` },
  },
  list_compatible_webhook_endpoints: { answer: inList(compatibleEndpoint) },
  read_a_compatible_webhook_endpoint: { answer: compatibleEndpoint },
  change_a_compatible_webhook_endpoint: {
    idempotency_key: 'endpoint-1-off',
    request: { disabled: true },
    answer: { ...compatibleEndpoint, status: 'disabled' },
  },
  delete_a_compatible_webhook_endpoint: { answer: endpoint },
  list_charges: { query: { limit: '3' }, answer: inList(chargeRead) },
  list_the_prices_of_the_price_list: { answer: inList({ ...offer, product: sku }) },
  read_a_price_of_the_price_list: { answer: { ...offer, product: sku } },
  list_the_products_of_the_price_list: { answer: inList({ ...offer, default_price: sku }) },
  read_a_product_of_the_price_list: { answer: { ...offer, default_price: sku } },
  listen_to_events: {
    query: { events: 'payment.captured,payment.held' },
    answer: { id: '01993f2ad8c07b3e9a41f0c3a1d28b7e' },
  },
  listen_to_requests: { query: { status: '4xx' }, answer: { id: undefined, status: 404 } },
  payment_voided: {
    answer: {
      ...heldEvent,
      'data.hold.status': 'voided',
      'data.hold.decided_by': 'merchant',
      'data.hold.decided_at': decided['hold.decided_at'],
    },
  },
  payment_held: { answer: heldEvent },
  payment_declined: { answer: { 'data.decline': decline } },
  payment_failed: { answer: { 'data.decline': failure } },
  refund_succeeded: { answer: refundEvent },
  dispute_opened: { answer: { sequence: 1, ...inEvent(dispute) } },
  dispute_closed: { answer: { sequence: 2, ...inEvent(lostDispute) } },
  refund_failed: { answer: { ...refundEvent, 'data.status': 'failed', 'data.failure': refusal } },
}
