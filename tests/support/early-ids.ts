// Ids as early releases made them, which rows of a database may have: random, with the routing number under a mask of the rest.

import { randomBytes } from 'node:crypto'
import type { Keyring } from '../../src/kernel/keyring.ts'

/** The 24 hex characters of such an id. */
export function earlyRouted(routing: number, keyring: Keyring): string {
  const tail = randomBytes(8).toString('hex')
  const mask = keyring.mac('routing mask', tail).readUInt32BE(0)
  return ((routing ^ mask) >>> 0).toString(16).padStart(8, '0') + tail
}
