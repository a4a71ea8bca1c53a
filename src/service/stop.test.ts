// A stop goes step by step, and does not wait for ever.

import { expect, test } from 'vitest'
import { manualClock } from '../../tests/support/clock.ts'
import { type LogLine, logInto } from '../../tests/support/service.ts'
import { type Stoppable, stopInOrder } from './stop.ts'

/** Each is a step of its own. */
function open(ends: Record<string, Stoppable['end']>) {
  const clock = manualClock()
  const lines: LogLine[] = []
  const partNames: string[] = []
  const steps = Object.entries(ends).map(([name, end]) => [
    {
      name,
      end() {
        partNames.push(name)
        return end()
      },
    },
  ])
  let in_order: boolean | null = null
  const drain = { seconds: 3, over: () => clock.sleep(3_000) }
  const stopping = stopInOrder({ clock, log: logInto(lines) }, { drain, steps })
  void stopping.then((outcome) => {
    in_order = outcome
  })
  return { clock, partNames, lines, isInOrder: () => in_order }
}

const atOnce = async () => {}
const never = () => new Promise<void>(() => {})
const first = { level: 'info', fields: { drain_seconds: 3 }, message: 'stopping' }

test('after the drain everything is ended, one after the other, and logged', async () => {
  const { clock, partNames, lines, isInOrder } = open({ requests: atOnce, database: atOnce })
  await clock.advance(2_999)
  expect([partNames, lines]).toEqual([[], [first]])
  await clock.advance(1)
  expect(partNames).toEqual(['requests', 'database'])
  expect(isInOrder()).toBe(true)
  expect(lines).toEqual([first, { level: 'info', fields: {}, message: 'stopped' }])
})

test('what does not end is named after 80 s, and not waited for', async () => {
  const { clock, partNames, lines, isInOrder } = open({
    requests: atOnce,
    jobs: never,
    database: atOnce,
  })
  await clock.advance(3_000 + 79_999)
  expect([partNames, isInOrder()]).toEqual([['requests', 'jobs'], null])
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

test('a part that fails to end is logged, and the rest is ended', async () => {
  const fails = () => Promise.reject(new Error('no such listener'))
  const { clock, partNames, lines, isInOrder } = open({ requests: fails, database: atOnce })
  await clock.advance(3_000)
  expect([partNames, isInOrder()]).toEqual([['requests', 'database'], false])
  const fields = { part: 'requests', error: 'no such listener' }
  expect(lines).toEqual([first, { level: 'error', fields, message: 'stop failed' }])
})

test('a drain that does not come to its end holds up nothing for longer than that', async () => {
  const clock = manualClock()
  const lines: LogLine[] = []
  const drain = { seconds: 3, over: never }
  const steps = [[{ name: 'requests', end: atOnce }]]
  const stopping = stopInOrder({ clock, log: logInto(lines) }, { drain, steps })
  await clock.advance(83_000)
  expect(await stopping).toBe(false)
  expect(lines.at(-1)).toMatchObject({ level: 'error', fields: { left: ['requests'] } })
})

test('those of one step are ended together', async () => {
  const clock = manualClock()
  const partNames: string[] = []
  const part = (name: string): Stoppable => ({
    name,
    end: async () => {
      partNames.push(name)
      await clock.sleep(60_000)
    },
  })
  const steps = [[part('requests'), part('jobs')], [part('database')]]
  const drain = { seconds: 0, over: atOnce }
  const stopping = stopInOrder({ clock, log: logInto([]) }, { drain, steps })
  await clock.advance(1)
  expect(partNames).toEqual(['requests', 'jobs'])
  await clock.advance(60_000)
  expect(partNames).toEqual(['requests', 'jobs', 'database'])
  await clock.advance(20_000)
  expect(await stopping).toBe(false)
})
