// Which fault of a field a shopper sees: none while it may still come right, and none a moment longer than it is one.

import type { FaultCode } from '../shared/protocol.ts'

type Judged = {
  /** What it shows now. */
  shown: FaultCode | null
  /** What is wrong with its value. */
  fault: FaultCode | null
}

/** While it is typed in: a whole value is judged at once, and a fault that shows already stays as long as it is the same. */
export function whileTyping({ shown, fault, whole }: Judged & { whole: boolean }) {
  return whole || fault === shown ? fault : null
}

/** When it is left. A field that was merely passed by shows nothing. */
export function whenLeft({ shown, fault, empty }: Judged & { empty: boolean }) {
  return empty && shown === null ? null : fault
}
