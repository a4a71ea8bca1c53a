// What news make of a dispute, in whatever order they come.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Dispute, type DisputeNews, disputeStatuses, followed, isOpen, isStanding, newDispute } from './dispute.ts'

const payment = {
  merchant_id: 'm_1',
  payment_id: 'pay_1',
  session_id: 'cs_1',
  mode: 'test',
  amount: 4200,
  currency: 'GBP',
  captured_amount: null,
} as const
const names = { dispute_id: 'dsp_1', acquirer: 'bank' } as const

const newsAt = (minute: number, said: Partial<DisputeNews> = {}): DisputeNews => ({
  ...{ vendor_id: 'dp_1', status: 'needs_response', round: 1, reason: null, money: null, respond_by: null },
  ...{ opened_at: null, url: null, occurred_at: new Date(minute * 60_000) },
  ...said,
})

function lifeOf(news: readonly DisputeNews[]): { dispute: Dispute; told: string[] } {
  const [first, ...rest] = news
  const begun = newDispute(payment, first!, names)
  const told: string[] = [begun.told]
  let { dispute } = begun
  for (const each of rest) {
    const change = followed(dispute, each)
    if (change === null) continue
    dispute = change.dispute
    told.push(change.told)
  }
  return { dispute, told: told.filter((each) => each !== 'updated') }
}

const anyNews = fc
  .record({
    minute: fc.integer({ min: 1, max: 9 }),
    status: fc.constantFrom(...disputeStatuses),
    round: fc.constantFrom(1 as const, 2 as const),
  })
  .map(({ minute, ...said }) => newsAt(minute, said))
const anyLife = fc.array(anyNews, { minLength: 1, maxLength: 8 })

test('news that come twice change nothing the second time', () => {
  fc.assert(
    fc.property(anyLife, (news) => {
      const { dispute } = lifeOf(news)
      // Perhaps an earlier end that is newer than what came after it: told once more it is still no news.
      const again = followed(dispute, news.at(-1)!)
      expect(again?.told ?? 'updated').toBe('updated')
    }),
  )
})

test('within one round nothing that is closed is opened again', () => {
  fc.assert(
    fc.property(anyLife, (news) => {
      const of_first = news.map((each) => ({ ...each, round: 1 as const }))
      const { dispute, told } = lifeOf(of_first)
      const has_ended = of_first.some((each) => !isOpen(each))
      expect(isOpen(dispute)).toBe(!has_ended)
      expect(told.filter((each) => each === 'opened').length).toBeLessThan(2)
    }),
  )
})

test('each event has the next sequence, and the end of a dispute has its time', () => {
  fc.assert(
    fc.property(anyLife, (news) => {
      const { dispute, told } = lifeOf(news)
      expect(dispute.event_count).toBe(told.length)
      expect(dispute.closed_at === null).toBe(isOpen(dispute))
    }),
  )
})

test('the newest outcome of the last round stands, whatever the order', () => {
  const ends = [
    newsAt(1),
    newsAt(2, { status: 'won' }),
    newsAt(3, { status: 'lost', round: 2 }),
    newsAt(4, { status: 'won', round: 2 }),
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(ends, { minLength: 4 }), (news) => {
      expect(lifeOf(news).dispute).toMatchObject({ status: 'won', round: 2 })
    }),
  )
})

test.each([
  ['needs_response', true],
  ['under_review', true],
  ['lost', true],
  ['won', false],
  ['closed', false],
] as const)('a refund of one that is %s asks first: %s', (status, asks) => {
  expect(isStanding({ status })).toBe(asks)
})

test.each([
  ['no amount is told', null, { amount: 4200, currency: 'GBP' }],
  ['of nothing', { amount: 0, currency: 'GBP' }, { amount: 4200, currency: 'GBP' }],
  ['another one is', { amount: 12, currency: 'EUR' }, { amount: 12, currency: 'EUR' }],
])('the amount is the payment’s where %s', (_, money, expected) => {
  expect(newDispute(payment, newsAt(1, { money }), names).dispute).toMatchObject(expected)
})
