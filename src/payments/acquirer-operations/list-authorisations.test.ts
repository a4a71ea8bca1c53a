// A list that does not fit into one call is asked for in shorter times, and lacks nothing.

import { expect, test } from 'vitest'
import { manualClock } from '../../../tests/support/clock.ts'
import { type LiveAuthorisation, TooMany, Unanswered } from '../../acquirers/acquirer.ts'
import { listAuthorisations } from './list-authorisations.ts'

const minute_ms = 60_000
const start_ms = new Date('2026-09-01T00:00:00Z').getTime()
const window = { since: new Date(start_ms), until: new Date(start_ms + 7 * 60 * minute_ms) }

/** Lists one authorisation each minute, by the second, and at most so many at once. */
function openBank(at_once: number) {
  const asked: number[] = []
  const all = Array.from({ length: 7 * 60 + 1 }, (_, minute): LiveAuthorisation => {
    const authorised_at = new Date(start_ms + minute * minute_ms + 999)
    const names = { reference: `r${minute}`, acquirer_transaction_id: `t${minute}` }
    return {
      ...names,
      installation: 'ours',
      amount: 1,
      currency: 'GBP',
      captured: true,
      authorised_at,
    }
  })
  const second = (at: Date) => Math.floor(at.getTime() / 1000)
  return {
    asked,
    all,
    async listAuthorisations({ since, until }: { since: Date; until: Date }) {
      asked.push((until.getTime() - since.getTime()) / minute_ms)
      const found = all.filter(({ authorised_at: at }) => second(at) >= second(since) && second(at) <= second(until))
      if (found.length > at_once) throw new TooMany('too many')
      return found
    },
  }
}

test.each([
  ['all fits', 1_000, 60],
  ['an hour does not fit', 30, 15],
  ['little fits', 2, 2],
])('%s', async (_, at_once, width) => {
  const bank = openBank(at_once)
  expect(await listAuthorisations(manualClock(), bank, window)).toEqual(bank.all)
  expect(Math.max(...bank.asked)).toBe(60)
  // What was too much once is not asked for again.
  const first = bank.asked.findIndex((asked) => asked <= width)
  expect(Math.max(...bank.asked.slice(first))).toBeLessThanOrEqual(width)
})

test('a minute that does not fit is given up', async () => {
  const listed = listAuthorisations(manualClock(), openBank(0), window)
  await expect(listed).rejects.toBeInstanceOf(TooMany)
})

test('an acquirer that does not answer is not asked for less', async () => {
  let asked = 0
  const listed = listAuthorisations(
    manualClock(),
    {
      async listAuthorisations() {
        asked += 1
        throw new Unanswered('nothing was heard')
      },
    },
    window,
  )
  await expect(listed).rejects.toBeInstanceOf(Unanswered)
  expect(asked).toBe(1)
})
