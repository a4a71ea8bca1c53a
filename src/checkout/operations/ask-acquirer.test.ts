// What is sent, by when it was written down.

import { expect, test } from 'vitest'
import { manualClock } from '../../../tests/clock.ts'
import { NotSent } from '../../acquirers/acquirer.ts'
import { sendToAcquirer } from './ask-acquirer.ts'

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
