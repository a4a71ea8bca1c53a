// A payment with its session, attempt and hold: what a decision about it is made from.

import type { AuthorisationName } from '../acquirers/acquirer.ts'
import type { Attempt } from './attempt.ts'
import type { Hold } from './hold.ts'
import type { Payment } from './payment.ts'
import type { Session } from './session.ts'

/** A payment with all that stands around it, as it was at one moment. */
export type WholePayment = {
  payment: Payment
  session: Session
  attempt: Attempt
  /** Null where it was never held. */
  hold: Hold | null
  /** Its authorisation, by all its names; null where the acquirer was never asked. */
  authorisation: AuthorisationName | null
}

/** What a decision writes: the rows as they shall be. The event is made from them. */
export type Change = Pick<WholePayment, 'payment' | 'session' | 'hold'>
