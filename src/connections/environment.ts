// A vendor has two environments, each with keys of its own. With a key of the sandbox in a live connection, live orders would be paid
// for with the numbers that the vendor publishes.

import type { ConnectionMode } from '../merchants/account-connection.ts'
import type { Credentials } from './connection.ts'
import type { KnownConnector } from './known-connector.ts'

/** Says that the key is of the environment that the connection is not for; null if it is not, or if no key shows it. */
export function environmentFault(
  { isOfSandbox }: Pick<KnownConnector, 'isOfSandbox'>,
  credentials: Credentials,
  mode: ConnectionMode,
): string | null {
  // At another address the key need not have the vendor's form.
  if (!isOfSandbox || credentials.api_url !== undefined) return null
  const is_of_sandbox = isOfSandbox(credentials)
  if (is_of_sandbox === (mode === 'sandbox')) return null
  const environment = is_of_sandbox ? 'sandbox' : 'live environment'
  return `the key is of the vendor's ${environment}, and the connection is of mode ${mode}`
}
