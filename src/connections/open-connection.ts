// The credentials by which notices of a connection are verified.

import type { Keyring } from '../kernel/keyring.ts'
import { type ConnectionRow, type Credentials, openCredentials } from './connection.ts'

/** The sets that count for notices at this moment, the one that is sent first. Throws where one does not open. */
export function credentialsThatCount(keyring: Keyring, row: ConnectionRow, now: Date): [Credentials, ...Credentials[]] {
  const { sealed_credentials, previous_sealed_credentials, previous_until } = row
  const current = openCredentials(keyring, row, sealed_credentials)
  if (previous_sealed_credentials === null || previous_until! <= now) return [current]
  return [current, openCredentials(keyring, row, previous_sealed_credentials)]
}
