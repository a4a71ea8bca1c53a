// The outcome in an ARes or RReq with valid fields.

import type { AuthenticationOutcome, UnavailableCause } from '../three-ds.ts'
import type { Message } from './messages.ts'

/** Only for messages whose transStatus is final: not C, D or S. */
export function outcomeIn(message: Message): AuthenticationOutcome {
  const status = message.transStatus as AuthenticationOutcome['status']
  const value = (name: string) => (message[name] as string | undefined) ?? null
  return {
    status,
    eci: value('eci'),
    authentication_value: value('authenticationValue'),
    reason: value('transStatusReason'),
    challenge_cancel: value('challengeCancel'),
    unavailable_cause: status === 'U' ? 'issuer' : null,
  }
}

export function unavailable(cause: UnavailableCause): AuthenticationOutcome {
  return {
    status: 'U',
    eci: null,
    authentication_value: null,
    reason: null,
    challenge_cancel: null,
    unavailable_cause: cause,
  }
}
