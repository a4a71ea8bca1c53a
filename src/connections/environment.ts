// A vendor has two environments, each with its own keys. If a live connection had a sandbox key, shoppers could pay
// live orders with the numbers that the vendor publishes.

import { type ConnectionMode, environmentWords } from '../kernel/connection-mode.ts'
import type { Credentials } from './connection.ts'
import type { KnownConnector } from './connectors.ts'

/** `member` names the address if the address shows it. */
export type EnvironmentFault = { words: string; member: 'api_url' | null }

/** Says that the key or the address belongs to the other environment; null if it does not, or if nothing shows it. */
export function environmentFault(
  { isOfSandbox, environmentAt }: Pick<KnownConnector, 'isOfSandbox' | 'environmentAt'>,
  credentials: Credentials,
  mode: ConnectionMode,
): EnvironmentFault | null {
  const { api_url } = credentials
  const shown_environment = typeof api_url === 'string' ? environmentAt?.(api_url).environment : undefined
  if (shown_environment && shown_environment !== mode) {
    const words = `api_url leads to the vendor's ${environmentWords[shown_environment]}, and the connection is of mode ${mode}`
    return { words, member: 'api_url' }
  }
  // At another address the key need not have the vendor's form: see `environmentDoubt`.
  if (!isOfSandbox || api_url !== undefined) return null
  const is_of_sandbox = isOfSandbox(credentials)
  if (is_of_sandbox === (mode === 'sandbox')) return null
  const environment = environmentWords[is_of_sandbox ? 'sandbox' : 'live']
  const words = `the key is of the vendor's ${environment}, and the connection is of mode ${mode}`
  return { words, member: null }
}

/**
 * The doubt about a key that `api_url` leads to another address. That may be a proxy to the vendor, or a stand-in for
 * tests that accepts any key. So the key is accepted, and an operator is told if it has the other environment's prefix.
 */
export function environmentDoubt(
  { environmentShown }: Pick<KnownConnector, 'environmentShown'>,
  credentials: Credentials,
  mode: ConnectionMode,
): string | null {
  const shown_environment = credentials.api_url === undefined ? null : environmentShown?.(credentials)
  if (!shown_environment || shown_environment === mode) return null
  return `the key looks like one of the vendor's ${environmentWords[shown_environment]}, and the connection is of mode ${mode}`
}
