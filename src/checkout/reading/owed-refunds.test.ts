import { expect, test } from 'vitest'
import { owedRefunds, type RefundState } from './owed-refunds.ts'

/** `begun` and `settled` are seconds. */
function refund(amount: number, status: RefundState['status'], begun: number, settled: number = begun): RefundState {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  const settled_at = status === 'pending' ? null : at(settled)
  return { refund_id: `ref_${amount}_${begun}`, amount, status, created_at: at(begun), settled_at }
}
const failed = (amount: number, begun: number, settled?: number) => refund(amount, 'failed', begun, settled)
const done = (amount: number, begun: number) => refund(amount, 'succeeded', begun)
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
  [
    'two of other amounts',
    [failed(513, 1), failed(913, 2)],
    [
      ['ref_513_1', 513],
      ['ref_913_2', 913],
    ],
  ],
  ['two, and the larger was given back', [failed(513, 1), failed(913, 2), done(913, 3)], [['ref_513_1', 513]]],
  ['two, and the smaller was given back', [failed(513, 1), failed(913, 2), done(513, 3)], [['ref_913_2', 913]]],
  ['two, and a penny more than the larger', [failed(513, 1), failed(913, 2), done(914, 3)], [['ref_513_1', 512]]],
  ['two, and both in one', [failed(513, 1), failed(913, 2), done(1426, 3)], []],
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
      ['ref_4000_1', 1200],
      ['ref_3000_2', 3000],
    ],
  ],
  ['all was given back', [failed(513, 1), failed(913, 2), done(4200, 3)], []],
  ['all had been given back, and then one failed', [done(4000, 1), failed(200, 2), done(200, 3)], []],
])('%s', (_, refunds, owed) => {
  expect(owedRefunds({ amount: 4200, refunds }).map(({ refund_id, owed_amount }) => [refund_id, owed_amount])).toEqual(
    owed,
  )
})
