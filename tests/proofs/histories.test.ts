// The checker of sessions' histories: what is right passes, what is wrong in one way does not, nor what is too large to judge.

import { describe, expect, test } from 'vitest'
import { judgeHistories } from '../../proofs/histories/judge.ts'
import { judge } from '../../proofs/histories/search.ts'
import { type Call, noRules, type Rules, type SessionCall, sessionModel } from '../../proofs/histories/session.ts'

/** A call of somebody from one time to another, or to null. */
type Row = [client: string, begin_ms: number, end_ms: number | null, asked: SessionCall]

const calls = (rows: Row[]): Call[] =>
  rows.map(([client, begin_ms, end_ms, asked]) => ({ client, begin_ms, end_ms, ...asked }))

const verdictOf = (history: Call[], rules: Rules = noRules) => judge(sessionModel(rules), history).verdict

const created: Row = ['shop', 0, 1, { what: 'create', told: { good: {} } }]

function authenticated(number = 1): SessionCall {
  const told = { good: { id: `att_${number}`, number } }
  return { what: 'authenticate', card: `card_${number}`, told }
}

function confirmed(status: string, { number = 1, left }: { number?: number; left?: number } = {}): SessionCall {
  const attempt = { id: `att_${number}`, number }
  const attempts_left = left ?? 3 - number
  const good = { status, payment_id: `pay_${number}`, attempt, attempts_left }
  return { what: 'confirm', told: { good } }
}

function state(status: string, result: string | null, number = 1): SessionCall {
  const told = result === null ? null : confirmed(result, { number }).told
  const good = {
    status,
    attempt_count: number,
    settlement: null,
    attempt: number === 0 ? null : { id: `att_${number}`, number },
    result: told && 'good' in told ? (told.good as never) : null,
  }
  return { what: 'read_state', told: { good } }
}

function session(status: string, payment: number | null, hold_status: string | null = null): SessionCall {
  const payment_id = payment === null ? null : `pay_${payment}`
  const good = { status, attempt_count: payment ?? 1, settlement: null, payment_id, hold_status }
  return { what: 'read_session', told: { good } }
}

function payment(status: string, number = 1): SessionCall {
  return { what: 'read_payment', payment_id: `pay_${number}`, told: { good: { status } } }
}

function decided(kind: 'capture' | 'void', status: string, replayed = false): SessionCall {
  return { what: 'decide', kind, payment_id: 'pay_1', told: { good: { status, replayed } } }
}

function refused(kind: 'capture' | 'void', code: string): SessionCall {
  return { what: 'decide', kind, payment_id: 'pay_1', told: { refused: code } }
}

const unanswered: SessionCall = { what: 'confirm', told: null }
const card: Row = ['a', 2, 3, authenticated()]
const captured: Row[] = [created, card, ['a', 4, 9, confirmed('captured')]]
const held: Row[] = [created, card, ['a', 4, 9, confirmed('held')]]

