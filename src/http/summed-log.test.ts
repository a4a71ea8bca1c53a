import { beforeEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../tests/support/clock.ts'
import { openTally, report_interval_ms, type Tally } from './summed-log.ts'

let clock: ManualClock
let reports: number[]
let tally: Tally
beforeEach(() => {
  clock = manualClock()
  reports = []
  tally = openTally(clock, (times) => reports.push(times))
})

const count = (times: number) => {
  for (let round = 0; round < times; round++) tally.count()
}

test('the first is logged at once, the rest of the minute in one line', async () => {
  count(40)
  expect(reports).toEqual([1])
  await clock.advance(report_interval_ms - 1)
  expect(reports).toEqual([1])
  await clock.advance(1)
  expect(reports).toEqual([1, 39])
})

test('a quiet minute logs nothing, and the next one begins anew', async () => {
  count(1)
  await clock.advance(report_interval_ms)
  await clock.advance(report_interval_ms)
  expect(reports).toEqual([1])
  count(3)
  expect(reports).toEqual([1, 1])
  await clock.advance(report_interval_ms)
  expect(reports).toEqual([1, 1, 2])
})

test('the rest is logged at the end', async () => {
  count(5)
  tally.close()
  await expect.poll(() => reports).toEqual([1, 4])
})
