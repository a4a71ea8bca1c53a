import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CardRange } from '../three-ds.ts'
import { applyChanges, type CardRangeTable, changesIn, findRange } from './card-ranges.ts'
import type { Message } from './messages.ts'

function range(start: string, end: string, method_url: string | null = null): CardRange {
  return { start, end, acs_start_version: '2.1.0', acs_end_version: '2.2.0', method_url }
}

const table: CardRangeTable = [
  range('340000910000000', '340000919999999'),
  range('4000009100000000', '4000009199999999'),
  range('4242424242424242', '4242424242424242'),
  range('5200000000000', '5299999999999'),
]

describe('findRange', () => {
  test.each([
    ['the first number of a range', '4000009100000000', 1],
    ['the last number of a range', '4000009199999999', 1],
    ['a number before it', '4000009099999999', null],
    ['a number after it', '4000009200000000', null],
    ['15 digits', '340000915550000', 0],
    ['a range of one number', '4242424242424242', 2],
    ['the number beside it', '4242424242424243', null],
    ['a longer number than the ends have', '5234567890123456', 3],
    ['19 digits at the very end of a range', '5299999999999999999', 3],
    ['19 digits above every range', '9999999999999999999', null],
    ['below every range', '1000000000000', null],
  ])('%s', (_, number, expected) => {
    expect(findRange(table, number)).toBe(expected === null ? null : table[expected])
  })

  test('it finds what looking at every range finds', () => {
    const cut = fc.integer({ min: 0, max: 9999 })
    fc.assert(
      fc.property(fc.uniqueArray(cut, { maxLength: 40 }), cut, (cuts, probe) => {
        const digits = (value: number) => `4000${String(value).padStart(4, '0')}00000000`
        const sorted = cuts.sort((a, b) => a - b)
        const ranges = sorted.flatMap((start, at) =>
          at % 2 === 0 && at + 1 < sorted.length ? [range(digits(start), digits(sorted[at + 1]!))] : [],
        )
        const number = digits(probe)
        const expected = ranges.find(({ start, end }) => start <= number && number <= end) ?? null
        expect(findRange(ranges, number)).toBe(expected)
      }),
    )
  })
})

describe('applyChanges', () => {
  const added = range('4500000000000000', '4599999999999999')
  const moved = range('4000009100000000', '4000009199999999', 'https://acs.example/method')

  test('A puts a range in its place', () => {
    const changed = applyChanges(table, [{ action: 'A', range: added }])
    expect(changed).toEqual([table[0], table[1], table[2], added, table[3]])
  })
  test('M replaces the range with the same ends', () => {
    expect(applyChanges(table, [{ action: 'M', range: moved }])![1]).toEqual(moved)
  })
  test('D takes a range out', () => {
    expect(applyChanges(table, [{ action: 'D', range: moved }])).toHaveLength(3)
  })
  test('an overlap is refused', () => {
    const wide = range('4000009000000000', '4000009100000000')
    expect(applyChanges(table, [{ action: 'A', range: wide }])).toBeNull()
  })
  test('an overlap by one number of 19 digits is refused', () => {
    const edge = range('4000009199999999999', '4000009199999999999')
    expect(applyChanges(table, [{ action: 'A', range: edge }])).toBeNull()
  })
  test('a range that takes the place of a deleted one is none', () => {
    const wide = range('4000009000000000', '4000009299999999')
    const changes = [{ action: 'D', range: moved } as const, { action: 'A', range: wide } as const]
    expect(applyChanges(table, changes)).toContainEqual(wide)
  })
  test('the old table is left alone', () => {
    const before = structuredClone(table)
    applyChanges(table, [{ action: 'D', range: moved }])
    expect(table).toEqual(before)
  })
})

test('a range offers only the versions that its Directory Server speaks', () => {
  const pres = {
    messageType: 'PRes',
    messageVersion: '2.2.0',
    dsStartProtocolVersion: '2.1.0',
    dsEndProtocolVersion: '2.1.0',
    cardRangeData: [
      {
        startRange: '4000000000000000',
        endRange: '4000000000000009',
        acsStartProtocolVersion: '2.0.0',
        acsEndProtocolVersion: '2.2.0',
      },
    ],
  } satisfies Message
  const [change] = changesIn(pres)
  expect(change).toEqual({
    action: 'A',
    range: {
      start: '4000000000000000',
      end: '4000000000000009',
      acs_start_version: '2.1.0',
      acs_end_version: '2.1.0',
      method_url: null,
    },
  })
})
