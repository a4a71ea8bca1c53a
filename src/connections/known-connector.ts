// A connector as connections know it: a vendor's name and credentials, and as far as it is built in, how it is opened.

import type { z } from 'zod'
import type { AcquirerConnector } from '../acquirers/connector.ts'
import type { ConnectionKind } from '../merchants/account-connection.ts'
import type { ThreeDsConnector } from '../three-ds/connector.ts'
import type { Credentials } from './connection.ts'

export type KnownConnector = {
  /** As `--acquirer` or `--three-ds` names it. */
  readonly name: string
  readonly kind: ConnectionKind
  readonly credentials: z.ZodType
} & Partial<
  // Absent at connectors of the other kind, and where the connector is not built in yet.
  Pick<
    AnyAcquirerConnector,
    'open' | 'check' | 'notices' | 'isOfSandbox' | 'environmentShown' | 'environmentAt' | 'sandbox_numbers'
  > &
    Pick<AnyThreeDsConnector, 'openThreeDs' | 'needs_acquirer_ids'>
>

// Whoever opens credentials cannot know their type: what was judged when they were stored is what the connector takes.
type AnyAcquirerConnector = AcquirerConnector<Credentials>
type AnyThreeDsConnector = ThreeDsConnector<Credentials>

/** A connector that is built in, as one of those that this release knows. */
export function builtIn<Known>(connector: AcquirerConnector<Known>): KnownConnector {
  return { ...(connector as unknown as AnyAcquirerConnector), kind: 'acquirer' }
}

/** The same of a connector to a 3-D Secure provider. */
export function builtInThreeDs<Known>(connector: ThreeDsConnector<Known>): KnownConnector {
  return { ...(connector as unknown as AnyThreeDsConnector), kind: 'three_ds' }
}
