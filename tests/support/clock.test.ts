import { expect, test } from 'vitest'
import { manualClock } from './clock.ts'

test('sleepers wake in order, each at its own hour', async () => {
  const clock = manualClock(new Date(0))
  const woken: string[] = []
  const nap = async (name: string, duration_ms: number) => {
    await clock.sleep(duration_ms)
    woken.push(`${name} at ${clock.now().getTime()}`)
  }
  const naps = [nap('late', 20), nap('early', 10), nap('never', 100)]
  await clock.advance(50)
  expect(woken).toEqual(['early at 10', 'late at 20'])
  expect(clock.now().getTime()).toBe(50)
  await clock.advance(50)
  await Promise.all(naps)
  expect(woken).toHaveLength(3)
})

test('a sleeper that sleeps again is woken again on the same way', async () => {
  const clock = manualClock(new Date(0))
  let turns = 0
  const turning = (async () => {
    for (; turns < 3; turns++) await clock.sleep(10)
  })()
  await clock.advance(30)
  await turning
  expect(turns).toBe(3)
})

test('two who move it on at once do not put it back, and who means to does', async () => {
  const clock = manualClock(new Date(0))
  await Promise.all([clock.advance(50), clock.advance(10)])
  expect(clock.now().getTime()).toBe(50)
  await clock.advance(-20)
  expect(clock.now().getTime()).toBe(30)
})

test('abort ends a sleep', async () => {
  const clock = manualClock()
  const abort = new AbortController()
  const sleeping = clock.sleep(10, abort.signal)
  abort.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  await expect(clock.sleep(10, abort.signal)).rejects.toThrow('enough')
})

test('sleepers waits for one that sleeps long enough', async () => {
  const clock = manualClock()
  let seen = false
  const watching = clock.sleepers(100).then(() => {
    seen = true
  })
  void clock.sleep(50)
  await clock.advance(1)
  expect(seen).toBe(false)
  void clock.sleep(100)
  await watching
  expect(seen).toBe(true)
})
