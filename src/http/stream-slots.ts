// How many streams may be open at once in this process: each queries the database now and then.

import { Refusal } from '../kernel/errors.ts'

export const slots_per_merchant_max = 20
export const slots_max = 500
const retry_after_seconds = 10

export type StreamSlots = {
  /** Takes one of an owner's slots. Throws `rate_limit_exceeded`. Returns a function that releases it, once. */
  acquire(owner: string, max?: number): () => void
}

export function openStreamSlots(): StreamSlots {
  const counts = new Map<string, number>()
  let count = 0
  return {
    acquire(owner, max = slots_per_merchant_max) {
      const own = counts.get(owner) ?? 0
      if (own >= max) throw tooManyOf(max)
      if (count >= slots_max) throw tooMany('All streams of this process are taken.')
      count += 1
      counts.set(owner, own + 1)
      let is_released = false
      return () => {
        if (is_released) return
        is_released = true
        count -= 1
        const rest = counts.get(owner)! - 1
        if (rest > 0) counts.set(owner, rest)
        else counts.delete(owner)
      }
    },
  }
}

export function tooManyOf(max: number): Refusal {
  return tooMany(`An account may have ${max} streams open at once. Close one.`)
}

function tooMany(message: string): Refusal {
  return new Refusal('rate_limit_exceeded', message, { retry_after_seconds })
}
