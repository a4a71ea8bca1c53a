// How many streams may be open at once, in this process: each costs a look at the database now and then.

import { Refusal } from '../kernel/errors.ts'

export const seats_of_merchant = 20
export const seats_in_all = 500
const retry_after_seconds = 10

export type Seats = {
  /** Takes a seat. Throws `rate_limit_exceeded`. Returns what gives it back, once. */
  take(merchant_id: string): () => void
}

export function openSeats(): Seats {
  const taken = new Map<string, number>()
  let count = 0
  return {
    take(merchant_id) {
      const own = taken.get(merchant_id) ?? 0
      if (own >= seats_of_merchant) {
        throw tooMany(`An account may have ${seats_of_merchant} streams open at once. Close one.`)
      }
      if (count >= seats_in_all) throw tooMany('All streams of this process are taken.')
      count += 1
      taken.set(merchant_id, own + 1)
      let is_given_back = false
      return () => {
        if (is_given_back) return
        is_given_back = true
        count -= 1
        const left = taken.get(merchant_id)! - 1
        if (left > 0) taken.set(merchant_id, left)
        else taken.delete(merchant_id)
      }
    },
  }
}

function tooMany(message: string): Refusal {
  return new Refusal('rate_limit_exceeded', message, { retry_after_seconds })
}
