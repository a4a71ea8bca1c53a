// Decides which fault a field shows: none while the value may still become right, and none after it is right.

import type { FaultCode } from '../shared/protocol.ts'

type FieldFaults = {
  /** The fault that the field shows now. */
  shown: FaultCode | null
  /** The fault of its value. */
  fault: FaultCode | null
}

/** While the shopper types: a complete value is checked at once, and a fault that shows stays as long as it is the same. */
export function faultWhileTyping({ shown, fault, whole }: FieldFaults & { whole: boolean }) {
  return whole || fault === shown ? fault : null
}

/** When the shopper leaves the field. A field without input shows nothing. */
export function faultOnBlur({ shown, fault, empty }: FieldFaults & { empty: boolean }) {
  return empty && shown === null ? null : fault
}
