// The security code: three digits on the back, four on the front of an Amex.

import type { FaultCode } from '../shared/protocol.ts'
import { ruleOf } from './brands.ts'
import { digitsOf, type FieldInput } from './digits.ts'

export type CodeLengths = { shortest: 3 | 4; longest: 3 | 4 }

/** The length of a card's code; unknown while its brand is. */
export function codeLengths(number: string): CodeLengths {
  const length = ruleOf(digitsOf(number))?.code_length
  return { shortest: length ?? 3, longest: length ?? 4 }
}

/** Ignores more digits than the card's code has. */
export function formatCode({ value, caret }: FieldInput, { longest }: CodeLengths): FieldInput {
  const digits = digitsOf(value).slice(0, longest)
  const before = digitsOf(value.slice(0, caret)).length
  return { value: digits, caret: Math.min(before, digits.length) }
}

export function codeFault(value: string, { shortest }: CodeLengths): FaultCode | null {
  const digits = digitsOf(value)
  if (digits === '') return 'code_missing'
  return digits.length < shortest ? 'code_incomplete' : null
}

/** A code that is too long belongs to another card. */
export function isOfAnotherCard(value: string, { longest }: CodeLengths): boolean {
  return digitsOf(value).length > longest
}
