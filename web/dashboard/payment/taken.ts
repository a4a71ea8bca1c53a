// What was taken of a payment. `captured_amount` is there where less was taken than was authorised; the rest was released.

type Taken = { amount: number; captured_amount?: number }

export function takenOf({ amount, captured_amount = amount }: Taken): number {
  return captured_amount
}

/** Null where all of it was taken, or nothing yet. */
export function releasedOf({ amount, captured_amount }: Taken): number | null {
  return captured_amount === undefined ? null : amount - captured_amount
}
