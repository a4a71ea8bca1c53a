// Checks a connection: a call to the vendor that moves nothing shows whether the credentials are of use.

import type { CheckAnswer } from '../acquirers/connector.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { Clock } from '../kernel/world.ts'
import type { Wire } from '../vendor-wire/wire.ts'
import { type ConnectionRow, openCredentials } from './connection.ts'
import type { KnownConnector } from './connectors.ts'
import { environmentFault } from './environment.ts'

type Parts = {
  keyring: Keyring
  wire: Wire
  clock: Clock
  connectors: readonly KnownConnector[]
}

/** The vendor's verdict on the credentials. If the vendor does not answer within `limit_ms`, the check fails. */
export async function checkConnection(
  { keyring, wire, clock, connectors }: Parts,
  row: ConnectionRow,
  limit_ms: number,
): Promise<CheckAnswer> {
  const connector = connectors.find(({ name }) => name === row.connector)
  if (!connector?.check) return fails(notBuiltInWords(row))
  const over = new AbortController()
  const late = clock.sleep(limit_ms, over.signal).then(
    () => fails(`there was no answer within ${limit_ms / 1000} s`),
    () => fails(''),
  )
  try {
    const credentials = openCredentials(keyring, row, row.sealed_credentials)
    const wrong = environmentFault(connector, credentials, row.mode)
    if (wrong !== null) return fails(wrong.words)
    const answer = connector.check({ credentials, mode: row.mode, wire })
    return await Promise.race([answer, late])
  } catch (error) {
    return fails((error as Error).message)
  } finally {
    over.abort()
  }
}

/** Whether this release can talk to the vendor. */
export function isBuiltIn({ connector }: { connector: string }, connectors: readonly KnownConnector[]): boolean {
  return connectors.some(({ name, check }) => name === connector && check !== undefined)
}

/** For a vendor whose credentials this release knows without being able to call it. */
function notBuiltInWords({ connector }: { connector: string }): string {
  return `this release cannot talk to ${connector} yet, so nothing was asked`
}

function fails(reason: string): CheckAnswer {
  return { result: 'fails', reason }
}
