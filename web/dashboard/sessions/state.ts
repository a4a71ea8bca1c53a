// How a session stands, as people should read it: where it has a payment, that payment's status.

import type { SessionRow } from '../client/answers.ts'

type SessionState = Exclude<SessionRow['status'], 'succeeded'> | 'captured' | 'held' | 'voided'

/** The session of a payment that was voided has succeeded all the same, by the word of the API. */
export function sessionStateOf({ status, hold }: Pick<SessionRow, 'status' | 'hold'>): SessionState {
  if (status !== 'succeeded') return status
  switch (hold?.status) {
    case undefined:
    case 'captured':
      return 'captured'
    case 'voided':
      return 'voided'
    default:
      return 'held'
  }
}
