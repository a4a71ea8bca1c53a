// Where the next page of a list begins. A cursor is opaque, and valid only for its list, merchant and filters.

import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../kernel/keyring.ts'

/** The list to which a cursor belongs. */
export type ListScope = {
  /** Names the list, such as `delivery cursor`. */
  purpose: string
  merchant_id: string
  /** In the list's own order; undefined and null both mean no filter. */
  filters: readonly (string | number | null | undefined)[]
}

const mac_bytes = 16

/** The cursor of a page that ends at this hexadecimal position. */
export function cursorAfter(keyring: Keyring, scope: ListScope, position: string): string {
  const mac = keyring.mac(scope.purpose, ...boundTo(scope, position))
  return Buffer.concat([Buffer.from(position, 'hex'), mac.subarray(0, mac_bytes)]).toString('base64url')
}

/** The position at which the previous page ended; null if the text is no cursor of this scope. */
export function positionIn(keyring: Keyring, scope: ListScope, cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url')
  // Decoding accepts forms that no cursor has, such as padding or a stray character.
  if (bytes.length <= mac_bytes || bytes.toString('base64url') !== cursor) return null
  const position = bytes.toString('hex', 0, bytes.length - mac_bytes)
  const cursor_mac = bytes.subarray(-mac_bytes)
  const is_ours = keyring
    .macs(scope.purpose, ...boundTo(scope, position))
    .some((mac) => timingSafeEqual(mac.subarray(0, mac_bytes), cursor_mac))
  return is_ours ? position : null
}

function boundTo({ merchant_id, filters }: ListScope, position: string): string[] {
  return [merchant_id, JSON.stringify(filters.map((filter) => filter ?? null)), position]
}
