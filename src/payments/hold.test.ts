// What becomes of a hold, and what its rules do with it, for every event in every order.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HoldRules } from '../merchants/integration.ts'
import {
  decideHold,
  escalate,
  type Hold,
  isWaiting,
  newHold,
  nextRuleAt,
  refuseDecision,
  ruleAt,
  viewHold,
} from './hold.ts'
import type { Operation } from './operation.ts'
import type { Payment } from './payment.ts'
import type { Session } from './session.ts'

const start = Date.parse('2026-09-01T12:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1000)
const defaults: HoldRules = {
  review_window_seconds: 3600,
  at_deadline: 'void',
  escalate_after_seconds: null,
  capture_below: null,
  capture: 'automatic',
}

function open(rules: Partial<HoldRules> = {}, amount = 4200, answered_seconds = 2): Hold {
  const session = {
    amount_verification_source: 'none',
    amount_verification_detail: null,
  } as Session
  const payment: Parameters<typeof newHold>[1] = {
    merchant_id: 'm_1',
    payment_id: 'pay_1',
    amount,
    capture_method: null,
    created_at: at(0),
  }
  return newHold(session, payment, { ...defaults, ...rules }, at(answered_seconds))
}

describe('a new hold', () => {
  test.each<[string, Partial<HoldRules>, number]>([
    ['waits for its deadline', {}, 3600],
    ['waits for its escalation', { escalate_after_seconds: 600 }, 600],
    ['waits for its deadline, if that comes before', { escalate_after_seconds: 7200 }, 3600],
    ['is below the limit', { capture_below: 4201 }, 0],
    ['is at the limit', { capture_below: 4200 }, 3600],
    ['is above the limit', { capture_below: 4199 }, 3600],
  ])('%s', (_, rules, seconds) => {
    const hold = open(rules)
    expect(hold.rules_at).toEqual(at(seconds))
    expect(hold.is_below_limit).toBe(seconds === 0)
    expect(hold.deadline).toEqual(at(3600))
  })

  test.each([
    ['none', 'no_price_list'],
    ['mismatch', 'mismatch'],
  ] as const)('%s: %s', (amount_verification_source, reason) => {
    const payment = { amount: 1, created_at: at(0) } as Payment
    const session = {
      amount_verified: false,
      amount_verification_source,
      amount_verification_detail: 'why',
    }
    expect(newHold(session, payment, defaults, at(2))).toMatchObject({ reason, detail: 'why' })
  })

  test('a verified amount that was merely reserved is captured at once', () => {
    const payment = { amount: 1, created_at: at(0) } as Payment
    const session = {
      amount_verified: true,
      amount_verification_source: 'server_minted',
      amount_verification_detail: null,
    } as const
    const hold = newHold(session, payment, defaults, at(2))
    expect(hold).toMatchObject({ reason: 'no_price_list', rules_at: at(0) })
    expect(hold.detail).toMatch(/reserved/)
    expect(ruleAt(hold, at(2))).toBe('capture')
  })

  test.each([
    [true, 'none', 'manual_capture'],
    [false, 'none', 'no_price_list'],
    [false, 'mismatch', 'mismatch'],
  ] as const)('captured by hand, amount verified %s, %s: %s', (amount_verified, amount_verification_source, reason) => {
    const payment = { amount: 1, capture_method: 'manual', created_at: at(0) } as Payment
    const session = { amount_verified, amount_verification_source, amount_verification_detail: null }
    const hold = newHold(session, payment, { ...defaults, capture_below: 2 }, at(2))
    expect(hold).toMatchObject({ reason, detail: null, is_below_limit: false, rules_at: at(3600) })
  })

  test.each([
    ['before the window ends', 3599, 3599],
    ['when it ends', 3600, 3600],
    ['after it', 3601, 3600],
  ])('the authorisation ends %s', (_, expires, deadline) => {
    const payment = { amount: 1, created_at: at(0) } as Payment
    const session = { amount_verified: false, amount_verification_source: 'none' } as Session
    const hold = newHold(session, payment, defaults, at(2), at(expires))
    expect(hold).toMatchObject({ deadline: at(deadline), rules_at: at(deadline) })
  })

  test('rules that capture do it an hour before the authorisation ends', () => {
    const payment = { amount: 1, created_at: at(0) } as Payment
    const session = { amount_verified: false, amount_verification_source: 'none' } as Session
    const rules = { ...defaults, at_deadline: 'capture' } as const
    expect(newHold(session, payment, rules, at(2), at(3600 + 1800))).toMatchObject({ deadline: at(1800) })
    expect(newHold(session, payment, rules, at(2), at(3600 + 3600))).toMatchObject({ deadline: at(3600) })
  })

  test('has its whole window, however late it was known', () => {
    const rules = { escalate_after_seconds: 600 }
    expect(open(rules, 1, 30)).toMatchObject({ escalate_at: at(600), deadline: at(3600) })
    expect(open(rules, 1, 7200)).toMatchObject({ escalate_at: at(7800), deadline: at(10_800) })
    expect(open({ capture_below: 2 }, 1, 7200)).toMatchObject({ rules_at: at(7200) })
  })

  test('shows what it is, and nothing of its rules', () => {
    expect(viewHold(open())).toEqual({
      status: 'pending_review',
      reason: 'no_price_list',
      detail: null,
      deadline: '2026-09-01T13:00:00.0000000+00:00',
      decided_by: null,
      decided_at: null,
      operation_refusal: null,
    })
  })
})

function refusedAs(decline_code: string, rules: Partial<HoldRules>): Hold {
  const operation = { kind: 'capture', sequence: 1, asked_by: 'rules' } as const
  const moment = { now: at(0), chance: 0.5 }
  return refuseDecision(open(rules), operation, { reason: 'No', decline_code }, moment)
}

describe('what the rules do with a hold', () => {
  const small = { capture_below: 5000, escalate_after_seconds: 600 }

  test.each<[string, Hold, number, ReturnType<typeof ruleAt>]>([
    ['before the deadline', open(), 3599, null],
    ['at the deadline', open(), 3600, 'void'],
    ['at the deadline, to capture', open({ at_deadline: 'capture' }), 3600, 'capture'],
    ['long after it', open(), 999_999, 'void'],
    ['escalated, before the deadline', escalate(open()), 3599, null],
    ['escalated, at the deadline', escalate(open()), 3600, 'void'],
    ['before its escalation', open({ escalate_after_seconds: 600 }), 599, null],
    ['at its escalation', open({ escalate_after_seconds: 600 }), 600, 'escalate'],
    ['escalated before', escalate(open({ escalate_after_seconds: 600 })), 600, null],
    ['to be escalated at the deadline', open({ escalate_after_seconds: 3600 }), 3600, 'void'],
    ['a small amount', open(small), 0, 'capture'],
    ['a small amount, to be escalated', open(small), 600, 'escalate'],
    ['a small amount that a person looks at', escalate(open(small)), 0, null],
    ['a small amount, at the deadline', open(small), 3600, 'void'],
    ['what lapsed', refusedAs('expired', { at_deadline: 'capture' }), 3600, 'void'],
    ['what was voided elsewhere', refusedAs('already_voided', small), 0, 'void'],
    ['what was refused', refusedAs('do_not_honor', small), 0, 'capture'],
  ])('%s', (_, hold, seconds, rule) => {
    expect(ruleAt(hold, at(seconds))).toBe(rule)
  })
})

describe('whatever happens', () => {
  const someSeconds = fc.integer({ min: 1, max: 20_000 })
  const anyRules = fc.record<HoldRules>({
    review_window_seconds: someSeconds,
    at_deadline: fc.constantFrom('void', 'capture'),
    escalate_after_seconds: fc.option(someSeconds),
    capture_below: fc.option(fc.constantFrom(4199, 4200, 4201)),
    capture: fc.constantFrom('automatic', 'manual'),
  })
  const act = fc.record({
    does: fc.constantFrom('escalate', 'refuse', 'refuse', 'decide'),
    kind: fc.constantFrom('capture' as const, 'void' as const),
    asked_by: fc.constantFrom('merchant' as const, 'rules' as const),
    after_seconds: fc.nat(10_000),
    chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  })
  const frozen = ['deadline', 'at_deadline', 'escalate_at', 'is_below_limit', 'reason'] as const

  test('its status goes forward, its rules stay, and while it waits something is to be done', () => {
    fc.assert(
      fc.property(anyRules, fc.array(act, { maxLength: 20 }), (rules, acts) => {
        const opened = open(rules)
        let hold = opened
        let seconds = 0
        for (const [sequence, { does, kind, asked_by, after_seconds, chance }] of acts.entries()) {
          if (!isWaiting(hold)) return
          const before = hold
          seconds += after_seconds
          const now = at(seconds)
          const operation = { kind, asked_by, sequence }
          const refusal = { reason: 'No', decline_code: null }
          if (does === 'escalate') hold = escalate(before)
          else if (does === 'decide') hold = decideHold(before, operation, now)
          else hold = refuseDecision(before, operation, refusal, { now, chance })
          for (const column of frozen) expect(hold[column]).toEqual(opened[column])
          expectStep(before, hold, { does, kind, asked_by, sequence, now })
        }
      }),
      { numRuns: 500 },
    )
  })

  function expectStep(
    before: Hold,
    hold: Hold,
    made: Pick<Operation, 'kind' | 'asked_by' | 'sequence'> & { does: string; now: Date },
  ): void {
    const { does, kind, asked_by, sequence, now } = made
    expect(hold.operation_id).toBeNull()
    if (does === 'decide') {
      const status = kind === 'capture' ? 'captured' : 'voided'
      expect(hold).toMatchObject({ status, decided_by: asked_by, decided_at: now, rules_at: null })
      return
    }
    expect(hold.status).toBe(does === 'escalate' ? 'escalated' : before.status)
    expect(hold).toMatchObject({ decided_by: null, decided_at: null })
    // The rules act again at the deadline at the latest. After the deadline they act at the next try that they may make.
    const latest = Math.max(hold.deadline.getTime(), now.getTime() + 1.2 * 12 * 3600 * 1000)
    expect(hold.rules_at!.getTime()).toBeLessThanOrEqual(latest)
    if (does === 'escalate') return
    expect(hold.operation_refusal).toMatchObject({ kind, sequence, reason: 'No' })
    const by_rules = asked_by === 'rules'
    expect(hold.rule_refusals).toBe(before.rule_refusals + (by_rules ? 1 : 0))
    if (!by_rules) expect(hold.rules_at).toEqual(before.rules_at)
    else if (before.deadline > now) {
      expect(hold.rules_at!.getTime()).toBeLessThanOrEqual(hold.deadline.getTime())
    } else expect(hold.rules_at!.getTime()).toBeGreaterThan(now.getTime())
  }

  test('after the deadline the rules always have something to do with it', () => {
    fc.assert(
      fc.property(anyRules, fc.boolean(), fc.nat(50_000), (rules, is_escalated, late_seconds) => {
        const hold = is_escalated ? escalate(open(rules)) : open(rules)
        const now = new Date(hold.deadline.getTime() + late_seconds * 1000)
        expect(ruleAt(hold, now)).toBe(rules.at_deadline)
        expect(nextRuleAt(hold).getTime()).toBeLessThanOrEqual(hold.deadline.getTime())
      }),
    )
  })
})
