// A connection that nobody answers on is given up, one that is slow is not.

import { expect, test } from 'vitest'
import { openSilence } from './silence.ts'

const limit_ms = 20_000

/** A clock whose sleeps end when they are told to. */
function steps() {
  let wake = () => {}
  const clock = {
    now: () => new Date(0),
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        wake = resolve
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  }
  return {
    clock,
    async look(count: number) {
      for (let left = count; left > 0; left -= 1) {
        wake()
        await new Promise((turn) => setImmediate(turn))
      }
    },
  }
}

function open() {
  const { clock, look } = steps()
  const silence = openSilence(clock, limit_ms)
  const wait = { is_sent: true, given_up: 0 }
  const waiting = silence.begin({
    isSent: () => wait.is_sent,
    giveUp() {
      wait.given_up += 1
      waiting.end()
    },
  })
  return { look, silence, wait, waiting }
}

test('it is given up once, after the limit', async () => {
  const { look, wait } = open()
  await look(8)
  expect(wait.given_up).toBe(0)
  await look(1)
  expect(wait.given_up).toBe(1)
  await look(20)
  expect(wait.given_up).toBe(1)
})

test.each([
  ['that was answered', ({ waiting }: ReturnType<typeof open>) => waiting.end(), 0],
  ['whose process stops', ({ silence }: ReturnType<typeof open>) => silence.close(), 0],
  ['that heard something', ({ waiting }: ReturnType<typeof open>) => waiting.heard(), 0],
  ['of which nothing was heard', () => {}, 1],
])('one %s', async (_, happens, given_up) => {
  const opened = open()
  await opened.look(6)
  happens(opened)
  await opened.look(6)
  expect(opened.wait.given_up).toBe(given_up)
})

test('the time in the queue does not count while others are answered', async () => {
  const { look, silence, wait } = open()
  const other = silence.begin({ isSent: () => true, giveUp() {} })
  wait.is_sent = false
  for (let count = 0; count < 30; count += 1) {
    other.heard()
    await look(1)
  }
  other.end()
  wait.is_sent = true
  await look(8)
  expect(wait.given_up).toBe(0)
  await look(1)
  expect(wait.given_up).toBe(1)
})

test('a statement that waits in the queue while none is answered is given up', async () => {
  const { look, wait } = open()
  wait.is_sent = false
  await look(8)
  expect(wait.given_up).toBe(0)
  await look(1)
  expect(wait.given_up).toBe(1)
})
