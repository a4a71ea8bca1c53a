import { expect, test } from 'vitest'
import { daysIn, filesOf, lastMonths, spanFault, spanOf } from './span.ts'

const now = new Date(2026, 8, 14, 12)

test.each([
  ['last month', 1, { from: '2026-08-01', to: '2026-08-31' }],
  ['this month', 0, { from: '2026-09-01', to: '2026-09-14' }],
  ['last quarter', 3, { from: '2026-04-01', to: '2026-06-30' }],
])('%s', (_, months, span) => {
  expect(lastMonths(now, months)).toEqual(span)
})

test('in January the last month and quarter are of the year before', () => {
  const january = new Date(2027, 0, 2)
  expect(lastMonths(january, 1)).toEqual({ from: '2026-12-01', to: '2026-12-31' })
  expect(lastMonths(january, 3)).toEqual({ from: '2026-10-01', to: '2026-12-31' })
})

test.each<[string, Parameters<typeof spanOf>[0], number]>([
  ['no filter', {}, 14],
  ['a start', { created_from: new Date(2026, 8, 1).toISOString() }, 14],
  ['an end', { created_before: new Date(2026, 8, 1).toISOString() }, 90],
])('%s gives the span that it says', (_, filters, days) => {
  expect(daysIn(spanOf(filters, now))).toBe(days)
})

test.each([
  ['a day', '2026-09-01', '2026-09-01', null],
  ['a leap year', '2028-01-01', '2028-12-31', null],
  ['parts of ten years', '2019-12-31', '2028-01-01', null],
  ['parts of eleven', '2018-12-31', '2028-01-01', 'export_too_long'],
  ['an end before the start', '2026-09-02', '2026-09-01', 'export_order_wrong'],
])('%s', (_, from, to, fault) => {
  expect(spanFault({ from, to })).toBe(fault)
})

test.each([
  ['a day is one file', '2026-09-01', '2026-09-01', ['2026-09-01 2026-09-01']],
  ['a leap year is one', '2028-01-01', '2028-12-31', ['2028-01-01 2028-12-31']],
  ['a year across two is one', '2027-04-01', '2028-03-31', ['2027-04-01 2028-03-31']],
  ['a day more is two', '2028-01-01', '2029-01-01', ['2028-01-01 2028-12-31', '2029-01-01 2029-01-01']],
  [
    'what is longer is a file a year',
    '2024-03-01',
    '2026-09-14',
    ['2024-03-01 2024-12-31', '2025-01-01 2025-12-31', '2026-01-01 2026-09-14'],
  ],
])('%s', (_, from, to, files) => {
  expect(filesOf({ from, to }).map((file) => `${file.from} ${file.to}`)).toEqual(files)
})
