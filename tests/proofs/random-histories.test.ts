// The checker of histories against random ones: they pass as they come, and spoilt in one way they do not.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judge } from '../../proofs/histories/search.ts'
import { type Call, noRules, sessionModel } from '../../proofs/histories/session.ts'
import { openChance } from '../../proofs/simulate/chance.ts'
import { randomHistory } from '../support/random-history.ts'

const verdictOf = (history: Call[]) => judge(sessionModel(noRules), history)

const seed = fc.integer({ min: 0, max: 1_000_000 }).map(String)

/** Each makes a history wrong that tells of an outcome; null where it does not. */
const mutations: [string, (history: Call[], end_ms: number) => Call[] | null][] = [
  [
    'a payment that is pending again',
    (history, end_ms) => {
      const known = history.find((call) => call.what === 'read_payment' && isFinal(call))
      if (known?.what !== 'read_payment') return null
      return [...history, { ...known, begin_ms: end_ms, end_ms: end_ms + 1, told: { good: { status: 'pending' } } }]
    },
  ],
  [
    'another outcome',
    (history, end_ms) => {
      const known = history.find((call) => call.what === 'confirm' && isFinal(call))
      if (known?.what !== 'confirm' || known.told === null || 'refused' in known.told) return null
      const { good } = known.told
      const other = { ...good, status: good.status === 'captured' ? 'declined' : 'captured' }
      return [...history, { ...known, begin_ms: end_ms, end_ms: end_ms + 1, told: { good: other } }]
    },
  ],
  [
    'a decided hold that waits again',
    (history, end_ms) => {
      const known = history.find((call) => call.what === 'decide' && isFinal(call))
      if (known?.what !== 'decide') return null
      const told = { good: { status: 'held' } }
      const { client, payment_id } = known
      return [...history, { client, payment_id, what: 'read_payment', begin_ms: end_ms, end_ms: end_ms + 1, told }]
    },
  ],
  [
    'an answer before anything was asked',
    (history) => {
      const known = history.find((call) => call.what === 'confirm' && isFinal(call))
      return known ? [...history, { ...known, begin_ms: -2, end_ms: -1 }] : null
    },
  ],
]

function isFinal({ told }: Call): boolean {
  const status = told && 'good' in told ? (told.good as { status?: string }).status : undefined
  return status !== undefined && !['processing', 'pending', 'held'].includes(status)
}

describe('random histories', () => {
  test('are right as they come', () => {
    fc.assert(
      fc.property(seed, (text) => {
        expect(verdictOf(randomHistory(openChance(text)))).toEqual({
          verdict: 'right',
        })
      }),
      { numRuns: 300 },
    )
  })

  test.each(mutations)('and wrong with %s', (_name, mutate) => {
    let tried = 0
    fc.assert(
      fc.property(seed, (text) => {
        const history = randomHistory(openChance(text))
        const end_ms = Math.max(...history.map((call) => call.end_ms ?? call.begin_ms)) + 1
        const mutated = mutate(history, end_ms)
        if (mutated === null) return
        tried += 1
        expect(verdictOf(mutated).verdict).toBe('wrong')
      }),
      { numRuns: 200 },
    )
    expect(tried).toBeGreaterThan(10)
  })
})
