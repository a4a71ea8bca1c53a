// What a busy merchant's dashboard is answered: one morning, the same in every test.

import type {
  Account,
  Customer,
  Delivery,
  Endpoint,
  Key,
  ListedHold,
  ListedRefund,
  Me,
  Membership,
  Payment,
  PaymentRow,
  Receipt,
  SavedFilter,
  Team,
  Timeline,
} from '../../../web/dashboard/client/answers.ts'

export const now = new Date('2026-11-23T10:24:00.000Z')
export const merchant_id = 'mer_0123456789abcdef01234567'

export const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()
export const id = (prefix: string, number: number) => `${prefix}_${String(number).padStart(24, '0')}`

type StaffPermission = Membership['permissions']['test'][number]

const everything: StaffPermission[] = [
  'read_transactions',
  'read_shoppers',
  'decide_holds',
  'refund_payments',
  'create_payments',
  'manage_webhooks',
  'read_requests',
  'manage_keys',
  'manage_integrations',
  'manage_connections',
  'replay_deliveries',
  'export_transactions',
  'resolve_operations',
  'manage_members',
  'read_audit',
  'manage_account',
]

export const me: Me = {
  user: { user_id: id('usr', 1), email: 'jo@shop.example', name: 'Jo Marsh', is_operator: true },
  methods: { passkeys: 1, has_password: false, has_one_time_codes: false, recovery_codes_left: 10 },
  session: {
    session_id: id('ses', 1),
    proved_at: ago(3),
    locks_at: ago(-14),
    expires_at: ago(-600),
  },
  memberships: [
    {
      merchant_id,
      merchant_name: 'Tea & Sons',
      role: 'owner',
      is_live: false,
      permissions: { test: everything, live: everything },
    },
    {
      merchant_id: 'mer_2123456789abcdef01234567',
      merchant_name: 'The pottery',
      role: 'viewer',
      is_live: true,
      permissions: { test: ['read_transactions'], live: ['read_transactions'] },
    },
  ],
  unpaid_days: { test: 2, live: 30 },
  version: '0.1.0',
  docs_url: 'https://pay.example/docs',
  now: now.toISOString(),
}

const customers = ['ada@example.com', 'grace.hopper@example.com', 'li.wei@example.com', 'jo@example.com']
const states: PaymentRow['status'][] = [
  'captured',
  'captured',
  'held',
  'captured',
  'declined',
  'captured',
  'failed',
  'voided',
  'captured',
  'pending',
]
const brands = ['visa', 'mastercard', 'amex']

export const payments: PaymentRow[] = Array.from({ length: 24 }, (_, index) => {
  const status = states[index % states.length]!
  return {
    id: id('pay', index + 1),
    checkout_session_id: id('cs', index + 1),
    status,
    amount: [4200, 850, 12_050, 1999, 64_000][index % 5]!,
    currency: index % 7 === 3 ? 'EUR' : 'GBP',
    mode: 'test',
    decline: status === 'declined' ? { code: 'insufficient_funds', category: 'soft', reason: null } : null,
    acquirer_transaction_id: `acq-${1000 + index}`,
    created_at: ago(index * 37 + 2),
    executed_at: status === 'captured' ? ago(index * 37 + 1) : null,
    amount_verified: status !== 'held',
    capture_state: null,
    customer: {
      email: customers[index % customers.length]!,
      name: 'Ada Lovelace',
      account_created: null,
      account_id: null,
      metadata: null,
    },
    metadata: {} as Record<string, string>,
    order_reference: `A-${1042 - index}`,
    ...(index % 9 === 3 && { refunded_amount: 1999 }),
    ...(index % 9 === 5 && { refunded_amount: 1250 }),
    basket_total: null,
    tax_total: null,
    order_reference_captured_payments: null,
    card: { brand: brands[index % 3]!, last4: ['0000', '4242', '0005'][index % 3]! },
  }
})

const item = { kind: 'product' as const, tax_amount: null, tax_rate: null, type: null }

