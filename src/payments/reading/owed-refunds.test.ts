import fc from 'fast-check'
import { expect, test } from 'vitest'
import { owedRefunds, type RefundState, refundSums } from './owed-refunds.ts'

/** `begun` and `settled` are seconds. */
function refund(amount: number, status: RefundState['status'], begun: number, settled: number = begun): RefundState {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  const settled_at = status === 'pending' ? null : at(settled)
  return { refund_id: `ref_${amount}_${begun}`, amount, status, created_at: at(begun), settled_at, ...unsettled }
}
const unsettled = { otherwise_at: null, otherwise_amount: null }
const failed = (amount: number, begun: number, settled?: number) => refund(amount, 'failed', begun, settled)
const done = (amount: number, begun: number) => refund(amount, 'succeeded', begun)
const otherwise = (each: RefundState, settled: number) => ({
  ...each,
  otherwise_at: new Date(settled * 1000).toISOString(),
  otherwise_amount: each.amount,
})
const slow = (amount: number, begun: number) => refund(amount, 'pending', begun)

test.each<[string, RefundState[], [string, number][]]>([
  ['none', [], []],
  ['one that was done', [done(513, 1)], []],
  ['one that failed', [failed(513, 1)], [['ref_513_1', 513]]],
  ['two tries of one amount', [failed(513, 1), failed(513, 2)], [['ref_513_2', 513]]],
  ['three tries, the last of them under way', [failed(513, 1), failed(513, 2), slow(513, 3)], []],
  ['a try that was done', [failed(513, 1), done(513, 2)], []],
  [
    'two of one amount at the same time',
    [failed(513, 1, 5), failed(513, 2, 5)],
    [
      ['ref_513_1', 513],
      ['ref_513_2', 513],
    ],
  ],
  ['a larger try', [failed(513, 1), failed(913, 2)], [['ref_913_2', 913]]],
  ['a larger try that was given back', [failed(513, 1), failed(913, 2), done(913, 3)], []],
  [
    'a larger try, and the smaller was given back',
    [failed(513, 1), failed(913, 2), done(513, 3)],
    [['ref_913_2', 400]],
  ],
  ['a larger try, and a penny more was given back', [failed(513, 1), failed(913, 2), done(914, 3)], []],
  [
    'two of other amounts at the same time',
    [failed(513, 1, 5), failed(913, 2, 5)],
    [
      ['ref_513_1', 513],
      ['ref_913_2', 913],
    ],
  ],
  ['two, and the larger was given back', [failed(513, 1, 5), failed(913, 2, 5), done(913, 6)], [['ref_513_1', 513]]],
  ['two, and the smaller was given back', [failed(513, 1, 5), failed(913, 2, 5), done(513, 6)], [['ref_913_2', 913]]],
  ['two, and a penny more than the larger', [failed(513, 1, 5), failed(913, 2, 5), done(914, 6)], [['ref_513_1', 512]]],
  ['two, and both in one', [failed(513, 1, 5), failed(913, 2, 5), done(1426, 6)], []],
  ['a try of both in one', [failed(513, 1, 5), failed(913, 2, 5), failed(1426, 6)], [['ref_1426_6', 1426]]],
  ['one in two parts', [failed(1013, 1), done(1000, 2), done(13, 3)], []],
  ['one of which a part was given back', [failed(1013, 1), done(1000, 2)], [['ref_1013_1', 13]]],
  ['another try of what is left', [failed(1013, 1), done(500, 2), failed(513, 3)], [['ref_513_3', 513]]],
  [
    'another try of all, of which a part is given back',
    [failed(1013, 1), done(500, 2), failed(1013, 3)],
    [['ref_1013_3', 513]],
  ],
  ['one given back before it failed', [done(513, 1), failed(513, 2)], [['ref_513_2', 513]]],
  ['one that came back after another', [failed(513, 1, 9), done(513, 2)], [['ref_513_1', 513]]],
  ['a failure of the same moment as the next try', [failed(513, 1), failed(513, 1.0001)], [['ref_513_1.0001', 513]]],
  [
    'less after a failure of all',
    [failed(4000, 1), failed(3000, 2)],
    [
      ['ref_4000_1', 1000],
      ['ref_3000_2', 3000],
    ],
  ],
  ['one of which the clock is behind', [failed(4200, 3, 4), done(4200, 2)], []],
  ['one that was settled otherwise', [otherwise(failed(513, 1), 2)], []],
  ['one settled otherwise, and a new one', [otherwise(failed(513, 1), 2), failed(513, 3)], [['ref_513_3', 513]]],
  ['one settled otherwise, and less given back', [otherwise(failed(513, 1), 2), done(13, 3)], []],
  ['the try of one that was settled otherwise', [failed(513, 1), otherwise(failed(513, 2), 3)], []],
  ['a part that was settled otherwise', [failed(1013, 1), otherwise(failed(500, 2), 3)], [['ref_1013_1', 513]]],
  ['one of two that was settled otherwise', [otherwise(failed(513, 1, 5), 6), failed(913, 2, 5)], [['ref_913_2', 913]]],
  ['one settled otherwise by a clock that is behind', [otherwise(failed(513, 1, 5), 2)], []],
  [
    'one settled otherwise, and all of which a part is left',
    [otherwise(failed(4000, 1), 2), failed(4200, 3)],
    [['ref_4200_3', 200]],
  ],
  [
    'one settled otherwise, and more given back than was left',
    [otherwise(failed(4000, 1), 2), done(513, 3), failed(13, 4)],
    [],
  ],
  [
    'a part of one, given back at the second try, is not taken for what is left of it',
    [failed(600, 1), failed(300, 2), done(300, 3), failed(600, 4)],
    [['ref_600_4', 300]],
  ],
  ['all was given back', [failed(513, 1), failed(913, 2), done(4200, 3)], []],
  ['all had been given back, and then one failed', [done(4000, 1), failed(200, 2), done(200, 3)], []],
])('%s', (_, refunds, owed) => {
  expect(owedRefunds({ amount: 4200, refunds }).map(({ refund_id, owed_amount }) => [refund_id, owed_amount])).toEqual(
    owed,
  )
})

