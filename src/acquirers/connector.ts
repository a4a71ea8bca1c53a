// What a connector is: how one vendor's acquiring becomes the port, for each connection that a merchant has there.

import type { z } from 'zod'
import type { Clock } from '../kernel/world.ts'
import { type Acquirer, type Notice, type NoticePost, NotSent } from './acquirer.ts'
import type { Wire } from './wire.ts'

export type Connector<Credentials = unknown> = {
  /** As commands and profiles name it: `checkout`. */
  readonly name: string
  /** Judges a file of credentials. Unknown members are refused by name; no message repeats a value. */
  readonly credentials: z.ZodType<Credentials>
  open(connection: Connection<Credentials>): Acquirer
  /** Whether the key says that it is one of the vendor's sandbox. */
  isOfSandbox(credentials: Credentials): boolean
  /** What the vendor posts by itself; null where it posts nothing. */
  readonly notices: {
    /** Verifies and reads a post; `now` is the service's clock. Throws NotGenuine. */
    read(post: NoticePost, by: NoticeKey<Credentials>): Notice[]
    /** What the vendor wants to be answered, with 200, once its post is stored. */
    reply: string
  } | null
  /** Asks the vendor what moves nothing, with credentials that need not be stored yet. Never throws. */
  check(asked: {
    credentials: Credentials
    /** Which of the vendor's two worlds the connection is for. */
    mode: ConnectionMode
    wire: Wire
  }): Promise<CheckAnswer>
}

/** By what a notice is verified, and known as ours. */
export type NoticeKey<Credentials> = {
  credentials: Credentials
  mode: ConnectionMode
  installation: string
  now: Date
}

/** `sandbox`: where the vendor lets its merchants rehearse. */
export type ConnectionMode = 'live' | 'sandbox'

/** What a connector is opened with. */
export type Connection<Credentials> = {
  /** The acquirer's name, by which messages name the connection, too: `checkout:conn_…`. */
  name: string
  /** Our mark, as each AuthoriseRequest bears it: what has another is never ours. */
  installation: string
  /** Asked at each call, so that a rotation needs no restart. Null where there is no such connection, or they do not open. */
  credentials(): Promise<Credentials | null>
  wire: Wire
  clock: Pick<Clock, 'now'>
}

/** `notes`: what works without, and is lost by that. A reason is one line, without secrets. */
export type CheckAnswer = { result: 'works'; notes: string[] } | { result: 'fails'; reason: string }

/** The credentials for one call. Throws NotSent where there are none. */
export async function credentialsOf<Credentials>({
  name,
  credentials,
}: Pick<Connection<Credentials>, 'name' | 'credentials'>): Promise<Credentials> {
  const found = await credentials().catch(() => {
    throw new NotSent(`${name}: its credentials could not be read`)
  })
  if (found === null) throw new NotSent(`${name}: it has no credentials`)
  return found
}

/**
 * Why an id that the vendor itself gave out says nothing now. It cannot have vanished, so that the account is another one:
 * what became of the payment is unknown, and to call it not found could fail a charge that was captured.
 */
export function notTheirs(name: string, id: string): string {
  return `${name}: ${id} is not among its payments. Are its credentials those of another account?`
}
