// What is sent, by when it was written down.

import { describe, expect, test, vi } from 'vitest'
import { manualClock } from '../../../tests/support/clock.ts'
import { NotSent, Unanswered } from '../../acquirers/acquirer.ts'
import { askPatiently, sendToAcquirer } from './call-acquirer.ts'

test.each([
  ['just now', 0, true],
  ['five seconds ago', 5_000, true],
  ['longer ago', 5_001, false],
  ['by a clock that was put back by seconds since', -5_000, true],
  ['by a clock that was put back by more', -5_001, false],
])('what was written down %s', async (_, age_ms, is_sent) => {
  const clock = manualClock()
  const written_at = new Date(clock.now().getTime() - age_ms)
  let sent = false
  const call = async () => {
    sent = true
    return 'answered'
  }
  const answer = await sendToAcquirer(clock, written_at, call).catch((error: unknown) => error)
  expect(sent).toBe(is_sent)
  if (is_sent) expect(answer).toBe('answered')
  else expect(answer).toBeInstanceOf(NotSent)
})

describe('a question', () => {
  const unanswered = () => Promise.reject(new Unanswered('lost'))

  test.each([0, 1, 2])('that is lost %d times is answered', async (lost) => {
    const clock = manualClock()
    let asked = 0
    const answer = askPatiently(clock, async () => (asked++ < lost ? unanswered() : 'answered'))
    for (let pause = 0; pause < lost; pause++) {
      await vi.waitFor(() => expect(asked).toBe(pause + 1))
      await clock.advance(5_000)
    }
    expect(await answer).toBe('answered')
    expect(asked).toBe(lost + 1)
  })
})