/** One after the other, as a payment allows: never more than is left. Notes do not count there. */
const historiesWith = (notes: fc.Arbitrary<boolean>) =>
  fc
    .array(fc.record({ amount: fc.integer({ min: 1, max: 9 }), is_done: fc.boolean(), is_noted: notes }), {
      maxLength: 8,
    })
    .map((wishes) => {
      let left = 20
      let refunds: RefundState[] = []
      for (const [index, { amount, is_done, is_noted }] of wishes.entries()) {
        if (amount > left) continue
        if (is_done) left -= amount
        refunds.push((is_done ? done : failed)(amount, index * 10))
        // A person notes the oldest that is owed, with what is owed of it.
        const [owed] = is_noted ? owedRefunds({ amount: 20, refunds }) : []
        refunds = refunds.map((each) =>
          each.refund_id === owed?.refund_id
            ? { ...otherwise(each, index * 10 + 2), otherwise_amount: owed.owed_amount }
            : each,
        )
      }
      return refunds
    })
const owedSum = (refunds: RefundState[]) => refundSums({ amount: 20, refunds }).failed_amount

test('a try that fails changes nothing once the same is done', () => {
  fc.assert(
    // A note of what would be owed of another refund is another history.
    fc.property(historiesWith(fc.constant(false)), fc.nat(), (refunds, place) => {
      const doneOnes = refunds.filter(({ status }) => status === 'succeeded')
      const which = doneOnes[place % doneOnes.length]
      if (!which) return
      const before = failed(which.amount, Date.parse(which.created_at) / 1000 - 5)
      const tried = refunds.flatMap((each) => (each === which ? [before, each] : [each]))
      expect(owedSum(tried)).toBe(owedSum(refunds))
    }),
  )
})

test('what is owed is never more than was asked for at most, nor than is left', () => {
  fc.assert(
    fc.property(historiesWith(fc.boolean()), (refunds) => {
      const given = refunds.reduce(
        (sum, each) => sum + (each.status === 'succeeded' ? each.amount : (each.otherwise_amount ?? 0)),
        0,
      )
      const largest = Math.max(0, ...refunds.map(({ status, amount }) => (status === 'failed' ? amount : 0)))
      expect(owedSum(refunds)).toBeLessThanOrEqual(Math.min(largest, Math.max(0, 20 - given)))
    }),
  )
})
