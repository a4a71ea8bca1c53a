// An attempt: one card tried once, with the state of its 3-D Secure. `three-ds-states.ts` has what each state means.

import type { AttemptId, Brand } from '../kernel/values.ts'
import type { AuthenticationOutcome } from '../three-ds/three-ds.ts'

export type ThreeDsState =
  | 'not_started'
  | 'awaiting_challenge'
  | 'authenticated'
  | 'attempted'
  | 'failed'
  | 'rejected'
  | 'informational'
  | 'unavailable'
  | 'not_enrolled'
  | 'superseded'

export type Attempt = {
  merchant_id: string
  attempt_id: AttemptId
  session_id: string
  number: number
  card_reference: string
  brand: Brand
  last4: string
  phase: 'authenticating' | 'charging' | 'settled'
  three_ds_state: ThreeDsState
  three_ds_version: string | null
  /** The name of the connection that authenticates; null for the mode's own 3DS Server. */
  three_ds_provider: string | null
  /** The provider's own name of the authentication; null if it goes by `server_transaction_id`. */
  three_ds_handle: string | null
  server_transaction_id: string
  ds_transaction_id: string | null
  acs_transaction_id: string | null
  acs_url: string | null
  window_size: '01' | '02' | '03' | '04' | '05'
  challenge_expires_at: Date | null
  cardholder_info: string | null
  authentication_outcome: AuthenticationOutcome | null
  asking_until: Date | null
  payment_id: string | null
  result: object | null
  /** The tag of the language that the shopper pays in; null if it is unknown. */
  locale: string | null
  created_at: Date
  settled_at: Date | null
}

/** The columns with times. In rows that arrive as JSON they are texts. */
export const attemptTimes = [
  'challenge_expires_at',
  'asking_until',
  'created_at',
  'settled_at',
] satisfies (keyof Attempt)[]

/** The authentication in a payment's view; absent if 3-D Secure gave none of the three outcomes. */
export type Authentication = {
  outcome: 'Authenticated' | 'Attempted' | 'Failed'
  liability_shifted: boolean
  eci: string | null
}
