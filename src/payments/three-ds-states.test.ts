import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AuthenticationOutcome } from '../three-ds/three-ds.ts'
import type { Attempt } from './attempt.ts'
import { attemptAt, isAuthenticationOver, judge, stateOf } from './three-ds-states.ts'

const proof = 'AAABBBCCCDDDEEEFFFGGGHHHIII='
const proceed = { on_3ds_unavailable: 'proceed' } as const
const decline = { on_3ds_unavailable: 'decline' } as const

function outcome(changes: Partial<AuthenticationOutcome>): AuthenticationOutcome {
  return {
    status: 'Y',
    eci: null,
    authentication_value: null,
    reason: null,
    challenge_cancel: null,
    unavailable_cause: null,
    ...changes,
  }
}

describe('the end of 3-D Secure, by status, brand, eci and proof', () => {
  const shifted = { liability_shifted: true }
  const not = { liability_shifted: false }
  test.each([
    [
      'Y visa',
      'visa',
      { status: 'Y', eci: '05', authentication_value: proof },
      { outcome: 'Authenticated', eci: '05', ...shifted },
    ],
    [
      'Y amex',
      'amex',
      { status: 'Y', eci: '05', authentication_value: proof },
      { outcome: 'Authenticated', eci: '05', ...shifted },
    ],
    [
      'Y mastercard',
      'mastercard',
      { status: 'Y', eci: '02', authentication_value: proof },
      { outcome: 'Authenticated', eci: '02', ...shifted },
    ],
    [
      'Y mastercard, recurring',
      'mastercard',
      { status: 'Y', eci: '07', authentication_value: proof },
      { outcome: 'Authenticated', eci: '07', ...shifted },
    ],
    [
      'Y without an eci',
      'visa',
      { status: 'Y', authentication_value: proof },
      { outcome: 'Authenticated', eci: null, ...not },
    ],
    [
      'Y mastercard without an eci',
      'mastercard',
      { status: 'Y', authentication_value: proof },
      { outcome: 'Authenticated', eci: null, ...not },
    ],
    [
      'A without an eci',
      'visa',
      { status: 'A', authentication_value: proof },
      { outcome: 'Attempted', eci: null, ...not },
    ],
    ['Y without proof', 'visa', { status: 'Y', eci: '05' }, { outcome: 'Authenticated', eci: '05', ...not }],
    [
      'Y with an eci of no shift',
      'visa',
      { status: 'Y', eci: '07', authentication_value: proof },
      { outcome: 'Authenticated', eci: '07', ...not },
    ],
    [
      'Y mastercard, data only',
      'mastercard',
      { status: 'Y', eci: '04', authentication_value: proof },
      { outcome: 'Authenticated', eci: '04', ...not },
    ],
    [
      'A visa',
      'visa',
      { status: 'A', eci: '06', authentication_value: proof },
      { outcome: 'Attempted', eci: '06', ...shifted },
    ],
    [
      'A mastercard',
      'mastercard',
      { status: 'A', eci: '01', authentication_value: proof },
      { outcome: 'Attempted', eci: '01', ...shifted },
    ],
    ['A without proof', 'visa', { status: 'A', eci: '06' }, { outcome: 'Attempted', eci: '06', ...not }],
    ['N', 'visa', { status: 'N', reason: '01' }, { outcome: 'Failed', eci: null, ...not }],
    ['R', 'visa', { status: 'R', reason: '11', eci: '07' }, { outcome: 'Failed', eci: '07', ...not }],
    ['U', 'visa', { status: 'U' }, null],
    ['I', 'visa', { status: 'I', eci: '07' }, null],
  ] as const)('%s', (_name, brand, said, authentication) => {
    const authentication_outcome = outcome(said)
    const attempt = {
      three_ds_state: stateOf(authentication_outcome),
      authentication_outcome,
      brand,
    }
    expect(judge(attempt, proceed).authentication).toEqual(authentication)
  })

  test.each([
    ['N', { status: 'N', reason: '01' }, 'authentication_failed', 'soft'],
    ['N by the cardholder', { status: 'N', reason: '01', challenge_cancel: '01' }, 'authentication_canceled', 'soft'],
    [
      'N by the clock of the ACS',
      { status: 'N', reason: '14', challenge_cancel: '04' },
      'authentication_timeout',
      'soft',
    ],
    ['N without a CReq', { status: 'N', reason: '14', challenge_cancel: '05' }, 'authentication_timeout', 'soft'],
    ['N with reason 14 alone', { status: 'N', reason: '14' }, 'authentication_timeout', 'soft'],
    ['R for fraud', { status: 'R', reason: '11' }, 'authentication_rejected', 'fraud'],
    ['R for a stolen card', { status: 'R', reason: '10' }, 'authentication_rejected', 'fraud'],
    ['R for another reason', { status: 'R', reason: '12' }, 'authentication_rejected', 'hard'],
  ] as const)('%s is declined', (_name, said, code, category) => {
    const authentication_outcome = outcome(said)
    const attempt = {
      three_ds_state: stateOf(authentication_outcome),
      authentication_outcome,
      brand: 'visa',
    } as const
    const verdict = judge(attempt, proceed)
    expect(verdict.decline).toMatchObject({ code, category })
    expect(verdict.send_three_ds).toBe(false)
  })

  test.each(['unavailable', 'not_enrolled'] as const)('%s follows the policy', (three_ds_state) => {
    const attempt = { three_ds_state, authentication_outcome: null, brand: 'visa' } as const
    expect(judge(attempt, proceed)).toEqual({
      authentication: null,
      decline: null,
      send_three_ds: false,
    })
    expect(judge(attempt, decline).decline).toMatchObject({
      code: 'authentication_unavailable',
      category: 'soft',
    })
  })
})

