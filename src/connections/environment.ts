// A vendor has two environments, each with keys of its own. With a key of the sandbox in a live connection, live orders would be paid
// for with the numbers that the vendor publishes.

import { type ConnectionMode, environmentWords } from '../kernel/connection-mode.ts'
import type { Credentials } from './connection.ts'
import type { KnownConnector } from './connectors.ts'

/** `member` is the one that shows it, where it is the address. */
export type EnvironmentFault = { words: string; member: 'api_url' | null }

/** Says that the key or the address is of the environment that the connection is not for; null if it is not, or if no key shows it. */
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
 * The same of a key that `api_url` leads to another address. That may be a proxy to the vendor, or a test's stand-in that wants a
 * key of any form. So the key is taken, and an operator hears of it if it bears the other environment's prefix.
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
