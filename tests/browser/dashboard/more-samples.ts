// The same morning on the screens that are opened less often, and on the overview.

import type {
  AuditLine,
  Connection,
  Connector,
  Dispute,
  Integration,
  ListedMerchant,
  Orphans,
  Overview,
  PaymentLink,
  Payout,
  PayoutRow,
  RefusedRequest,
  Session,
  SessionRow,
  System,
  Timeline,
  UnansweredOperation,
} from '../../../web/dashboard/client/answers.ts'
import { ago, id, me, now, payments, timeline } from './samples.ts'

export const sessions: SessionRow[] = payments.slice(0, 12).map((payment, index) => ({
  id: payment.checkout_session_id!,
  status: (['succeeded', 'requires_payment', 'expired', 'declined'] as const)[index % 4]!,
  mode: 'test',
  amount: payment.amount,
  currency: payment.currency!,
  customer: payment.customer,
  attempt_count: index % 3,
  last_decline: null,
  payment_id: index % 4 === 0 ? payment.id : null,
  basket_total: null,
  tax_total: null,
  order_reference: payment.order_reference,
  created_at: payment.created_at,
  expires_at: payment.created_at,
  minted_by: 'server',
  settlement: null,
  expires_in_seconds: 0,
  integration: null,
  amount_verified: true,
  amount_verification_source: 'server',
  amount_verification_detail: null,
  hold: null,
  refusal:
    index % 4 === 2
      ? { at: payment.created_at, code: 'three_ds_provider_unavailable', request_id: id('req', 9) }
      : null,
  authentication_failure: null,
}))

export const links: PaymentLink[] = (['active', 'completed', 'expired', 'disabled'] as const).map((status, index) => ({
  id: id('plink', index + 1),
  url: `https://pay.example/pay/l/${'Q0dR'.repeat(10)}abc`,
  status,
  mode: 'test',
  amount: 4200 + index * 800,
  currency: 'GBP',
  items: null,
  order_reference: index === 1 ? 'A-1042' : null,
  description: index === 1 ? null : 'Two stoneware cups and a teapot, wrapped',
  max_payments: index === 2 ? null : index + 1,
  payments_count: index,
  created_at: ago(60 * (index + 1)),
  expires_at: index === 2 ? ago(5) : null,
}))

/** A session whose shopper was refused, and never came as far as a payment. */
export const session: Session = {
  ...sessions[2]!,
  id: id('cs', 3),
  items: null,
  metadata: { basket: '7' },
  amount_verification_source: 'server_minted',
  expires_at: ago(45),
}

export const sessionLife: Timeline = {
  people: timeline.people,
  lines: timeline.lines
    .slice(0, 2)
    .map((line) => ({ ...line, subject: line.change === 'session.created' ? session.id : id('att', 1) })),
  refusals: [
    {
      request_id: id('req', 9),
      at: ago(78),
      path: `/v1/checkout/sessions/${session.id}/authenticate`,
      status: 503,
      code: 'three_ds_provider_unavailable',
      field: null,
    },
  ],
  are_refusals_whole: true,
  events: [],
  attempts: timeline.attempts,
  payments: [],
  seals: { right: 2, wrong: 0, not_yet: 0 },
}

export const requests: RefusedRequest[] = [
  ['POST', '/v1/checkout/sessions', 400, 'invalid_request'],
  ['POST', `/v1/payments/${id('pay', 1)}/hold/capture`, 409, 'hold_already_decided'],
  ['POST', '/v1/webhooks/endpoints', 403, 'key_permission_denied'],
].map(([method, path, status, code], index) => ({
  request_id: id('req', index + 1),
  at: ago(index * 8 + 1),
  method: String(method),
  path: String(path),
  route: String(path),
  status: Number(status),
  code: String(code),
  duration_ms: 3.2,
  asker_id: id('key', 1),
  field: index === 0 ? 'amount' : null,
}))

export const keyNames = { [id('key', 1)]: 'shop' }

export const integrations: Integration[] = [
  {
    integration_id: id('int', 1),
    name: 'Web shop',
    is_default: true,
    is_hosted_page: true,
    handle: 'tea',
    mode_setting: 'auto',
    allowed_origins: ['https://shop.example'],
    confirmation_url: 'https://shop.example/thanks',
    default_amount: null,
    default_currency: 'GBP',
    test_connections: [],
    hosted_page_url: 'https://pay.shop.example/tea',
    price_list: [
      { sku: 'tea', name: 'Breakfast tea', unit_amount: 850, currency: 'GBP', tax_rate: null, image_url: null },
    ],
    require_verified_amount: false,
    order_reference_metadata_key: null,
    on_3ds_unavailable: 'proceed',
    review_window_seconds: 432_000,
    at_deadline: 'void',
    escalate_after_seconds: null,
    capture_below: 2000,
    capture: 'automatic',
    appearance: null,
    terms_url: null,
    support_url: null,
    back_url: null,
    created_at: ago(60 * 24 * 40),
    deleted_at: null,
  },
]