const anyOutcome = fc.record({
  status: fc.constantFrom('Y', 'A', 'N', 'R', 'U', 'I') as fc.Arbitrary<AuthenticationOutcome['status']>,
  eci: fc.constantFrom(null, '00', '01', '02', '04', '05', '06', '07'),
  authentication_value: fc.constantFrom(null, proof),
  reason: fc.constantFrom(null, '01', '11', '14'),
  challenge_cancel: fc.constantFrom(null, '01', '04', '05'),
  unavailable_cause: fc.constant(null),
})
const anyBrand = fc.constantFrom('visa' as const, 'mastercard' as const, 'amex' as const)

test('a refusal by the bank is never charged, and liability never shifts without proof', () => {
  fc.assert(
    fc.property(anyOutcome, anyBrand, (authentication_outcome, brand) => {
      const attempt = {
        three_ds_state: stateOf(authentication_outcome),
        authentication_outcome,
        brand,
      }
      const verdict = judge(attempt, proceed)
      const refused = 'NR'.includes(authentication_outcome.status)
      expect(verdict.decline !== null).toBe(refused)
      if (verdict.authentication) {
        expect(verdict.authentication.eci).toBe(authentication_outcome.eci)
      }
      if (verdict.authentication?.liability_shifted) {
        expect(authentication_outcome.authentication_value).not.toBeNull()
        expect(authentication_outcome.eci).not.toBeNull()
        expect('YA').toContain(authentication_outcome.status)
      }
      if (verdict.decline) expect(verdict.send_three_ds).toBe(false)
    }),
  )
})

test('a challenge past its end has failed, and not a moment before', () => {
  const ends = new Date('2026-09-01T12:11:00Z')
  const attempt = { three_ds_state: 'awaiting_challenge', challenge_expires_at: ends } as Attempt
  expect(attemptAt(attempt, new Date(ends.getTime() - 1))).toBe(attempt)
  const late = attemptAt(attempt, ends)
  expect(late.three_ds_state).toBe('failed')
  expect(judge({ ...late, brand: 'visa' }, proceed).decline?.code).toBe('authentication_timeout')
  expect(isAuthenticationOver(late.three_ds_state)).toBe(true)
})
