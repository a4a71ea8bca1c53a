// A stop goes step by step, and does not wait for ever.

import { expect, test } from 'vitest'
import { manualClock } from '../tests/clock.ts'
import { type LogLine, logInto } from '../tests/service.ts'
import { type Step, stopInOrder } from './stop.ts'

function open(ends: Record<string, Step['end']>) {
  const clock = manualClock()
  const lines: LogLine[] = []
  const begun: string[] = []
  const steps = Object.entries(ends).map(([name, end]) => ({
    name,
    end() {
      begun.push(name)
      return end()
    },
  }))
  let in_order: boolean | null = null
  const drain = { seconds: 3, over: () => clock.sleep(3_000) }
  const stopping = stopInOrder({ clock, log: logInto(lines) }, { drain, steps })
  void stopping.then((told) => {
    in_order = told
  })
  return { clock, begun, lines, isInOrder: () => in_order }
}

const atOnce = async () => {}
const never = () => new Promise<void>(() => {})
const first = { level: 'info', fields: { drain_seconds: 3 }, message: 'stopping' }

test('after the drain everything is ended, one after the other, and told of', async () => {
  const { clock, begun, lines, isInOrder } = open({ requests: atOnce, database: atOnce })
  await clock.advance(2_999)
  expect([begun, lines]).toEqual([[], [first]])
  await clock.advance(1)
  expect(begun).toEqual(['requests', 'database'])
  expect(isInOrder()).toBe(true)
  expect(lines).toEqual([first, { level: 'info', fields: {}, message: 'stopped' }])
})

test('what does not end is named after 80 s, and not waited for', async () => {
  const { clock, begun, lines, isInOrder } = open({
    requests: atOnce,
    jobs: never,
    database: atOnce,
  })
  await clock.advance(3_000 + 79_999)
  expect([begun, isInOrder()]).toEqual([['requests', 'jobs'], null])
  await clock.advance(1)
  expect(isInOrder()).toBe(false)
  expect(lines).toEqual([
    first,
    {
      level: 'error',
      fields: { left: ['jobs', 'database'], limit_seconds: 80 },
      message: 'stopped without waiting any longer',
    },
  ])
})

test('what fails to end is told of', async () => {
  const fails = () => Promise.reject(new Error('no such listener'))
  const { clock, lines, isInOrder } = open({ requests: fails, database: atOnce })
  await clock.advance(3_000)
  expect(isInOrder()).toBe(false)
  const fields = { error: 'no such listener', left: ['requests', 'database'] }
  expect(lines).toEqual([first, { level: 'error', fields, message: 'stop failed' }])
})
