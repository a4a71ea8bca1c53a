// Master keys in use: seals data that must not be readable in the database, and computes keyed digests.

import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Random } from './world.ts'

export type Keyring = {
  /** The key that seals and digests: 8 hex digits that reveal nothing about it. */
  readonly current_key_id: string
  /** The ids of every key in use, the current one first. */
  readonly key_ids: string[]
  /** `identity` names the row and column: the bytes open only under the same identity. */
  seal(plaintext: Buffer, identity: string): Buffer
  /**
   * Like `seal` at less than half its cost, for short-lived records: many share a data key, and none can be rewrapped.
   */
  sealBriefly(plaintext: Buffer, identity: string): Buffer
  /**
   * Throws UnknownKeyError if the key is missing, and an Error without any data if the bytes or the identity are not
   * those that were sealed.
   */
  open(sealed: Buffer, identity: string): Buffer
  /** The same record under the current key, or null if it is already. The ciphertext is copied, not opened. */
  rewrap(sealed: Buffer, identity: string): Buffer | null
  keyIdOf(sealed: Buffer): string
  /** HMAC-SHA-256 under a subkey of the current key, derived only for this purpose. */
  mac(purpose: string, ...parts: string[]): Buffer
  /** The same digest under every key, the current one first, for verification. */
  macs(purpose: string, ...parts: string[]): Buffer[]
}

/** A record was sealed under a key that this process does not have. */
export class UnknownKeyError extends Error {
  readonly key_id: string
  constructor(key_id: string) {
    super(`no master key has the id ${key_id}`)
    this.key_id = key_id
  }
}

type MasterKey = {
  id: Buffer
  master: KeyObject
  wrapping: KeyObject
  subkeys: Map<string, KeyObject>
}

// version | key id | wrap nonce | wrapped key and tag | nonce | ciphertext and tag
const version = 1
const id_length = 4
const key_length = 32
const nonce_length = 12
const tag_length = 16
const wrap_start = 1 + id_length
const wrapped_start = wrap_start + nonce_length
const body_start = wrapped_start + key_length + tag_length
const shortest = body_start + nonce_length + tag_length

// version | key id | salt of the data key | nonce | ciphertext and tag
const brief_version = 2
const salt_length = 16
const brief_body_start = wrap_start + salt_length
const brief_shortest = brief_body_start + nonce_length + tag_length
/** Far below the number at which random nonces under one key could collide. */
const records_a_data_key = 4096

/** Opens a ring of 32-byte keys: the first one writes, all read. */
export function openKeyring(master_keys: Buffer[], random: Random): Keyring {
  const keys = master_keys.map(masterKey)
  const [current] = keys
  if (!current) throw new Error('a keyring needs at least one master key')
  const byId = new Map(keys.map((key) => [key.id.toString('hex'), key]))
  if (byId.size < keys.length) throw new Error('two master keys are the same, or share a key id')

  function keyOf(sealed: Buffer): MasterKey {
    const id = keyIdOf(sealed)
    const key = byId.get(id)
    if (!key) throw new UnknownKeyError(id)
    return key
  }

  let briefKey: { salt: Buffer; key: KeyObject; left: number } | null = null
  function sharedDataKey(key: MasterKey): { salt: Buffer; key: KeyObject } {
    if (briefKey === null || briefKey.left === 0) {
      const salt = random.bytes(salt_length)
      briefKey = { salt, key: dataKey(key, salt), left: records_a_data_key }
    }
    briefKey.left -= 1
    return briefKey
  }

  return {
    current_key_id: current.id.toString('hex'),
    key_ids: keys.map(({ id }) => id.toString('hex')),
    keyIdOf,
    seal(plaintext, identity) {
      const bytes = random.bytes(key_length + 2 * nonce_length)
      const record_key = bytes.subarray(0, key_length)
      const wrap_nonce = bytes.subarray(key_length, key_length + nonce_length)
      const nonce = bytes.subarray(key_length + nonce_length)
      const aad = Buffer.from(identity)
      const sealed = Buffer.allocUnsafe(shortest + plaintext.length)
      writeHead(sealed, version, current.id)
      encrypt(sealed, wrap_start, wrappingKey(current, aad), wrap_nonce, aad, record_key)
      encrypt(sealed, body_start, createSecretKey(record_key), nonce, aad, plaintext)
      record_key.fill(0)
      return sealed
    },
    sealBriefly(plaintext, identity) {
      const { salt, key } = sharedDataKey(current)
      const sealed = Buffer.allocUnsafe(brief_shortest + plaintext.length)
      writeHead(sealed, brief_version, current.id)
      salt.copy(sealed, wrap_start)
      const nonce = random.bytes(nonce_length)
      encrypt(sealed, brief_body_start, key, nonce, Buffer.from(identity), plaintext)
      return sealed
    },
    open(sealed, identity) {
      const key = keyOf(sealed)
      const aad = Buffer.from(identity)
      if (sealed[0] === brief_version) {
        const salt = sealed.subarray(wrap_start, brief_body_start)
        return decrypt(dataKey(key, salt), sealed.subarray(brief_body_start), aad)
      }
      const record_key = unwrap(key, sealed, aad)
      const plaintext = decrypt(createSecretKey(record_key), sealed.subarray(body_start), aad)
      record_key.fill(0)
      return plaintext
    },
    rewrap(sealed, identity) {
      const key = keyOf(sealed)
      if (sealed[0] !== version) throw doesNotOpen()
      if (key === current) return null
      const aad = Buffer.from(identity)
      const record_key = unwrap(key, sealed, aad)
      const copy = Buffer.from(sealed)
      writeHead(copy, version, current.id)
      const wrap_nonce = random.bytes(nonce_length)
      encrypt(copy, wrap_start, wrappingKey(current, aad), wrap_nonce, aad, record_key)
      record_key.fill(0)
      return copy
    },
    mac: (purpose, ...parts) => macUnder(current, purpose, parts),
    macs: (purpose, ...parts) => keys.map((key) => macUnder(key, purpose, parts)),
  }
}

