// The connectors of this release, one line each, and their common type: a vendor's name and credentials, and how to
// open it.

import { z } from 'zod'
import { adyen } from '../acquirers/adyen/adyen.ts'
import { checkout } from '../acquirers/checkout-com/checkout.ts'
import type { AcquirerConnector } from '../acquirers/connector.ts'
import { stripe } from '../acquirers/stripe/stripe.ts'
import type { ConnectionKind } from '../merchants/account-connection.ts'
import { threeDsecureIo } from '../three-ds/3dsecureio/3dsecureio.ts'
import { checkoutSessions } from '../three-ds/checkout-com/checkout-sessions.ts'
import type { ThreeDsConnector } from '../three-ds/connector.ts'
import type { Credentials } from './connection.ts'

export const connectors: readonly KnownConnector[] = [
  builtIn(checkout),
  builtIn(stripe),
  builtIn(adyen),
  builtInThreeDs(threeDsecureIo),
  builtInThreeDs(checkoutSessions),
]

export type KnownConnector = {
  /** The name in `--acquirer` or `--three-ds`. */
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

// Code that opens credentials cannot know their type: the connector judged them before they were stored.
type AnyAcquirerConnector = AcquirerConnector<Credentials>
type AnyThreeDsConnector = ThreeDsConnector<Credentials>

/** A built-in connector as one of the known ones. */
function builtIn<Known>(connector: AcquirerConnector<Known>): KnownConnector {
  return { ...(connector as unknown as AnyAcquirerConnector), kind: 'acquirer' }
}

/** The same for a connector to a 3-D Secure provider. */
function builtInThreeDs<Known>(connector: ThreeDsConnector<Known>): KnownConnector {
  return { ...(connector as unknown as AnyThreeDsConnector), kind: 'three_ds' }
}

type CredentialMembers = { required: string[]; optional: string[] }

/** The members of a connector's credentials file, for people: read from the schema that judges the file. */
export function membersOf({ credentials }: Pick<KnownConnector, 'credentials'>): CredentialMembers {
  const { properties = {}, required = [] } = z.toJSONSchema(credentials, { io: 'input' })
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  return { required, optional }
}

/** One line for each kind of file, with the connectors that take it. Members that not everybody needs are in brackets. */
export function membersWords(connectors: readonly KnownConnector[]): string[] {
  const files = Map.groupBy(connectors, (connector) => {
    const { required, optional } = membersOf(connector)
    return `${required.join(', ')}${optional.length > 0 ? `, [${optional.join(', ')}]` : ''}`
  })
  const rows = [...files].map(([members, some]) => {
    return { names: some.map(({ name }) => name).join(', '), members }
  })
  const width = Math.max(...rows.map(({ names }) => names.length))
  return rows.map(({ names, members }) => `${names.padEnd(width)}   ${members}`)
}
