// A connector turns one vendor's 3-D Secure into the port, for each connection of a merchant to that vendor.

import type { z } from 'zod'
import type { AnswerEnvironment } from '../acquirers/environment.ts'
import type { Mode } from '../kernel/values.ts'
import type { World } from '../kernel/world.ts'
import {
  type CheckAnswer,
  NotSent,
  Unanswered,
  type Wire,
  type WireAnswer,
  type WireRequest,
} from '../vendor-wire/wire.ts'
import type { MayOpen } from './emv/addresses.ts'
import { type FetchedThreeDs, ProviderUnavailable } from './three-ds.ts'

export type ThreeDsConnector<Credentials = unknown> = {
  /** The name in commands: `3dsecureio`. */
  readonly name: string
  /** Judges a file of credentials. Unknown members are refused by name; no message repeats a value. */
  readonly credentials: z.ZodType<Credentials>
  /** Whether the key belongs to the vendor's sandbox. Left out if no key shows it. */
  isOfSandbox?(credentials: Credentials): boolean
  /** The environment whose published prefix the key bears; null if it bears none. Left out if no key bears one. */
  environmentShown?(credentials: Credentials): 'live' | 'sandbox' | null
  /** The environment behind an address of the vendor's API; nothing for another address. */
  environmentAt(url: string): AnswerEnvironment
  /** The card numbers that trigger the sandbox's behaviours. */
  readonly sandbox_numbers: readonly string[]
  /** Whether an AReq needs the acquirer's BIN and merchant id from the acquiring profile. */
  readonly needs_acquirer_ids: boolean
  openThreeDs(connection: ThreeDsConnection<Credentials>): FetchedThreeDs
  /** Sends the vendor a question that asks no bank. The credentials need not be stored yet. Never throws. */
  check(request: { credentials: Credentials; mode: 'live' | 'sandbox'; wire: Wire }): Promise<CheckAnswer>
}

export type ThreeDsConnection<Credentials> = {
  /** The provider's name, which messages also use for the connection: `3dsecureio:conn_…`. */
  name: string
  /** In test mode the vendor's sandbox is called. */
  mode: Mode
  /**
   * Read at each call, so that a rotation needs no restart. Null if there is no such connection, or its credentials do not
   * open.
   */
  credentials(): Promise<Credentials | null>
  wire: Wire
  world: Pick<World, 'clock' | 'log'>
}

/** The credentials for one call. Throws ProviderUnavailable if there are none. */
export async function threeDsCredentialsOf<Credentials>({
  name,
  credentials,
}: Pick<ThreeDsConnection<Credentials>, 'name' | 'credentials'>): Promise<Credentials> {
  const storedCredentials = await credentials().catch(() => {
    throw new ProviderUnavailable(`${name}: its credentials could not be read`)
  })
  if (storedCredentials === null) throw new ProviderUnavailable(`${name}: it has no credentials`)
  return storedCredentials
}

/** For calls that ask no bank: silence means that the provider is unavailable now. Throws ProviderUnavailable. */
export async function sendOrRefuse(wire: Wire, request: WireRequest): Promise<WireAnswer> {
  try {
    return await wire.send(request)
  } catch (error) {
    if (error instanceof Unanswered || error instanceof NotSent) {
      throw new ProviderUnavailable(error.message)
    }
    throw error
  }
}

/**
 * Which addresses of banks a shopper's browser may open: those with https. If the vendor's own address is plain http in
 * the operator's network, pages of the same host are allowed as well.
 */
export function openableFrom(api_url: string): MayOpen {
  const own = new URL(api_url)
  return ({ protocol, hostname }) =>
    protocol === 'https:' || (own.protocol === 'http:' && protocol === 'http:' && hostname === own.hostname)
}
