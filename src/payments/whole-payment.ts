// A payment with its session, attempt and hold: the input of a decision about it.

import type { AuthorisationName } from '../acquirers/acquirer.ts'
import type { Attempt } from './attempt.ts'
import type { Hold } from './hold.ts'
import type { Payment } from './payment.ts'
import type { Session } from './session.ts'

/** A payment and its related rows, as they were at one moment. */
export type WholePayment = {
  payment: Payment
  session: Session
  attempt: Attempt
  /** Null if the payment was never held. */
  hold: Hold | null
  /**
   * What captures, voids, reversals and refunds are about: the newest charge by all its names, so the fallback's if there was
   * one. Null if the acquirer was never asked. An earlier charge has its names in its operation.
   */
  authorisation: AuthorisationName | null
}

/** A payment that is or was held. */
export type HeldPayment = WholePayment & { hold: Hold }

/** The rows that a decision writes. The event is made from them. */
export type Change = Pick<WholePayment, 'payment' | 'session' | 'hold'>
