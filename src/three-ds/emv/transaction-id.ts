// Transaction ids: UUIDs in their canonical 36 characters, compared without regard to case.

import type { Random } from '../../kernel/world.ts'

/** A new UUID, version 4. */
export function newTransactionId(random: Random): string {
  const bytes = Buffer.from(random.bytes(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function isTransactionId(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)
}

/** The id in lower case, the form in which ids leave this folder; null if the value is no id. */
export function transactionIdOf(value: unknown): string | null {
  return isTransactionId(value) ? value.toLowerCase() : null
}