export const held: Payment = {
  ...payments[2]!,
  metadata: { basket: '7', channel: 'spring mailing' },
  amount: 4200,
  currency: 'GBP',
  authentication: { outcome: 'Authenticated', liability_shifted: true, eci: '05' },
  items: [
    { ...item, sku: 'pot', name: 'Stoneware teapot', quantity: 1, unit_amount: 3350 },
    { ...item, sku: 'tea', name: 'Breakfast tea, 250 g', quantity: 1, unit_amount: 850 },
  ],
  basket_total: 4200,
  tax_total: null,
  order_reference_captured_payments: 0,
  hold: {
    status: 'pending_review',
    reason: 'mismatch',
    detail: 'the amount is 4200 and the items come to 4350',
    deadline: ago(-60 * 20),
    decided_by: null,
    decided_at: null,
    operation_refusal: null,
    at_deadline: 'void',
  },
  settlement: null,
  answer_by: null,
  ...{ payment_link_id: null, disputes: [], is_disputed: false },
  amount_verification_source: 'mismatch',
  refund_max: 0,
  refund_count: 0,
  refund_limit: null,
  otherwise_amount: 0,
  other_payments: [],
  order_paid_payments: 0,
  differences: [],
  permitted: ['capture', 'void', 'escalate'],
}

/** A payment at the second card, refunded in part. */
export const refunded: Payment = {
  ...held,
  id: id('pay', 4),
  status: 'captured',
  capture_state: 'captured',
  hold: null,
  amount_verified: true,
  amount_verification_source: 'server_minted',
  order_reference_captured_payments: 2,
  order_paid_payments: 2,
  executed_at: ago(70),
  refunded_amount: 1250,
  refund_max: 2950,
  refund_count: 1,
  permitted: ['refund'],
}

const refund = {
  id: id('ref', 1),
  payment_id: refunded.id,
  amount: 1250,
  currency: 'GBP',
  mode: 'test' as const,
  status: 'succeeded' as const,
  reason: 'one cup broken',
  failure: null,
  created_at: ago(5),
  settled_at: ago(5),
}

const named = { ...refund, acquirer_transaction_id: 'sim_re_7f3a9c', otherwise_amount: null }

export const refundsOfIt = [{ ...named, owed_amount: null }]

const failure = { code: 'refund_refused', reason: 'The issuer refused the refund' }

const listed: ListedRefund = {
  ...named,
  order_reference: 'A-1039',
  customer_email: 'jo@example.com',
  actor: `user ${id('usr', 1)}`,
}
const unnamed = { acquirer_transaction_id: null, reason: null }

export const refunds: ListedRefund[] = [
  {
    ...listed,
    ...unnamed,
    id: id('ref', 3),
    actor: `key ${id('key', 1)}`,
    amount: 517,
    status: 'pending',
    settled_at: null,
  },
  { ...listed, ...unnamed, id: id('ref', 2), amount: 513, status: 'failed', failure },
  listed,
]

const tried = (number: number, payment_id: string, status: string, code: string | null) => ({
  payment_id,
  attempt_id: id('att', number),
  attempt_number: number,
  status,
  amount: 4200,
  currency: 'GBP',
  acquirer: 'simulator',
  operations: [],
  acquirer_transaction_id: null,
  refunds: status === 'captured' ? [refund] : [],
  hold_deadline: null,
  decline: code === null ? null : { code, category: 'soft', reason: null },
})

const line = (number: number, minutes: number, change: string, actor: string, detail = {}) => ({
  entry_id: id('jrn', number),
  at: ago(minutes),
  change,
  subject: change.startsWith('session') ? held.checkout_session_id! : held.id,
  actor,
  request_id: actor.startsWith('key') ? id('req', number) : null,
  detail,
  seal: 'right' as const,
})

const attempt = { subject: id('att', 1) }
const charge = { subject: held.id, operation_id: 'op_1' }

