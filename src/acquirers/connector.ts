// A connector turns one vendor's acquiring into the port, for each connection of a merchant to that vendor.

import type { z } from 'zod'
import type { ConnectionMode } from '../kernel/connection-mode.ts'
import type { Clock } from '../kernel/world.ts'
import type { CheckAnswer } from '../vendor-wire/wire.ts'
import { type Acquirer, type Notice, type NoticePost, NotSent } from './acquirer.ts'
import type { AnswerEnvironment } from './environment.ts'
import type { Wire } from './wire.ts'

export type AcquirerConnector<Credentials = unknown> = {
  /** The name in commands and profiles: `checkout`. */
  readonly name: string
  /** Judges a file of credentials. Unknown members are refused by name; no message repeats a value. */
  readonly credentials: z.ZodType<Credentials>
  open(connection: AcquirerConnection<Credentials>): Acquirer
  /** Whether the key belongs to the vendor's sandbox. */
  isOfSandbox(credentials: Credentials): boolean
  /** The environment whose published prefix the key bears; null if it bears none. Left out if no key bears one. */
  environmentShown?(credentials: Credentials): ConnectionMode | null
  /** The environment behind an address of the vendor's own. Left out if both have one address. */
  environmentAt?(api_url: string): AnswerEnvironment
  /** The card numbers that the vendor publishes for its sandbox, of the brands that are taken here. */
  readonly sandbox_numbers: readonly string[]
  /** The vendor's notices; null if it posts none. */
  readonly notices: {
    /** Verifies and reads a post; `now` is the service's clock. Throws NotGenuine. */
    read(post: NoticePost, by: NoticeKey<Credentials>): Notice[]
    /** The answer that the vendor expects, with status 200, once its post is stored. */
    reply: string
  } | null
  /** Sends the vendor a question that moves nothing. The credentials need not be stored yet. Never throws. */
  check(request: {
    credentials: Credentials
    /** Which of the vendor's two environments the connection is for. The key belongs to it, or shows no environment. */
    mode: ConnectionMode
    wire: Wire
  }): Promise<CheckAnswer>
}

/** The keys that verify a notice and recognise it as ours. */
export type NoticeKey<Credentials> = {
  credentials: Credentials
  mode: ConnectionMode
  installation: string
  now: Date
}

/** The parameters for opening a connector. */
export type AcquirerConnection<Credentials> = {
  /** The acquirer's name, which messages also use for the connection: `checkout:conn_…`. */
  name: string
  /** Our mark, which each AuthoriseRequest contains. A charge with another mark is never ours. */
  installation: string
  /**
   * Read at each call, so that a rotation needs no restart. Null if there is no such connection, or its credentials do not
   * open.
   */
  credentials(): Promise<Credentials | null>
  wire: Wire
  clock: Pick<Clock, 'now'>
}

export type { CheckAnswer, ConnectionMode }

/** The credentials for one call. Throws NotSent if there are none. */
export async function credentialsOf<Credentials>({
  name,
  credentials,
}: Pick<AcquirerConnection<Credentials>, 'name' | 'credentials'>): Promise<Credentials> {
  const storedCredentials = await credentials().catch(() => {
    throw new NotSent(`${name}: its credentials could not be read`)
  })
  if (storedCredentials === null) throw new NotSent(`${name}: it has no credentials`)
  return storedCredentials
}

/**
 * Why the vendor does not know an id that it gave out itself. The id cannot have vanished, so the account must be another one.
 * The outcome is then unknown: "not found" could fail a charge that was captured.
 */
export function notTheirs(name: string, id: string): string {
  return `${name}: ${id} is not among its payments. Are its credentials those of another account?`
}