const right: [string, Row[], Rules?][] = [
  [
    'a payment, read in every way',
    [
      ...captured,
      ['b', 10, 11, state('succeeded', 'captured')],
      ['b', 12, 13, session('succeeded', 1)],
      ['b', 14, 15, payment('captured')],
    ],
  ],
  [
    'an answer that came late',
    [
      created,
      card,
      ['a', 4, 6, confirmed('processing')],
      ['a', 7, 8, session('processing', 1)],
      ['a', 9, 10, confirmed('captured')],
    ],
  ],
  [
    'a confirm without an answer that took effect',
    [created, card, ['a', 4, null, unanswered], ['a', 20, 21, state('succeeded', 'captured')]],
  ],
  ['and one that did not', [created, card, ['a', 4, null, unanswered], ['a', 20, 21, state('requires_payment', null)]]],
  [
    'two confirms at once, of which one finds the other under way',
    [created, card, ['a', 4, 9, confirmed('captured')], ['b', 5, 6, confirmed('processing')]],
  ],
  [
    'reads that meet the confirm and disagree',
    [
      created,
      card,
      ['a', 4, 20, confirmed('captured')],
      ['b', 5, 18, session('requires_payment', null)],
      ['c', 6, 17, session('succeeded', 1)],
      ['d', 7, 16, session('processing', 1)],
    ],
  ],
  [
    'another card, after a decline',
    [
      created,
      card,
      ['a', 4, 5, confirmed('declined')],
      ['a', 6, 7, authenticated(2)],
      ['a', 8, 9, confirmed('captured', { number: 2 })],
      ['a', 10, 11, payment('declined')],
    ],
  ],
  [
    'a decline that closes the session',
    [
      created,
      card,
      ['a', 4, 5, confirmed('declined', { left: 0 })],
      ['a', 6, 7, { what: 'other', told: { refused: 'session_declined' } }],
    ],
  ],
  [
    'a card of which nobody was told',
    [
      created,
      ['a', 2, null, { what: 'authenticate', card: 'card_1', told: null }],
      ['a', 5, 6, state('requires_payment', null)],
      ['a', 7, 8, authenticated()],
    ],
  ],
  [
    'capture and void at once, of which one wins',
    [
      ...held,
      ['a', 10, 15, decided('capture', 'captured')],
      ['b', 10, 15, refused('void', 'hold_already_decided')],
      ['c', 11, 14, session('succeeded', 1, 'pending_review')],
    ],
  ],
  [
    'a capture that was refused, and a void',
    [
      ...held,
      ['a', 10, 11, refused('capture', 'operation_refused')],
      ['a', 12, 13, session('succeeded', 1, 'pending_review')],
      ['a', 14, 15, decided('void', 'voided')],
    ],
  ],
  [
    'a capture without an answer, found much later',
    [
      ...held,
      ['a', 10, null, { what: 'decide', kind: 'capture', payment_id: 'pay_1', told: null }],
      ['a', 12, 13, session('succeeded', 1, 'pending_review')],
      ['a', 90, 91, payment('captured')],
    ],
  ],
  [
    'a replay that repeats what was so once',
    [
      ...held,
      ['a', 10, 11, decided('capture', 'held')],
      ['a', 12, 13, payment('captured')],
      ['a', 14, 15, decided('capture', 'held', true)],
    ],
  ],
  ['rules that void when they may', [...held, ['b', 100, 101, payment('voided')]], { ...noRules, void: 90 }],
]