export const timeline: Timeline = {
  people: { [id('usr', 1)]: 'Jo Marsh', [id('key', 1)]: 'shop' },
  lines: [
    line(1, 79, 'session.created', `key ${id('key', 1)}`, { amount: 4200, currency: 'GBP' }),
    line(2, 78, 'attempt.opened', 'shopper', { ...attempt, number: 1 }),
    line(3, 77, 'attempt.moved', 'bank', { ...attempt, three_ds_state: 'authenticated' }),
    line(4, 77, 'charge.begun', 'shopper', { ...charge, amount: 4200, currency: 'GBP' }),
    line(5, 76, 'payment.held', 'shopper', { ...charge, hold_reason: 'mismatch' }),
  ],
  refusals: [],
  are_refusals_whole: true,
  events: [
    {
      event_id: id('evt', 1),
      payment_id: held.id,
      type: 'payment.held',
      sequence: 1,
      created_at: ago(76),
      deliveries: [
        {
          delivery_id: id('dlv', 1),
          endpoint_id: id('whep', 1),
          endpoint_url: 'https://shop.example/webhooks',
          replay_of: null,
          replayable: false,
          created_at: ago(76),
          settled_at: null,
          status: 'failed',
          next_attempt_at: ago(-12),
          held_until: null,
          attempts: [
            {
              attempt_number: 1,
              status: 'failed',
              occurred_at: ago(75),
              duration_ms: 212,
              response_status_code: 502,
              failure: null,
              next_retry_at: ago(-12),
            },
          ],
        },
      ],
    },
  ],
  attempts: [{ attempt_id: id('att', 1), number: 1, card: held.card!, authentication_failure: null }],
  payments: [tried(1, held.id, 'held', null)],
  seals: { right: 5, wrong: 0, not_yet: 0 },
}

const told = (number: number, minutes: number, change: string, actor: string, detail: object) => ({
  ...line(number, minutes, change, actor, detail),
  ...('subject' in detail && { subject: String(detail.subject) }),
})
const money = { amount: 4200, currency: 'GBP' }
const [first, second] = [{ subject: id('att', 1) }, { subject: id('att', 2) }]

export const refundedLife: Timeline = {
  people: { [id('usr', 1)]: 'Olive Tanner', [id('key', 1)]: 'shop' },
  attempts: [
    { attempt_id: id('att', 1), number: 1, card: { brand: 'visa', last4: '9995' }, authentication_failure: null },
    { attempt_id: id('att', 2), number: 2, card: { brand: 'mastercard', last4: '4444' }, authentication_failure: null },
  ],
  payments: [tried(1, id('pay', 3), 'declined', 'insufficient_funds'), tried(2, refunded.id, 'captured', null)],
  lines: [
    told(1, 79, 'session.created', `key ${id('key', 1)}`, money),
    told(2, 78, 'attempt.opened', 'shopper', { ...first, number: 1 }),
    told(3, 78, 'attempt.moved', 'shopper', { ...first, three_ds_state: 'authenticated' }),
    told(4, 77, 'charge.begun', 'shopper', {
      subject: id('pay', 3),
      operation_id: 'op_1',
      ...money,
    }),
    told(5, 77, 'payment.declined', 'shopper', {
      subject: id('pay', 3),
      operation_id: 'op_1',
      decline_code: 'insufficient_funds',
    }),
    told(6, 74, 'attempt.opened', 'shopper', { ...second, number: 2 }),
    told(7, 74, 'attempt.moved', 'shopper', { ...second, three_ds_state: 'awaiting_challenge' }),
    told(8, 71, 'attempt.moved', 'bank', { ...second, three_ds_state: 'authenticated' }),
    told(9, 70, 'charge.begun', 'shopper', {
      subject: refunded.id,
      operation_id: 'op_2',
      ...money,
    }),
    told(10, 70, 'payment.captured', 'shopper', { subject: refunded.id, operation_id: 'op_2' }),
    told(11, 5, 'refund.begun', `user ${id('usr', 1)}`, {
      subject: refunded.id,
      refund_id: refund.id,
      operation_id: 'op_3',
      amount: 1250,
    }),
    told(12, 5, 'refund.succeeded', 'reconciler', {
      subject: refund.id,
      payment_id: refunded.id,
      operation_id: 'op_3',
    }),
  ],
  refusals: [],
  are_refusals_whole: true,
  events: timeline.events.map((event) => ({
    ...event,
    type: 'payment.captured',
    created_at: ago(70),
    deliveries: event.deliveries.map((delivery) => ({
      ...delivery,
      status: 'succeeded',
      next_attempt_at: null,
      attempts: delivery.attempts.map((attempt) => ({
        ...attempt,
        status: 'succeeded',
        response_status_code: 200,
        occurred_at: ago(70),
      })),
    })),
  })),
  seals: { right: 12, wrong: 0, not_yet: 0 },
}

