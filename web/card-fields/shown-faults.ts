// Decides which fault a field shows: none while the value may still become right, and none after it is right.

import type { FaultCode } from '../shared/protocol.ts'

type Judged = {
  /** The fault that the field shows now. */
  shown: FaultCode | null
  /** The fault of its value. */
  fault: FaultCode | null
}

/** While the shopper types: a complete value is checked at once, and a fault that shows stays as long as it is the same. */
export function whileTyping({ shown, fault, whole }: Judged & { whole: boolean }) {
  return whole || fault === shown ? fault : null
}

/** When the shopper leaves the field. A field without input shows nothing. */
export function whenLeft({ shown, fault, empty }: Judged & { empty: boolean }) {
  return empty && shown === null ? null : fault
}
