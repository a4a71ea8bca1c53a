import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AuthoriseAnswer, DeclineCategory } from '../acquirers/acquirer.ts'
import { eventOf } from './event.ts'
import { conclude } from './outcome.ts'
import type { Payment } from './payment.ts'
import { type Session, settlementAt, statusAt } from './session.ts'

const now = new Date('2026-09-01T12:00:05Z')
const rules = {
  at_deadline: 'void' as const,
  escalate_after_seconds: null,
  capture_below: null,
  capture: 'automatic' as const,
  review_window_seconds: 3600,
}

function opened(changes: Partial<Session> = {}): { session: Session; payment: Payment } {
  const session = {
    merchant_id: 'm_1',
    session_id: 'cs_1',
    mode: 'test',
    status: 'processing',
    amount: 4200,
    currency: 'GBP',
    items: null,
    customer: null,
    metadata: {},
    attempt_count: 1,
    last_decline: null,
    payment_id: 'pay_1',
    amount_verified: true,
    amount_verification_source: 'server_minted',
    amount_verification_detail: null,
    settlement: 'awaiting_reconciliation',
    answer_by: now,
    ...changes,
  } as Partial<Session> as Session
  const payment = {
    merchant_id: 'm_1',
    payment_id: 'pay_1',
    session_id: 'cs_1',
    status: 'pending',
    capture_state: null,
    amount: 4200,
    decline: null,
    executed_at: null,
    created_at: new Date('2026-09-01T12:00:00Z'),
  } as Partial<Payment> as Payment
  return { session, payment }
}

const approved = (captured: boolean): AuthoriseAnswer => ({
  result: 'approved',
  acquirer_transaction_id: 'bank-1',
  captured,
  amount: 4200,
  currency: 'GBP',
})
const turnedDown = (result: 'declined' | 'failed', category: DeclineCategory): AuthoriseAnswer => ({
  result,
  decline: { code: 'x', category, reason: null },
  acquirer_transaction_id: null,
})

describe('the end of an authorisation', () => {
  test('approved and captured', () => {
    const { payment, session, hold } = conclude(opened(), approved(true), rules, now)
    expect(payment).toMatchObject({
      status: 'captured',
      capture_state: 'captured',
      executed_at: now,
    })
    expect(session).toMatchObject({ status: 'succeeded', settlement: null, answer_by: null })
    expect(hold).toBeNull()
  })

  test.each([
    ['none', 'no_price_list'],
    ['mismatch', 'mismatch'],
  ] as const)('approved without capture is held: %s', (amount_verification_source, reason) => {
    const unverified = opened({ amount_verified: false, amount_verification_source })
    const { payment, session, hold } = conclude(unverified, approved(false), rules, now)
    expect(payment).toMatchObject({
      status: 'held',
      capture_state: 'authorised',
      executed_at: null,
    })
    expect(session.status).toBe('succeeded')
    expect(hold).toMatchObject({
      status: 'pending_review',
      reason,
      deadline: new Date('2026-09-01T13:00:00Z'),
    })
  })

  test.each([
    ['soft, one attempt used', 'soft', 1, 'requires_payment'],
    ['hard, two used: another card may be tried', 'hard', 2, 'requires_payment'],
    ['soft, three used', 'soft', 3, 'declined'],
    ['fraud closes at once', 'fraud', 1, 'declined'],
  ] as const)('declined: %s', (_name, category, attempt_count, status) => {
    const { session, payment } = conclude(opened({ attempt_count }), turnedDown('declined', category), rules, now)
    expect(session).toMatchObject({ status, last_decline: { category } })
    expect(payment).toMatchObject({ status: 'declined', capture_state: null, executed_at: null })
  })

  test('an error is failed, not declined', () => {
    const { payment } = conclude(opened(), turnedDown('failed', 'provider_error'), rules, now)
    expect(payment.status).toBe('failed')
  })
})

const anyAnswer = fc.oneof(
  fc.boolean().map(approved),
  fc
    .tuple(
      fc.constantFrom('declined' as const, 'failed' as const),
      fc.constantFrom('soft' as const, 'hard' as const, 'fraud' as const),
    )
    .map(([result, category]) => turnedDown(result, category)),
)

test('money has moved exactly when a payment says captured, and every outcome has its event', () => {
  fc.assert(
    fc.property(anyAnswer, fc.integer({ min: 1, max: 3 }), (answer, attempt_count) => {
      const change = conclude(opened({ attempt_count }), answer, rules, now)
      const { payment, hold } = change
      expect(payment.executed_at !== null).toBe(payment.status === 'captured')
      expect(payment.decline !== null).toBe(['declined', 'failed'].includes(payment.status))
      expect(hold !== null).toBe(payment.status === 'held')
      const event = eventOf(change, { event_id: 'evt_1', sequence: 1, at: now })
      expect(event.type).toBe(`payment.${payment.status}`)
      expect(JSON.parse(event.body).data.status).toBe(payment.status)
    }),
  )
})

test('an open session expires; one with a payment made or under way does not', () => {
  const expires_at = now
  expect(statusAt({ status: 'requires_payment', expires_at, cancellation: null }, new Date(now.getTime() - 1))).toBe(
    'requires_payment',
  )
  expect(statusAt({ status: 'requires_payment', expires_at, cancellation: null }, now)).toBe('expired')
  const early = new Date(now.getTime() - 60_000)
  expect(statusAt({ status: 'requires_payment', expires_at, cancellation: 'expired' }, early)).toBe('expired')
  for (const status of ['processing', 'succeeded', 'declined'] as const) {
    expect(statusAt({ status, expires_at, cancellation: 'expired' }, now)).toBe(status)
  }
})

test('a charge whose time is over awaits reconciliation, though its process died before saying so', () => {
  const charging = { settlement: null, answer_by: now } as const
  expect(settlementAt(charging, new Date(now.getTime() - 1))).toBeNull()
  expect(settlementAt(charging, now)).toBe('awaiting_reconciliation')
  expect(settlementAt({ ...charging, answer_by: null }, now)).toBeNull()
})
