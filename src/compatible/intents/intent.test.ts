import { expect, test } from 'vitest'
import { sessionRow } from '../../../tests/support/session-row.ts'
import type { ThreeDsState } from '../../payments/attempt.ts'
import type { Hold } from '../../payments/hold.ts'
import type { PaymentStatus } from '../../payments/payment.ts'
import type { Session } from '../../payments/session.ts'
import type { ThreeDsStep } from '../../payments/three-ds-states.ts'
import { type IntentRows, type PaymentIntent, paymentIntent, viewIntent } from './intent.ts'

const created_at = new Date('2026-09-01T12:00:00.900Z')
const at = (minutes: number) => new Date(created_at.getTime() + minutes * 60_000)

const open = sessionRow({
  metadata: { a: 'b' },
  statement_descriptor_suffix: 'TEA',
  created_at,
})
const declined = {
  last_decline: { code: 'do_not_honor', category: 'soft', reason: 'Do not honour' },
} as const
const refused = { type: 'card_error', code: 'card_declined', decline_code: 'do_not_honor', message: 'Do not honour' }

const payment = (status: PaymentStatus) => ({ payment_id: 'pay_1' as const, status, created_at: at(2) })

const waiting: Hold = {
  merchant_id: 'm_1',
  payment_id: 'pay_1',
  status: 'pending_review',
  reason: 'mismatch',
  detail: null,
  deadline: at(7200),
  decided_by: null,
  decided_at: null,
  operation_refusal: null,
  operation_id: null,
  operation_count: 0,
  at_deadline: 'void',
  escalate_at: null,
  is_below_limit: false,
  rules_at: null,
  rule_refusals: 0,
}
const decided = (status: 'captured' | 'voided', decided_by: 'merchant' | 'rules'): Hold => ({
  ...waiting,
  status,
  decided_by,
  decided_at: at(9),
})

const step = (three_ds_state: ThreeDsState, more: Partial<ThreeDsStep> = {}): ThreeDsStep => ({
  phase: 'authenticating',
  three_ds_state,
  challenge_expires_at: at(20),
  authentication_outcome: null,
  brand: 'visa',
  ...more,
})
const settledStep = step('authenticated', { phase: 'settled' })

type Expected = Partial<Omit<PaymentIntent, 'last_payment_error'>> & {
  last_payment_error?: object | null
}
type Row = [
  name: string,
  rows: Omit<Partial<IntentRows>, 'session'> & { session?: Partial<Session> },
  expected: Expected,
  minutes?: number,
]

const second = (minutes: number) => Math.floor(at(minutes).getTime() / 1000)
const automatic = { status: 'canceled', cancellation_reason: 'automatic', canceled_at: second(2) } as const
const expired = { status: 'canceled', cancellation_reason: 'expired', canceled_at: second(30) } as const
const succeeded = { status: 'succeeded', amount_received: 4200, latest_charge: 'ch_1' } as const
const held = {
  status: 'requires_capture',
  amount_capturable: 4200,
  latest_charge: 'ch_1',
  capture_method: 'manual',
} as const
const voided = { status: 'canceled', latest_charge: 'ch_1', canceled_at: second(9), capture_method: 'manual' } as const
const unfinished = {
  type: 'card_error',
  code: 'payment_intent_authentication_failure',
  message: expect.any(String),
}