export const receipt: Receipt = {
  to: 'ada@example.com',
  subject: 'Receipt from Tea & Sons',
  text: 'Receipt from Tea & Sons\n\nYou paid £42.00 to Tea & Sons.\n\nAmount\n    £42.00\n',
  waiting_since: null,
  hindrance: null,
  letters: [
    { state: 'sent', at: ago(50), actor: 'service', reason: null },
    { state: 'asked', at: ago(20), actor: `user ${id('usr', 1)}`, reason: null },
    { state: 'unknown', at: ago(19), actor: 'service', reason: 'no_answer' },
  ],
}

const ofAda = payments.filter(({ customer }) => customer?.email === 'ada@example.com')
export const customer: Customer = {
  data: ofAda,
  has_more: false,
  next_cursor: null,
  email: 'ada@example.com',
  is_whole: true,
  sums: (['captured', 'declined'] as const).map((status, index) => ({
    currency: 'GBP',
    status,
    count: 5 - index * 4,
    amount: 21_000 - index * 16_800,
    refunded_amount: index === 0 ? 1200 : 0,
    first_at: ago(60 * 24 * 80),
    last_at: ago(30),
  })),
}

export const saved: SavedFilter[] = [
  { list: 'payments', name: 'Declined in euros', filters: '?status=declined&currency=EUR' },
  { list: 'refunds', name: 'To look at', filters: '?status=failed' },
]

export const holds: ListedHold[] = [20, 46, 110].map((hours, index) => ({
  payment_id: index === 0 ? held.id : id('pay', 90 + index),
  checkout_session_id: id('cs', 90 + index),
  amount: [4200, 12_050, 880][index]!,
  currency: 'GBP',
  mode: 'test',
  order_reference: `A-${1040 - index}`,
  customer_email: customers[index]!,
  created_at: ago(600),
  hold: {
    ...held.hold!,
    status: index === 1 ? 'escalated' : 'pending_review',
    reason: index === 2 ? 'no_price_list' : 'mismatch',
    deadline: ago(-60 * hours),
  },
  rules: { at_deadline: 'void', capture_below_limit: false, escalate_at: null, next_at: null },
  operation: null,
  settlement: null,
  other_payments: [],
  escalation: index === 1 ? { by: 'Sue Support', note: 'The amount looks odd.' } : null,
}))

export const endpoints: Endpoint[] = [
  {
    id: id('whep', 1),
    url: 'https://shop.example/webhooks',
    event_filter: [],
    status: 'active',
    created_at: ago(60 * 24 * 40),
    standing: {
      first_attempts: 0,
      retries: 2,
      under_way: 0,
      oldest_at: ago(21),
      breaker: { open_until: ago(-7) },
      last_attempt: { occurred_at: ago(8), response_status_code: 502, failure: null },
      next_delivery_id: id('dlv', 3),
    },
    recent: { succeeded: 812, failed: 4, dead_lettered: 1 },
    given_up: 1,
  },
  {
    id: id('whep', 2),
    url: 'https://books.example/hooks/ripper',
    event_filter: ['payment.captured'],
    status: 'active',
    created_at: ago(60 * 24 * 3),
    standing: {
      first_attempts: 0,
      retries: 0,
      under_way: 0,
      oldest_at: null,
      breaker: null,
      last_attempt: { occurred_at: ago(2), response_status_code: 200, failure: null },
      next_delivery_id: null,
    },
    recent: { succeeded: 90, failed: 0, dead_lettered: 0 },
    given_up: 0,
  },
]

