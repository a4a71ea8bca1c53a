// Hashes passwords with argon2id, peppered by a key derived from the master key, a few at once.

import { argon2, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { User } from './user.ts'

type Hasher = Pick<Context, 'keyring' | 'world' | 'doorkeeper'>

/** OWASP's second choice: 19 MiB, two passes, one lane; about 30 ms. */
const cost = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 }

/** How many passwords one process hashes at once: of strangers, and of all others. */
export const hashes_at_once = 4

/** Works with passwords in one of the few places; throws `too_many_attempts` where none is free. */
export async function hashing<T>(
  { doorkeeper }: Hasher,
  work: () => Promise<T>,
  places: keyof Hasher['doorkeeper']['hashing'] = 'of_known',
): Promise<T> {
  const done = await doorkeeper.hashing[places].run(work)
  if (done) return done.value
  throw tooMany(2)
}

/** PCI DSS 8.3.7 */
export const old_hashes_max = 4

/** A person's password and the last ones before it, newest first: none of them may come back. */
export function hashesOf({ password_hash, old_hashes }: Pick<User, 'password_hash' | 'old_hashes'>) {
  return [password_hash, ...old_hashes].filter((each) => each !== null)
}

/** Throws `invalid_request` for a password that is one of the earlier ones, and `too_many_attempts`. */
export async function hashNewPassword(hasher: Hasher, password: string, earlier: string[]): Promise<string> {
  const made = await hashing(hasher, async () => {
    for (const each of earlier) {
      if (await isPassword(hasher, password, each)) return null
    }
    return hashPassword(hasher, password)
  })
  if (made !== null) return made
  const fault = { field: 'password', fault: 'used_before' } as const
  throw new Refusal('invalid_request', 'password is one of your last ones.', fault)
}

/** To be called inside `hashing`. */
export async function hashPassword({ keyring, world }: Hasher, password: string): Promise<string> {
  const nonce = world.random.bytes(16)
  const tag = await derive(password, nonce, pepperOf(keyring, null))
  const parts = [keyring.current_key_id, nonce.toString('base64'), tag.toString('base64')]
  return ['argon2id', ...parts].join('$')
}

/**
 * Whether the password is the one of the hash; to be called inside `hashing`. Without a hash, which is so for an
 * unknown person, it costs the same.
 */
export async function isPassword(
  { keyring }: Pick<Hasher, 'keyring'>,
  password: string,
  stored: string | null,
): Promise<boolean> {
  const [, key_id = null, nonce = '', tag = ''] = stored?.split('$') ?? []
  const salt = stored === null ? Buffer.alloc(16) : Buffer.from(nonce, 'base64')
  const derived = await derive(password, salt, pepperOf(keyring, key_id))
  const expected = Buffer.from(tag, 'base64')
  return expected.length === derived.length && timingSafeEqual(derived, expected)
}

/** Whether a hash is under another master key than the current one: it then lasts only as long as that key. */
export function isUnderOtherKey({ keyring }: Pick<Hasher, 'keyring'>, stored: string): boolean {
  return stored.split('$')[1] !== keyring.current_key_id
}

/** The pepper under the key that made a hash; under the current one where that key is gone. */
function pepperOf(keyring: Keyring, key_id: string | null): Buffer {
  const at = key_id === null ? 0 : Math.max(0, keyring.key_ids.indexOf(key_id))
  return keyring.macs('password pepper')[at]!
}

export function tooMany(retry_after_seconds: number): Refusal {
  const words = `Too many tries. Try again in ${retry_after_seconds} seconds.`
  return new Refusal('too_many_attempts', words, { retry_after_seconds })
}

function derive(password: string, nonce: Buffer, secret: Buffer): Promise<Buffer> {
  // The same characters may be typed in several ways.
  const message = Buffer.from(password.normalize('NFKC'))
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, secret, ...cost }, (error, tag) => {
      if (error) reject(error)
      else resolve(tag as Buffer)
    })
  })
}
