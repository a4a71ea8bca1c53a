// Hashes passwords with argon2id, a few at once, with a pepper derived from the master key.

import { argon2, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { User } from './user.ts'

type Hasher = Pick<Context, 'keyring' | 'world' | 'doorkeeper'>

/** OWASP's second choice: 19 MiB, two passes, one lane; about 30 ms. */
const cost = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 }

/** How many passwords one process hashes at once, separately for strangers and for all others. */
export const hashes_at_once = 4

/** Runs work with passwords when a place is free; throws `too_many_attempts` if none is. */
export async function hashing<T>(
  { doorkeeper }: Hasher,
  work: () => Promise<T>,
  places: keyof Hasher['doorkeeper']['hashing'] = 'of_known',
): Promise<T> {
  const result = await doorkeeper.hashing[places].run(work)
  if (result) return result.value
  throw tooMany(2)
}

/** PCI DSS 8.3.7 */
export const old_hashes_max = 4

/** A person's password hash and the last ones before it, newest first. None of these passwords may be set again. */
export function hashesOf({ password_hash, old_hashes }: Pick<User, 'password_hash' | 'old_hashes'>) {
  return [password_hash, ...old_hashes].filter((each) => each !== null)
}

/** Throws `invalid_request` for an earlier password, and `too_many_attempts`. */
export async function hashNewPassword(hasher: Hasher, password: string, earlier: string[]): Promise<string> {
  const result = await hashing(hasher, async () => {
    for (const each of earlier) {
      if (await isPassword(hasher, password, each)) return null
    }
    return hashPassword(hasher, password)
  })
  if (result !== null) return result
  const fault = { field: 'password', fault: 'used_before' } as const
  throw new Refusal('invalid_request', 'password is one of your last ones.', fault)
}

/** Call it inside `hashing`. */
export async function hashPassword({ keyring, world }: Hasher, password: string): Promise<string> {
  const nonce = world.random.bytes(16)
  const tag = await derive(password, nonce, pepperOf(keyring, null))
  const parts = [keyring.current_key_id, nonce.toString('base64'), tag.toString('base64')]
  return ['argon2id', ...parts].join('$')
}

/**
 * Whether the password belongs to the hash; call it inside `hashing`. Without a hash, as for an unknown person, it
 * takes as long.
 */
export async function isPassword(
  { keyring }: Pick<Hasher, 'keyring'>,
  password: string,
  password_hash: string | null,
): Promise<boolean> {
  const [, key_id = null, nonce = '', tag = ''] = password_hash?.split('$') ?? []
  const salt = password_hash === null ? Buffer.alloc(16) : Buffer.from(nonce, 'base64')
  const hash = await derive(password, salt, pepperOf(keyring, key_id))
  const expected = Buffer.from(tag, 'base64')
  return expected.length === hash.length && timingSafeEqual(hash, expected)
}

/** Whether a hash depends on another master key than the current one: it stops working when that key is removed. */
export function isUnderOtherKey({ keyring }: Pick<Hasher, 'keyring'>, password_hash: string): boolean {
  return password_hash.split('$')[1] !== keyring.current_key_id
}

/** The pepper from the master key of a hash, or from the current key if that one is gone. */
function pepperOf(keyring: Keyring, key_id: string | null): Buffer {
  const at = key_id === null ? 0 : Math.max(0, keyring.key_ids.indexOf(key_id))
  return keyring.macs('password pepper')[at]!
}

export function tooMany(retry_after_seconds: number): Refusal {
  const words = `Too many tries. Try again in ${retry_after_seconds} seconds.`
  return new Refusal('too_many_attempts', words, { retry_after_seconds })
}

function derive(password: string, nonce: Buffer, secret: Buffer): Promise<Buffer> {
  // The same characters may be encoded in several ways.
  const message = Buffer.from(password.normalize('NFKC'))
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, secret, ...cost }, (error, tag) => {
      if (error) reject(error)
      else resolve(tag as Buffer)
    })
  })
}