const wrong: [string, Row[], Rules?][] = [
  ['a stale read after an outcome that was acknowledged', [...captured, ['b', 10, 11, session('processing', 1)]]],
  ['one that knows nothing of it', [...captured, ['b', 10, 11, state('requires_payment', null)]]],
  ['two outcomes', [...captured, ['b', 10, 11, confirmed('declined')]]],
  ['two outcomes at once', [...captured, ['b', 4, 9, confirmed('declined')]]],
  ['an outcome that goes back', [...captured, ['b', 10, 11, payment('captured')], ['b', 12, 13, payment('pending')]]],
  [
    'an outcome that comes and goes, with nobody told',
    [
      created,
      card,
      ['a', 4, null, unanswered],
      ['b', 5, 6, session('succeeded', 1)],
      ['b', 7, 8, session('requires_payment', null)],
    ],
  ],
  [
    'a decided hold that is read as waiting',
    [...held, ['a', 10, 11, decided('capture', 'captured')], ['b', 12, 13, session('succeeded', 1, 'pending_review')]],
  ],
  [
    'a hold that was captured and voided',
    [...held, ['a', 10, 20, decided('capture', 'captured')], ['b', 10, 20, decided('void', 'voided')]],
  ],
  ['a hold that nobody decided', [...held, ['b', 10, 11, payment('voided')]]],
  [
    'a void of which only a capture was asked',
    [
      ...held,
      ['a', 10, null, { what: 'decide', kind: 'capture', payment_id: 'pay_1', told: null }],
      ['b', 20, 21, payment('voided')],
    ],
  ],
  ['rules that void too early', [...held, ['b', 80, 81, payment('voided')]], { ...noRules, void: 90 }],
  ['a charge that nobody asked for', [created, card, ['b', 4, 5, session('processing', 1)]]],
  [
    'a charge before it was asked for',
    [created, card, ['b', 4, 5, session('processing', 1)], ['a', 6, null, unanswered]],
  ],
  [
    'two charges of one confirm',
    [
      created,
      card,
      ['a', 4, null, unanswered],
      ['b', 5, 6, payment('declined')],
      ['b', 7, 8, authenticated(2)],
      ['b', 9, 10, session('processing', 2)],
    ],
  ],
  [
    'a session that is gone',
    [...captured, ['b', 10, 11, { what: 'read_session', told: { refused: 'resource_not_found' } }]],
  ],
  [
    'a payment that is gone',
    [
      ...captured,
      ['b', 10, 11, { what: 'read_payment', payment_id: 'pay_1', told: { refused: 'resource_not_found' } }],
    ],
  ],
  [
    'a client secret that is none any more',
    [created, ['a', 2, 3, { what: 'other', told: { refused: 'unauthorized' } }]],
  ],
  ['a card taken after the payment', [...captured, ['b', 10, 11, authenticated(2)]]],
  [
    'a card refused before the payment',
    [created, card, ['a', 4, 5, { what: 'other', told: { refused: 'session_completed' } }]],
  ],
  [
    'an attempt that is counted twice',
    [created, card, ['a', 4, 5, authenticated(2)], ['a', 6, 7, state('requires_payment', null, 1)]],
  ],
  [
    'an attempt that changes its name',
    [
      ...captured,
      [
        'b',
        10,
        11,
        {
          what: 'confirm',
          told: {
            good: {
              status: 'captured',
              payment_id: 'pay_1',
              attempt: { id: 'att_9', number: 1 },
              attempts_left: 2,
            },
          },
        },
      ],
    ],
  ],
  ['a payment that changes its name', [...captured, ['b', 10, 11, session('succeeded', 9)]]],
  [
    'a session that is open again after a decline closed it',
    [created, card, ['a', 4, 5, confirmed('declined', { left: 0 })], ['b', 6, 7, session('requires_payment', 1)]],
  ],
]

describe('the history of a session', () => {
  test.each(right)('%s', (_name, rows, rules) => {
    expect(judge(sessionModel(rules ?? noRules), calls(rows))).toEqual({ verdict: 'right' })
  })

  test.each(wrong)('not: %s', (_name, rows, rules) => {
    expect(verdictOf(calls(rows), rules)).toBe('wrong')
  })

  test('in whichever order its calls are given', () => {
    const [, rows] = right.find(([name]) => name.startsWith('reads that meet'))!
    expect(verdictOf(calls(rows.toReversed()))).toBe('right')
  })
})

test('what is too large is not judged, and says so', () => {
  const many = Array.from({ length: 40 }, (_, at): Row => [`client ${at}`, 4, 90, confirmed('processing')])
  const sessions = [{ session_id: 'cs_1', calls: calls([created, card, ...many]), rules: noRules }]
  const judged = judgeHistories({ sessions, keys: [] }, 20)
  expect(judged.faults).toEqual([])
  expect(judged.not_judged).toEqual([expect.stringContaining('cs_1 was not judged: too large')])
  expect(judged.contended).toBe(1)
})

test('a wrong history is reported with the answers that do not fit', () => {
  const rows: Row[] = [...captured, ['b', 10, 11, payment('pending')]]
  const sessions = [{ session_id: 'cs_1', calls: calls(rows), rules: noRules }]
  const { faults } = judgeHistories({ sessions, keys: [] })
  expect(faults).toEqual([expect.stringMatching(/cs_1 has no order: after 3 of 4 .*pending/)])
})
