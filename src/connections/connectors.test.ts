import { expect, test } from 'vitest'
import { readCard } from '../cards/card.ts'
import { testCardOf } from '../cards/test-cards.ts'
import { connectors } from './connectors.ts'

const now = new Date('2026-09-01T12:00:00Z')
const numbered = connectors.filter(({ sandbox_numbers }) => sandbox_numbers !== undefined)

test('every acquirer has numbers of its sandbox', () => {
  const acquirers = connectors.filter(({ kind }) => kind === 'acquirer')
  expect(acquirers.filter((each) => !numbered.includes(each))).toEqual([])
})

test.each(numbered)(
  '$name: the numbers of its sandbox are taken where they are named, and nowhere else',
  (connector) => {
    const sandbox_numbers = connector.sandbox_numbers!
    expect(new Set(sandbox_numbers).size).toBe(sandbox_numbers.length)
    for (const number of sandbox_numbers) {
      const cvc = number.startsWith('3') ? '1234' : '123'
      const typed = { number, exp_month: 3, exp_year: 2030, cvc }
      expect(readCard(typed, { mode: 'test', sandbox_numbers, now }).number).toBe(number)
      if (testCardOf(number)) continue
      expect(() => readCard(typed, { mode: 'test', now })).toThrow('never a real card')
    }
  },
)
