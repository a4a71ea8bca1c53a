import { expect, test } from 'vitest'
import { manualClock } from '../../../tests/support/clock.ts'
import { openTransactions, type Transaction, transactions_max } from './transactions.ts'

test('no more than so many challenges are kept, and those that go end what they wait for', () => {
  const clock = manualClock()
  const transactions = openTransactions(clock)
  const made = Array.from({ length: transactions_max + 1 }, (_, number) => {
    const timer = new AbortController()
    const created_at = clock.now()
    return { acs_transaction_id: String(number), created_at, timer } as Transaction
  })
  for (const transaction of made) transactions.add(transaction)
  expect(transactions.find('0')).toBeNull()
  expect(made[0]!.timer.signal.aborted).toBe(true)
  expect(transactions.find('1')).toBe(made[1])
  expect(made[1]!.timer.signal.aborted).toBe(false)
  transactions.close()
})
