// Challenges of passkeys. The service signs them and does not store them, so that strangers cannot fill a table and any
// process can judge any answer. Each has one purpose, lasts five minutes and is answered once (see `challenged_at`).

import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../kernel/keyring.ts'
import type { World } from '../kernel/world.ts'

/** What is challenged: a sign-in, or an act of one session or link. */
export type ChallengePurpose = 'sign-in' | `proof ${string}` | `passkey ${string}` | `link ${string}`

const lasts_ms = 5 * 60_000
const nonce_length = 16
const time_length = 6
const mac_length = 16

export function newChallenge(
  keyring: Keyring,
  { clock, random }: Pick<World, 'clock' | 'random'>,
  purpose: ChallengePurpose,
): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(nonce_length + time_length)
  random.bytes(nonce_length).copy(head)
  head.writeUIntBE(clock.now().getTime(), nonce_length, time_length)
  const mac = keyring.mac('passkey challenge', purpose, head.toString('hex'))
  return new Uint8Array([...head, ...mac.subarray(0, mac_length)])
}

/** When a challenge was made; null if it is not ours, has another purpose, or is too old. */
export function timeOfChallenge(
  keyring: Keyring,
  challenge: string,
  { purpose, now }: { purpose: ChallengePurpose; now: Date },
): Date | null {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== nonce_length + time_length + mac_length) return null
  const head = bytes.subarray(0, nonce_length + time_length)
  const mac = bytes.subarray(nonce_length + time_length)
  const macs = keyring.macs('passkey challenge', purpose, head.toString('hex'))
  if (!macs.some((each) => timingSafeEqual(each.subarray(0, mac_length), mac))) return null
  const made_ms = head.readUIntBE(nonce_length, time_length)
  const age_ms = now.getTime() - made_ms
  return age_ms >= -60_000 && age_ms <= lasts_ms ? new Date(made_ms) : null
}