export const connections: Connection[] = [
  ['main', 'stripe', 'acquirer', 'active', 'https://pay.shop.example'],
  ['old', 'adyen', 'acquirer', 'disabled', 'http://127.0.0.1:8080'],
  ['trial', 'checkout', 'acquirer', 'active', 'http://127.0.0.1:8080'],
  ['bank-checks', '3dsecureio', 'three_ds', 'active', null],
].map(([label, connector, kind, state, base_url], index) => ({
  connection_id: id('conn', index + 1),
  kind: kind as Connection['kind'],
  connector: connector!,
  label: label!,
  mode: 'sandbox',
  state: state as Connection['state'],
  notice_url: base_url ? `${base_url}/acquirers/${id('conn', index + 1)}/notices` : null,
  created_at: ago(60 * 24 * 40),
  rotated_at: index === 0 ? ago(60 * 24 * 3) : null,
  disabled_at: state === 'disabled' ? ago(60 * 24) : null,
}))

export const connectors: Connector[] = [
  { connector: 'stripe', kind: 'acquirer', required: ['secret_key', 'webhook_secret'], optional: ['api_url'] },
  { connector: '3dsecureio', kind: 'three_ds', required: ['api_key'], optional: ['api_url'] },
]

export const operations: UnansweredOperation[] = [
  {
    operation_id: id('op', 1),
    kind: 'capture',
    state: 'unknown',
    payment_id: payments[9]!.id,
    amount: 64_000,
    currency: 'GBP',
    mode: 'test',
    sent_at: ago(12),
    waits_for_person_since: ago(3),
    order_reference: payments[9]!.order_reference,
    customer_email: payments[9]!.customer?.email ?? null,
    acquirer: 'simulator',
    next_look_at: ago(-5),
    outcomes: ['approved', 'refused'],
  },
]

export const audit: AuditLine[] = [
  {
    entry_id: id('jrn', 9),
    at: ago(5),
    change: 'member.joined',
    subject: id('usr', 2),
    session_id: null,
    actor: `user ${id('usr', 1)}`,
    request_id: null,
    detail: {},
    hold_deadline: null,
    order_reference: null,
    refund_reason: null,
  },
  ...timeline.lines.map(({ seal: _seal, ...rest }) => ({
    ...rest,
    session_id: id('cs', 3),
    hold_deadline: null,
    order_reference: 'A-1042',
    refund_reason: null,
  })),
]

const hourly = (most: number) =>
  Array.from({ length: 24 }, (_, hour) => ({
    hour,
    amount: Math.round(most * (1 + Math.sin((hour - 6) / 4)) * 100),
    count: 3,
  }))

export const overview: Overview = {
  zone: 'Europe/London',
  now: now.toISOString(),
  waits: {
    holds: { count: 3, lapsing: 1, next_deadline: ago(-60 * 20), sums: [{ currency: 'GBP', amount: 17_130 }] },
    to_capture: { count: 0, lapsing: 0, next_deadline: null, sums: [] },
    unknown_outcomes: 1,
    outcomes_for_person: 0,
    given_up: 1,
    disputes: 1,
    disputes_until: ago(-60 * 24 * 3),
    failed_refunds: 1,
    failed_refunds_from: ago(60 * 24 * 3),
    paid_twice: [{ order_reference: 'A-1042', count: 2 }],
    differing: [],
    breakers_open: 0,
    orphans_held_back: 0,
    is_brake_pulled: false,
    keys_ending: [{ key_id: id('key', 1), name: 'bookkeeping', expires_at: ago(-60 * 24 * 5) }],
  },
  captured: [
    {
      currency: 'GBP',
      today: hourly(90),
      week_before: hourly(70),
      refunded_today: 2_500,
      in_span: 9_214_050,
      refunded_in_span: 81_500,
      in_span_before: 8_730_000,
      by_day: Array.from({ length: 30 }, (_, index) => 280_000 + ((index * 7_919) % 90_000)),
    },
    {
      currency: 'EUR',
      today: hourly(9),
      week_before: hourly(12),
      refunded_today: 0,
      in_span: 412_300,
      refunded_in_span: 0,
      in_span_before: 530_120,
      by_day: Array.from({ length: 30 }, (_, index) => (index * 3_457) % 28_000),
    },
  ],
  days: Array.from({ length: 30 }, (_, index) => ({
    day: new Date(now.getTime() - (29 - index) * 86_400_000).toISOString().slice(0, 10),
    captured: 80 + ((index * 17) % 30),
    held: index % 4,
    declined: 6 + ((index * 5) % 9),
    failed: index % 3,
    sessions: 150,
    succeeded_sessions: 90 + ((index * 11) % 25),
  })),
  span_before: { captured: 2_700, held: 40, declined: 290, failed: 25, sessions: 4_400, succeeded_sessions: 2_900 },
  declines: [
    { code: 'insufficient_funds', category: 'soft', count: 61 },
    { code: 'do_not_honor', category: 'soft', count: 40 },
    { code: 'incorrect_cvc', category: 'soft', count: 22 },
    { code: 'expired_card', category: 'hard', count: 12 },
  ],
  three_ds: { asked: 2400, frictionless: 1800, challenged: 470, abandoned: 90, failed: 40 },
  webhooks: { delivered: 2310, due: 2316, within_minute: 2301, failing_endpoints: 1, oldest_at: ago(4) },
  steps: { has_payment: true, has_endpoint: true, has_colleague: false, has_key: false },
}

