// The name on the card, which is optional.

import type { FaultCode } from '../shared/protocol.ts'
import { digitsOf } from './digits.ts'

/** In UTF-16 units; the service counts characters, which are never more. */
export const name_length_max = 45
/** So many digits are a card number in the wrong field, whatever is around them. */
const digits_of_number_min = 12

/** The name; null if the field is empty. */
export function nameOf(value: string): string | null {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '').trim() || null
}

export function nameFault(value: string): FaultCode | null {
  const name = nameOf(value)
  if (name === null) return null
  const only_digits = /^[\p{Nd}\s\p{Pd}]*$/u.test(name)
  return only_digits || digitsOf(name).length >= digits_of_number_min ? 'name_is_number' : null
}
