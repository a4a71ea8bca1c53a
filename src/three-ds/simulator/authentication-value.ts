// The simulated issuer's proof of authentication, and the ECI that belongs to it.

import { createHmac, type KeyObject } from 'node:crypto'
import type { Brand } from '../../kernel/values.ts'

/** 20 bytes in base64. Mastercard's begin with `k`. */
export function authenticationValue(
  signing_key: Buffer | KeyObject,
  about: { acs_transaction_id: string; number: string; amount: string; brand: Brand },
): string {
  const { acs_transaction_id, number, amount, brand } = about
  const mac = createHmac('sha256', signing_key).update(`${acs_transaction_id}|${number}|${amount}`)
  const value = mac.digest().subarray(0, 20)
  // Six bits make a base64 letter, and 100100 makes `k`.
  if (brand === 'mastercard') value[0] = 0b10010000 | (value[0]! & 0b11)
  return value.toString('base64')
}

export function eciOf(brand: Brand, status: 'Y' | 'A'): string {
  if (brand === 'mastercard') return status === 'Y' ? '02' : '01'
  return status === 'Y' ? '05' : '06'
}