export const system: System = {
  version: '0.2.0',
  now: ago(0),
  clock: { offset_seconds: 0, fault: null },
  database: { server_version: '17.4', size_bytes: 900 * 2 ** 20, migration: 26 },
  jobs: [
    { name: 'reconcile', every_seconds: 1, began_at: ago(1), duration_ms: 3, count: 0, failure: null },
    {
      name: 'send_receipts',
      every_seconds: 5,
      began_at: ago(1),
      duration_ms: 900,
      count: null,
      failure: 'The mail server does not answer',
    },
  ],
  check_up: {
    looked_at: ago(0),
    checks: [
      { name: 'Database', status: 'ok', found: 'PostgreSQL 17.4', to_do: null },
      {
        name: 'Mail server',
        status: 'problem' as const,
        found: 'no answer within 3 s',
        to_do: 'Look whether it runs, and check RIPPER_SMTP_URL.',
      },
    ],
  },
}

/** Those of the person, and one that others run. */
export const merchants: ListedMerchant[] = [
  { merchant_id: 'mer_4123456789abcdef01234567', merchant_name: 'The bakery', is_live: true },
  ...me.memberships,
].map(({ merchant_id, merchant_name: name, is_live }, index) => ({
  merchant_id,
  name,
  status: 'active' as const,
  is_live,
  created_at: ago(1440 * (index * 40 + 2)),
}))

export const orphans: Orphans = {
  due: 0,
  unreversed: 0,
  held_back: 1,
  has_more: false,
  acquirers: ['simulator'],
  unlisted: [],
  orphans: [
    {
      acquirer: 'simulator',
      reference: `${'0'.repeat(31)}1`,
      mode: 'test',
      amount: 4200,
      acquirer_transaction_id: 'pi_3QwErTyUiOpAsDfGhJkLzXcV',
      currency: 'GBP',
      merchant_id: null,
      payment_id: null,
      authorised_at: ago(90),
      found_at: ago(60),
      state: 'held_back',
      tries: 0,
      next_try_at: null,
      last_failure: null,
      settled_at: null,
      left_by: null,
      left_reason: null,
      released_by: null,
      released_at: null,
    },
  ],
  brakes: [
    {
      acquirer: '*',
      pulled_at: ago(60),
      pulled_by: 'jo@example.com',
      reason: 'A backup',
      released_at: null,
      released_by: null,
    },
  ],
  sweeps: [{ acquirer: 'simulator', swept_until: ago(65) }],
  findings: [
    {
      acquirer: 'simulator',
      reference: `${'0'.repeat(31)}2`,
      kind: 'amount_differs',
      mode: 'test',
      merchant_id: 'm_1',
      payment_id: id('pay', 7),
      ours: { state: 'captured', amount: 4200, currency: 'GBP', refunded_amount: 0 },
      theirs: { state: 'captured', amount: 4200, currency: 'GBP', refunded_amount: 100 },
      found_at: ago(300),
      seen_at: ago(60),
      cleared_at: null,
      resolved_at: null,
      resolved_by: null,
      resolved_reason: null,
    },
  ],
  comparisons: [],
}

export const disputes: Dispute[] = [
  {
    ...{ id: `dsp_${'1'.repeat(24)}`, payment_id: id('pay', 1), status: 'needs_response', mode: 'test' },
    ...{ reason: 'fraudulent', amount: 4200, currency: 'GBP', closed_at: null },
    ...{ respond_by: '2099-01-05T12:00:00.0000000+00:00', opened_at: '2026-09-01T12:00:00.0000000+00:00' },
    vendor_url: 'https://bank.example/disputes/1',
  },
]
/** One fits and one does not. */
export const payouts: PayoutRow[] = ['po_1TmR2sGh', 'po_1TmQ8xKd'].map((vendor_id, index) => ({
  id: id('po', index),
  connection: 'main',
  vendor_id,
  currency: 'GBP',
  gross: 412_050,
  fee: 6_180,
  net: 405_870,
  paid_on: index === 0 ? '2026-11-26' : null,
  lines: 98,
  findings: index === 0 ? 0 : 2,
}))

export const payout: Payout = {
  ...payouts[1]!,
  mode: 'test',
  short_of: 405_000,
  lines_with_findings: [
    {
      line: 17,
      transaction_id: 'txn_1TmQ8xKdLkdIwHu7ix0hBJ1M',
      type: 'charge',
      payment_id: payments[0]!.id,
      reason: 'another_amount',
    },
  ],
}
