import { expect, test } from 'vitest'
import { sessionRow } from '../../tests/support/session-row.ts'
import type { ThreeDsState } from '../checkout/attempt.ts'
import type { Hold } from '../checkout/hold.ts'
import type { Session } from '../checkout/session.ts'
import type { ThreeDsStep } from '../checkout/three-ds-states.ts'
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
const refused = { code: 'card_declined', decline_code: 'do_not_honor', message: 'Do not honour' }

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

type Expected = Partial<Pick<PaymentIntent, 'status' | 'cancellation_reason' | 'capture_method'>> & {
  last_payment_error?: object | null
}
type Row = [
  name: string,
  rows: Omit<Partial<IntentRows>, 'session'> & { session?: Partial<Session> },
  expected: Expected,
  minutes?: number,
]

const automatic = { status: 'canceled', cancellation_reason: 'automatic' } as const
const expired = { status: 'canceled', cancellation_reason: 'expired' } as const
const unfinished = {
  code: 'payment_intent_authentication_failure',
  decline_code: null,
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
    { session: { status: 'processing' }, payment_status: 'pending', step: step('authenticated') },
    { status: 'processing' },
  ],
  [
    'charging, and past expiry',
    { session: { status: 'processing' }, payment_status: 'pending' },
    { status: 'processing' },
    90,
  ],
  [
    'no answer',
    {
      session: { status: 'processing', settlement: 'awaiting_reconciliation', ...declined },
      payment_status: 'pending',
    },
    { status: 'processing', last_payment_error: null },
    90,
  ],
  [
    'an answer that is overdue, to the capture of a hold',
    { session: { status: 'succeeded', answer_by: at(1) }, payment_status: 'held', hold: waiting },
    { status: 'processing', capture_method: 'manual' },
  ],
  [
    'declined, attempts left',
    { session: declined, payment_status: 'declined', step: settledStep },
    { status: 'requires_payment_method', last_payment_error: refused },
  ],
  [
    'declined, and another card under way',
    { session: declined, payment_status: 'declined', step: step('awaiting_challenge') },
    { status: 'requires_action', last_payment_error: null },
  ],
  [
    'failed, attempts left',
    {
      session: {
        last_decline: { code: 'processing_error', category: 'provider_error', reason: null },
      },
      payment_status: 'failed',
      step: settledStep,
    },
    {
      status: 'requires_payment_method',
      last_payment_error: {
        code: 'processing_error',
        decline_code: null,
        message: expect.any(String),
      },
    },
  ],
  [
    'no attempt left, or a fraud decline',
    { session: { status: 'declined', ...declined }, payment_status: 'declined', step: settledStep },
    { ...automatic, last_payment_error: refused },
  ],
  [
    'no attempt left, and past expiry',
    { session: { status: 'declined', ...declined }, payment_status: 'declined', step: settledStep },
    { ...automatic, last_payment_error: refused },
    90,
  ],
  ['expired', {}, { ...expired, last_payment_error: null }, 30],
  [
    'expired after a decline',
    { session: declined, payment_status: 'declined', step: settledStep },
    { ...expired, last_payment_error: refused },
    30,
  ],
  ['expired at the bank', { step: step('awaiting_challenge') }, { ...expired, last_payment_error: unfinished }, 30],
  [
    'captured',
    { session: { status: 'succeeded', ...declined }, payment_status: 'captured', step: settledStep },
    { status: 'succeeded', last_payment_error: null },
    90,
  ],
  [
    'held',
    { session: { status: 'succeeded' }, payment_status: 'held', hold: waiting },
    { status: 'requires_capture', capture_method: 'manual' },
    90,
  ],
  [
    'held, a person looks at it',
    {
      session: { status: 'succeeded' },
      payment_status: 'held',
      hold: { ...waiting, status: 'escalated' },
    },
    { status: 'requires_capture', capture_method: 'manual' },
  ],
  [
    'a hold captured',
    {
      session: { status: 'succeeded' },
      payment_status: 'captured',
      hold: decided('captured', 'rules'),
    },
    { status: 'succeeded', capture_method: 'manual' },
  ],
  [
    'a hold voided by the merchant',
    {
      session: { status: 'succeeded', ...declined },
      payment_status: 'voided',
      hold: decided('voided', 'merchant'),
    },
    {
      status: 'canceled',
      cancellation_reason: 'requested_by_customer',
      capture_method: 'manual',
      last_payment_error: null,
    },
  ],
  [
    'a hold voided by the rules',
    {
      session: { status: 'succeeded' },
      payment_status: 'voided',
      hold: decided('voided', 'rules'),
    },
    { ...automatic, capture_method: 'manual' },
    9000,
  ],
]

test.each(table)('%s', (_name, { session, ...rows }, expected, minutes = 5) => {
  const whole: IntentRows = { payment_status: null, hold: null, step: null, ...rows, session: open }
  whole.session = { ...open, ...session }
  const intent = viewIntent(whole, { now: at(minutes) })
  expect(paymentIntent.parse(intent)).toEqual(intent)
  expect(intent).toMatchObject({
    cancellation_reason: null,
    capture_method: 'automatic',
    last_payment_error: null,
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
  const rows: IntentRows = { session, payment_status: 'held', hold, step: settledStep }
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
