// One-time codes of an authenticator: SHA-1, six digits, 30 seconds, by real time, each used once. Also recovery codes:
// ten of 80 random bits, each used once.

import { Secret, TOTP } from 'otpauth'
import type { Context } from '../context.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { Random } from '../kernel/world.ts'
import { hashOfSecret } from './session.ts'

const period_seconds = 30

/** A secret for a new authenticator, both to type and to scan. */
export function newCodeSecret(
  { random }: Context['world'],
  email: string,
): { bytes: Buffer; secret: string; uri: string } {
  const bytes = random.bytes(20)
  const totp = totpOf(bytes, email)
  return { bytes, secret: totp.secret.base32, uri: totp.toString() }
}

/**
 * The 30-second step of a code; null if the code is wrong, or its step is not after the last used one. One step of
 * grace either way allows for clocks that differ.
 */
export function stepOfCode(
  bytes: Buffer,
  code: string,
  { last_step, real_now }: { last_step: number; real_now: Date },
): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const timestamp = real_now.getTime()
  const delta = totpOf(bytes, '').validate({ token: code, timestamp, window: 1 })
  if (delta === null) return null
  const step = Math.floor(timestamp / 1000 / period_seconds) + delta
  return step > last_step ? step : null
}

/** What people type may have spaces in it. */
export function plainCode(text: string): string {
  return text.replace(/[\s-]/g, '')
}

/** Real time, without the offset of the service's clock. */
export function realNow({ world, doorkeeper }: Pick<Context, 'world' | 'doorkeeper'>): Date {
  return new Date(world.clock.now().getTime() - doorkeeper.clock_offset_seconds * 1000)
}

export function sealCodeSecret(keyring: Keyring, user_id: string, bytes: Buffer): Buffer {
  return keyring.seal(bytes, codeSecretName(user_id))
}

export function openCodeSecret(keyring: Keyring, user_id: string, sealed: Buffer): Buffer {
  return keyring.open(sealed, codeSecretName(user_id))
}

/** The identity under which the secret is sealed. */
export function codeSecretName(user_id: string): string {
  return JSON.stringify(['one-time codes', user_id])
}

function totpOf(bytes: Buffer, label: string): TOTP {
  const copy = new Uint8Array(bytes)
  const secret = new Secret({ buffer: copy.buffer as ArrayBuffer })
  return new TOTP({ issuer: 'Ripper Checkout', label, secret, digits: 6, period: period_seconds })
}

const count = 10
/** Without the letters that look like digits. */
const letters = 'abcdefghjkmnpqrstvwxyz23456789ac'

/** In the form in which people see them, such as `k3nq-…`. */
export function newRecoveryCodes({ bytes }: Random): string[] {
  return Array.from({ length: count }, () => {
    const text = [...bytes(16)].map((byte) => letters[byte & 31]!).join('')
    return text.match(/.{4}/g)!.join('-')
  })
}

export function hashOfRecoveryCode(code: string): Buffer {
  return hashOfSecret(`recovery ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
}
