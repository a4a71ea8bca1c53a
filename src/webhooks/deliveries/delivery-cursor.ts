// Where the next page of a list begins: opaque, and valid only for the merchant and the filters that it was given for.

import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../kernel/keyring.ts'

/** What a cursor belongs to. */
export type ListFilters = {
  merchant_id: string
  status: string | undefined
  event_type: string | undefined
}

const id_bytes = 16
const mac_bytes = 16

/** The cursor of a page that ends with this attempt. */
export function cursorAfter(keyring: Keyring, filters: ListFilters, attempt_id: string): string {
  const mac = keyring.mac(purpose, ...boundTo(filters, attempt_id))
  return Buffer.concat([Buffer.from(attempt_id, 'hex'), mac.subarray(0, mac_bytes)]).toString(
    'base64url',
  )
}

/** The attempt that the page before ended with; null where the text is no cursor for these filters. */
export function attemptOf(keyring: Keyring, filters: ListFilters, cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url')
  // Decoding accepts what no cursor has, such as padding or a stray character.
  if (bytes.length !== id_bytes + mac_bytes || bytes.toString('base64url') !== cursor) return null
  const attempt_id = bytes.toString('hex', 0, id_bytes)
  const sent = bytes.subarray(id_bytes)
  const known = keyring
    .macs(purpose, ...boundTo(filters, attempt_id))
    .some((mac) => timingSafeEqual(mac.subarray(0, mac_bytes), sent))
  return known ? attempt_id : null
}

const purpose = 'delivery cursor'

function boundTo({ merchant_id, status, event_type }: ListFilters, attempt_id: string): string[] {
  return [merchant_id, JSON.stringify([status ?? null, event_type ?? null]), attempt_id]
}
