// Claims follow each other until nothing is due, or until the process is to stop.

import { expect, test } from 'vitest'
import { workOff } from './run-rows.ts'

/** So many pieces that are due. */
function due(count: number) {
  const left = Array.from({ length: count }, (_, number) => number)
  const done: number[] = []
  return {
    claim: async (limit: number) => left.splice(0, limit),
    work: async (piece: number) => void done.push(piece),
    done,
    left,
  }
}

test('all that is due is worked on, once', async () => {
  const { claim, work, done, left } = due(40)
  expect(await workOff(claim, work)).toBe(40)
  expect([done.length, new Set(done).size, left.length]).toEqual([40, 40, 0])
})

test('not more than eight at once', async () => {
  const { claim } = due(40)
  let now = 0
  let most = 0
  await workOff(claim, async () => {
    now += 1
    most = Math.max(most, now)
    await Promise.resolve()
    now -= 1
  })
  expect(most).toBe(8)
})

test('when the process is to stop, what was claimed is worked on and nothing more is claimed', async () => {
  const { claim, done, left } = due(40)
  const stopping = new AbortController()
  const work = async (piece: number) => {
    stopping.abort()
    done.push(piece)
  }
  expect(await workOff(claim, work, stopping.signal)).toBe(16)
  expect([done.length, left.length]).toEqual([16, 24])
  expect(await workOff(claim, work, stopping.signal)).toBe(0)
})
