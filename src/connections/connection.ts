// A connection: a merchant's account at an acquirer or a 3-D Secure provider, and the credentials that are sealed for it.

import type { Keyring } from '../kernel/keyring.ts'
import type { ConnectionId } from '../kernel/values.ts'
import type { AccountConnection } from '../merchants/account-connection.ts'

/** Which connection. */
export type ConnectionKey = { merchant_id: string; connection_id: ConnectionId }

/** All of a connection but its credentials. */
export type Connection = AccountConnection & {
  merchant_id: string
  created_at: Date
  rotated_at: Date | null
  disabled_at: Date | null
}

/** What is sealed of a connection: the credentials that are sent, and those before them that notices may still bear. */
export type SealedCredentials = ConnectionKey & {
  sealed_credentials: Buffer
  previous_sealed_credentials: Buffer | null
}

/** The whole row. */
export type ConnectionRow = Connection & SealedCredentials & { previous_until: Date | null }

/** For so long after a rotation notices count that were signed by the credentials before. */
export const overlap_ms = 24 * 3_600_000

/** What it must look like, in words. */
export const label_words = '1 to 64 letters, digits, dots, dashes and underscores'

export function isLabel(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text)
}

export type Credentials = Record<string, unknown>

export function sealCredentials(keyring: Keyring, connection: ConnectionKey, credentials: Credentials): Buffer {
  return keyring.seal(Buffer.from(JSON.stringify(credentials)), credentialsName(connection))
}

/** Opens what either column of a connection's credentials holds. Throws where it does not open. */
export function openCredentials(keyring: Keyring, connection: ConnectionKey, sealed: Buffer): Credentials {
  return JSON.parse(keyring.open(sealed, credentialsName(connection)).toString())
}

/** The name that `rewrap` needs. One for both columns: a rotation moves the bytes from the one to the other. */
export function credentialsName({ merchant_id, connection_id }: ConnectionKey): string {
  return JSON.stringify(['connection credentials', merchant_id, connection_id])
}

/** Where the vendor posts its notices to. `base_url` is the service's, without a slash at its end. */
export function noticeUrl(base_url: string, { connection_id }: { connection_id: string }): string {
  return `${base_url}/acquirers/${connection_id}/notices`
}
