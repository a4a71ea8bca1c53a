// What an act has done, for the place that says it on every screen: see `frame/done.tsx`.

import { newStore } from '../store.ts'

/** With `payment_id` where it is about a payment. */
export const doneStore = newStore<{ words: string; payment_id?: string } | null>(null)
