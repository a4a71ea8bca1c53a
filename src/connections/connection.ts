// A connection: a merchant's account at an acquirer or a 3-D Secure provider, and the credentials that are sealed for it.

import type { Keyring } from '../kernel/keyring.ts'
import type { ConnectionId } from '../kernel/values.ts'
import type { AccountConnection } from '../merchants/account-connection.ts'

/** The key of a connection. */
export type ConnectionKey = { merchant_id: string; connection_id: ConnectionId }

/** A connection without its credentials. */
export type Connection = AccountConnection & {
  merchant_id: string
  created_at: Date
  rotated_at: Date | null
  disabled_at: Date | null
}

/**
 * The sealed credentials of a connection: the current ones, and the ones before, with which notices may still be
 * signed.
 */
export type SealedCredentials = ConnectionKey & {
  sealed_credentials: Buffer
  previous_sealed_credentials: Buffer | null
}

/** The whole row. */
export type ConnectionRow = Connection & SealedCredentials & { previous_until: Date | null }

/** How long after a rotation notices with the earlier credentials count. */
export const rotation_overlap_ms = 24 * 3_600_000

/** The rule for labels, in words. */
export const label_words = '1 to 64 letters, digits, dots, dashes and underscores'

export function isLabel(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text)
}

export type Credentials = Record<string, unknown>

export function sealCredentials(keyring: Keyring, connection: ConnectionKey, credentials: Credentials): Buffer {
  return keyring.seal(Buffer.from(JSON.stringify(credentials)), credentialsName(connection))
}

/** Opens either column of a connection's credentials. Throws if it does not open. */
export function openCredentials(keyring: Keyring, connection: ConnectionKey, sealed: Buffer): Credentials {
  return JSON.parse(keyring.open(sealed, credentialsName(connection)).toString())
}

/**
 * The name that `rewrap` needs. Both columns have the same one, because a rotation moves the bytes from one to the
 * other.
 */
export function credentialsName({ merchant_id, connection_id }: ConnectionKey): string {
  return JSON.stringify(['connection credentials', merchant_id, connection_id])
}

/** The address to which the vendor posts its notices. `base_url` is the service's, without a final slash. */
export function noticeUrl(base_url: string, { connection_id }: { connection_id: string }): string {
  return `${base_url}/acquirers/${connection_id}/notices`
}