function masterKey(bytes: Buffer): MasterKey {
  if (bytes.length !== key_length) throw new Error('a master key has 32 bytes')
  const master = createSecretKey(bytes)
  return {
    id: hmac(master, 'key id').subarray(0, id_length),
    master,
    wrapping: createSecretKey(hmac(master, 'wrapping')),
    subkeys: new Map(),
  }
}

function keyIdOf(sealed: Buffer): string {
  const least = sealed[0] === brief_version ? brief_shortest : shortest
  if (sealed.length < least || (sealed[0] !== version && sealed[0] !== brief_version)) {
    throw doesNotOpen()
  }
  return sealed.toString('hex', 1, wrap_start)
}

// Each identity has a wrapping key of its own: it wraps the few keys that one row ever has, so random nonces cannot
// collide.
function wrappingKey(key: MasterKey, aad: Buffer): KeyObject {
  return createSecretKey(hmac(key.wrapping, aad))
}

// Derived, so that only its salt has to be stored beside the record.
function dataKey(key: MasterKey, salt: Buffer): KeyObject {
  return createSecretKey(macUnder(key, 'data key', [salt.toString('hex')]))
}

function unwrap(key: MasterKey, sealed: Buffer, aad: Buffer): Buffer {
  return decrypt(wrappingKey(key, aad), sealed.subarray(wrap_start, body_start), aad)
}

function writeHead(sealed: Buffer, kind: number, id: Buffer): void {
  sealed[0] = kind
  id.copy(sealed, 1)
}

// Node takes three times as long for a key that is passed as bytes instead of a key object.
function encrypt(target: Buffer, start: number, key: KeyObject, nonce: Buffer, aad: Buffer, plaintext: Buffer): void {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(aad)
  nonce.copy(target, start)
  cipher.update(plaintext).copy(target, start + nonce_length)
  cipher.final()
  cipher.getAuthTag().copy(target, start + nonce_length + plaintext.length)
}

/** Opens nonce | ciphertext | tag. */
function decrypt(key: KeyObject, sealed: Buffer, aad: Buffer): Buffer {
  const end = sealed.length - tag_length
  const nonce = sealed.subarray(0, nonce_length)
  const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tag_length })
  cipher.setAAD(aad)
  cipher.setAuthTag(sealed.subarray(end))
  const plaintext = cipher.update(sealed.subarray(nonce_length, end))
  try {
    cipher.final()
  } catch {
    throw doesNotOpen()
  }
  return plaintext
}

function macUnder(key: MasterKey, purpose: string, parts: string[]): Buffer {
  let subkey = key.subkeys.get(purpose)
  if (!subkey) {
    subkey = createSecretKey(hmac(key.master, `mac ${purpose}`))
    key.subkeys.set(purpose, subkey)
  }
  return hmac(subkey, frame(parts))
}

// Each part is preceded by its length, so that no two lists of parts give the same bytes.
function frame(parts: string[]): string {
  let framed_text = ''
  for (const part of parts) framed_text += `${Buffer.byteLength(part)}:${part}`
  return framed_text
}

function hmac(key: KeyObject, text: string | Buffer): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function doesNotOpen(): Error {
  return new Error('sealed record does not open')
}
