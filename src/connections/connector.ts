// What a connector is here: one vendor's name and credentials, and as far as it is built in, how its connections are opened.

import type { z } from 'zod'
import type { Acquirer } from '../acquirers/acquirer.ts'
import type { Wire } from '../acquirers/wire.ts'
import type { Clock } from '../kernel/world.ts'
import type { ConnectionKind, ConnectionMode } from '../merchants/account-connection.ts'
import type { Credentials } from './connection.ts'

export type KnownConnector = {
  /** As `--acquirer` or `--three-ds` names it. */
  readonly name: string
  readonly kind: ConnectionKind
  readonly credentials: z.ZodType
  /** Absent at 3-D Secure providers, and where the connector is not built in yet. */
  open?(connection: OpenConnection): Acquirer
  /** Asks the vendor what moves nothing. Never throws. */
  check?(asked: {
    credentials: Credentials
    mode: ConnectionMode
    wire: Wire
  }): Promise<CheckAnswer>
}

/** What a connector is opened with. */
export type OpenConnection = {
  /** The acquirer's name: `checkout:conn_…`. */
  name: string
  /** Our mark at acquirers. */
  installation: string
  /** Asked at each call, so that a rotation needs no restart. Null where the connection is not there, or does not open. */
  credentials(): Promise<Credentials | null>
  wire: Wire
  clock: Pick<Clock, 'now'>
}

/** `notes`: what works without, and is lost by that. A reason is one line, without secrets. */
export type CheckAnswer = { result: 'works'; notes: string[] } | { result: 'fails'; reason: string }