export const deliveries: Delivery[] = [
  ['dead_lettered', 502],
  ['succeeded', 200],
  ['failed', null],
].map(([status, code], index) => ({
  delivery_id: id('dlv', index + 1),
  replay_of: null,
  event_id: `evt:${id('pay', index + 1)}#payment.captured#${id('whep', 1)}`,
  event_type: 'webhook.payment.captured',
  attempt_number: index === 0 ? 8 : 1,
  status: status as Delivery['status'],
  occurred_at: ago(index * 17 + 4),
  endpoint_url: 'https://shop.example/webhooks',
  response_status_code: code as number | null,
  response_body: index === 0 ? 'Bad gateway' : null,
  next_retry_at: status === 'failed' ? ago(-10) : null,
  merchant_id,
  replay_expires_at: null,
  replayable: index === 0,
  failure: status === 'failed' ? 'tls' : null,
  about: { payment_id: id('pay', index + 1), order_reference: `A-${1042 - index}`, amount: 4200, currency: 'GBP' },
  replay: index === 0 ? { status: 'succeeded', response_status_code: 200 } : null,
  succeeded_later: false,
  waiting: status === 'failed' ? { next_attempt_at: ago(-10), held_until: ago(-7) } : null,
}))

export const keys: Key[] = [
  {
    key_id: id('key', 1),
    name: 'shop',
    fingerprint: 'beffd054',
    publishable_key: 'rip_pk_test_0123456789abcdef',
    permissions: ['create_payments', 'read_transactions'],
    mode: 'test_only',
    state: 'usable',
    created_at: ago(60 * 24 * 40),
    expires_at: null,
    revoked_at: null,
    last_used_at: ago(25),
    made_by: id('usr', 9),
    maker_has_left: true,
  },
]

export const team: Team = {
  members: [
    {
      user_id: me.user.user_id,
      email: me.user.email,
      name: me.user.name,
      role: 'owner',
      has_passkey: true,
      has_one_time_codes: false,
      is_disabled: false,
      seen_at: ago(0),
      reviewed_at: null,
      created_at: ago(60 * 24 * 40),
      invited_by: null,
    },
    {
      user_id: id('usr', 2),
      email: 'sam@shop.example',
      name: 'Sam Okafor',
      role: 'support',
      has_passkey: false,
      has_one_time_codes: true,
      is_disabled: false,
      seen_at: ago(60 * 26),
      reviewed_at: ago(60 * 24 * 20),
      created_at: ago(60 * 24 * 30),
      invited_by: me.user.user_id,
    },
  ],
  invitations: [
    {
      link_id: id('lnk', 1),
      email: 'kit@shop.example',
      role: 'viewer',
      made_by: me.user.user_id,
      expires_at: ago(-60 * 70),
    },
  ],
  roles: [
    { role: 'owner', permissions: { test: everything, live: everything } },
    {
      role: 'developer',
      permissions: {
        test: ['read_transactions', 'create_payments', 'manage_keys'],
        live: ['read_transactions'],
      },
    },
    { role: 'support', permissions: { test: ['read_transactions'], live: ['read_transactions'] } },
    { role: 'viewer', permissions: { test: ['read_transactions'], live: ['read_transactions'] } },
  ],
}

export const account: Account = {
  passkeys: [
    {
      credential_id: 'q8Zl',
      name: 'Work laptop',
      created_at: ago(60 * 24 * 40),
      used_at: ago(3),
      is_backed_up: true,
    },
  ],
  has_password: false,
  has_one_time_codes: false,
  recovery_codes_left: 10,
  sessions: [
    {
      session_id: me.session.session_id,
      created_at: ago(200),
      seen_at: ago(0),
      address: '127.0.0.1',
      browser: 'Chromium on Linux',
      is_this: true,
    },
    {
      session_id: id('ses', 2),
      created_at: ago(900),
      seen_at: ago(300),
      address: '192.0.2.7',
      browser: 'Safari on iPhone',
      is_this: false,
    },
  ],
}
