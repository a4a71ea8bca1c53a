// What lines of the journal say of a payment's money, so that a row which somebody changes afterwards no longer fits them.

import { hash } from 'node:crypto'
import type { Mode } from '../kernel/values.ts'
import type { Event } from './event.ts'
import type { Payment, PaymentStatus } from './payment.ts'

export type Money = { amount: number; currency: string; mode: Mode }

/** What the line of an outcome says beside ids and codes. */
export type BoundOutcome = Money & {
  status: PaymentStatus
  /** Of the event's body, in hex. */
  event_sha256: string
}

export function moneyOf({ amount, currency, mode }: Payment): Money {
  return { amount, currency, mode }
}

export function boundOutcome(payment: Payment, event: Event): BoundOutcome {
  const event_sha256 = hash('sha256', event.body, 'hex')
  return { status: payment.status, ...moneyOf(payment), event_sha256 }
}