const table: Row[] = [
  ['new', {}, { status: 'requires_payment_method' }],
  ['3-D Secure begins', { step: step('not_started') }, { status: 'requires_confirmation' }],
  ['the bank asks', { step: step('awaiting_challenge') }, { status: 'requires_action' }],
  [
    'nobody answered the bank in time',
    { step: step('awaiting_challenge') },
    { status: 'requires_payment_method', last_payment_error: unfinished },
    25,
  ],
  ...(['authenticated', 'attempted', 'informational', 'unavailable', 'not_enrolled'] as const).map(
    (state): Row => [state, { step: step(state) }, { status: 'requires_confirmation' }],
  ),
  ...(['failed', 'rejected'] as const).map(
    (state): Row => [
      state,
      { step: step(state) },
      { status: 'requires_payment_method', last_payment_error: unfinished },
    ],
  ),
  [
    'charging',
    { session: { status: 'processing' }, payment: payment('pending'), step: step('authenticated') },
    { status: 'processing' },
  ],
  [
    'charging, and past expiry',
    { session: { status: 'processing' }, payment: payment('pending') },
    { status: 'processing' },
    90,
  ],
  [
    'no answer',
    {
      session: { status: 'processing', settlement: 'awaiting_reconciliation', ...declined },
      payment: payment('pending'),
    },
    { status: 'processing', last_payment_error: null },
    90,
  ],
  [
    'an answer that is overdue, to the capture of a hold',
    { session: { status: 'succeeded', answer_by: at(1) }, payment: payment('held'), hold: waiting },
    { status: 'processing', capture_method: 'manual', latest_charge: 'ch_1' },
  ],
  [
    'declined, attempts left',
    { session: declined, payment: payment('declined'), step: settledStep },
    { status: 'requires_payment_method', last_payment_error: refused },
  ],
  [
    'declined, and another card under way',
    { session: declined, payment: payment('declined'), step: step('awaiting_challenge') },
    { status: 'requires_action', last_payment_error: null },
  ],
  [
    'failed, attempts left',
    {
      session: {
        last_decline: { code: 'processing_error', category: 'provider_error', reason: null },
      },
      payment: payment('failed'),
      step: settledStep,
    },
    {
      status: 'requires_payment_method',
      last_payment_error: {
        type: 'api_error',
        code: 'processing_error',
        message: expect.any(String),
      },
    },
  ],
  [
    'no attempt left, or a fraud decline',
    { session: { status: 'declined', ...declined }, payment: payment('declined'), step: settledStep },
    { ...automatic, last_payment_error: refused },
  ],
  [
    'no attempt left, and past expiry',
    { session: { status: 'declined', ...declined }, payment: payment('declined'), step: settledStep },
    { ...automatic, last_payment_error: refused },
    90,
  ],
  ['expired', {}, { ...expired, last_payment_error: null }, 30],
  [
    'expired after a decline',
    { session: declined, payment: payment('declined'), step: settledStep },
    { ...expired, last_payment_error: refused },
    30,
  ],
  ['expired at the bank', { step: step('awaiting_challenge') }, { ...expired, last_payment_error: unfinished }, 30],
  [
    'captured',
    { session: { status: 'succeeded', ...declined }, payment: payment('captured'), step: settledStep },
    { ...succeeded, last_payment_error: null },
    90,
  ],
  ['held', { session: { status: 'succeeded' }, payment: payment('held'), hold: waiting }, held, 90],
  [
    'held, a person looks at it',
    {
      session: { status: 'succeeded' },
      payment: payment('held'),
      hold: { ...waiting, status: 'escalated' },
    },
    held,
  ],
  [
    'a hold captured',
    {
      session: { status: 'succeeded' },
      payment: payment('captured'),
      hold: decided('captured', 'rules'),
    },
    { ...succeeded, capture_method: 'manual' },
  ],
  [
    'a hold voided by the merchant',
    {
      session: { status: 'succeeded', ...declined },
      payment: payment('voided'),
      hold: decided('voided', 'merchant'),
    },
    { ...voided, cancellation_reason: 'requested_by_customer', last_payment_error: null },
  ],
  [
    'a hold voided by the rules',
    {
      session: { status: 'succeeded' },
      payment: payment('voided'),
      hold: decided('voided', 'rules'),
    },
    { ...voided, cancellation_reason: 'automatic' },
    9000,
  ],
]

test.each(table)('%s', (_name, { session, ...rows }, expected, minutes = 5) => {
  const whole: IntentRows = { payment: null, hold: null, step: null, ...rows, session: open }
  whole.session = { ...open, ...session }
  const intent = viewIntent(whole, { now: at(minutes) })
  expect(paymentIntent.parse(intent)).toEqual(intent)
  expect(intent).toMatchObject({
    amount_capturable: 0,
    amount_received: 0,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    last_payment_error: null,
    latest_charge: null,
    ...expected,
  })
})

test('all that does not depend on what the shopper did', () => {
  const hold = { ...waiting, status: 'escalated' as const }
  const session = {
    ...open,
    mode: 'live' as const,
    customer: { email: 'ada@example.com', name: null, account_created: null } as never,
  }
  const rows: IntentRows = { session, payment: payment('held'), hold, step: settledStep }
  expect(viewIntent(rows, { now: at(5), client_secret: 'cs_1_secret_x' })).toMatchObject({
    id: 'cs_1',
    object: 'payment_intent',
    amount: 4200,
    currency: 'gbp',
    client_secret: 'cs_1_secret_x',
    created: 1788264000,
    livemode: true,
    metadata: { a: 'b' },
    statement_descriptor_suffix: 'TEA',
    receipt_email: 'ada@example.com',
    next_action: null,
    ripper: {
      checkout_session_id: 'cs_1',
      amount_verified: true,
      hold: { status: 'escalated', reason: 'mismatch', decided_by: null },
    },
  })
})
