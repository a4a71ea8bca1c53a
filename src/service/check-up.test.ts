import { expect, test } from 'vitest'
import { manualClock } from '../../tests/support/clock.ts'
import { check_up_kept_ms, openCheckUp } from './check-up.ts'

const check = { name: 'Disk', status: 'ok' as const, found: 'is there', to_do: null }

test('one look at a time, kept for half a minute; a failed one is not kept', async () => {
  const clock = manualClock()
  let looks = 0
  let fails = false
  const checkUp = openCheckUp({ clock }, async () => {
    looks += 1
    if (fails) throw new Error('no')
    return [check]
  })
  const first_at = clock.now()
  const both = await Promise.all([checkUp(), checkUp()])
  expect(both).toEqual([both[0], { looked_at: first_at, checks: [check] }])
  await clock.advance(check_up_kept_ms - 1)
  await checkUp()
  expect(looks).toBe(1)
  fails = true
  await clock.advance(1)
  await expect(checkUp()).rejects.toThrow('no')
  fails = false
  expect((await checkUp()).looked_at).toEqual(clock.now())
  expect(looks).toBe(3)
})
