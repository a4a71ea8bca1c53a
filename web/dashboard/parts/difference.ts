// How an acquirer's record of a payment differs from ours, in words.

import type { Payment } from '../client/answers.ts'
import { say, sayCode } from '../words.ts'
import { amountWords } from './amount.tsx'

export type Difference = Payment['differences'][number]

/** The refunds are named only where they are what differs. */
export function differenceWords({ kind, theirs }: Pick<Difference, 'kind' | 'theirs'>): string {
  const is_refund = theirs.state === 'refunded' || theirs.refunded_amount !== undefined
  return sayCode('finding', is_refund ? 'refunds_differ' : kind)
}

export function sideWords({ state, amount, currency, refunded_amount }: Difference['ours']): string {
  const parts = [sayCode('status', state)]
  if (amount !== null) parts.push(amountWords(amount, currency))
  if (refunded_amount !== undefined) {
    parts.push(say('side_refunded', { amount: amountWords(refunded_amount, currency) }))
  }
  return parts.join(' · ')
}

export function recordWords(difference: Difference): string {
  const { ours, theirs } = difference
  return say('record_differs', { what: differenceWords(difference), ours: sideWords(ours), theirs: sideWords(theirs) })
}
