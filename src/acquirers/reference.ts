// Shortens our references for acquirers that cut longer ones: the same 128 bits as 25 characters of base 36.

import { createHash } from 'node:crypto'

const length_of_base36 = 25

/** Turns 32 hex characters into 25 of `[0-9a-z]`. */
export function shortReference(reference: string): string {
  return BigInt(`0x${reference}`).toString(36).padStart(length_of_base36, '0')
}

/** The 32 hex characters of a short reference; null if the text is no short reference. */
export function longReference(short: string): string | null {
  if (!/^[0-9a-z]{25}$/.test(short)) return null
  let value = 0n
  for (const digit of short) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  const hex = value.toString(16).padStart(32, '0')
  return hex.length === 32 ? hex : null
}

/**
 * A stand-in for the reference of a charge that has our mark but no reference of ours. The mark may have been copied,
 * so a person has to see the charge. The same id always has the same stand-in.
 */
export function standInReference(acquirer_transaction_id: string): string {
  return createHash('sha256').update(acquirer_transaction_id).digest('hex').slice(0, 32)
}
