// A connector as connections know it: a vendor's name and credentials, and as far as it is built in, how it is opened.

import type { z } from 'zod'
import type { Connector } from '../acquirers/connector.ts'
import type { ConnectionKind } from '../merchants/account-connection.ts'
import type { Credentials } from './connection.ts'

export type KnownConnector = {
  /** As `--acquirer` or `--three-ds` names it. */
  readonly name: string
  readonly kind: ConnectionKind
  readonly credentials: z.ZodType
} & Partial<
  // Absent at 3-D Secure providers, and where the connector is not built in yet.
  Pick<AnyConnector, 'open' | 'check' | 'notices' | 'isOfSandbox'>
>

// Whoever opens credentials cannot know their type: what was judged when they were stored is what the connector takes.
type AnyConnector = Connector<Credentials>

/** A connector that is built in, as one of those that this release knows. */
export function builtIn<Known>(connector: Connector<Known>): KnownConnector {
  return { ...(connector as unknown as AnyConnector), kind: 'acquirer' }
}
