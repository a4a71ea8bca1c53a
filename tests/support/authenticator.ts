// A software authenticator: makes passkeys and uses them as a browser and its device would, by node:crypto alone.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '../../src/users/passkeys.ts'

export type Authenticator = ReturnType<typeof openAuthenticator>

type Tricks = {
  /** The page that asks, as the browser says it. */
  origin?: string
  /** Whether it found out who touches it. */
  is_verified?: boolean
  challenge?: string
}

const present = 0x01
const verified = 0x04
const attested = 0x40

/** Its passkeys are P-256; `counts` says whether it counts their uses. */
export function openAuthenticator(page_origin: string, { counts = true } = {}) {
  const rp_id = new URL(page_origin).hostname
  const kept = new Map<string, { privateKey: KeyObject; user_handle: string; counter: number }>()

  function dataOf(flags: number, counter: number, more = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(5)
    head[0] = flags
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rp_id), head, more])
  }

  function clientDataOf(type: string, challenge: string, { origin = page_origin }: Tricks): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  return {
    /** The ids of its passkeys, the oldest first. */
    ids: () => [...kept.keys()],
    make({ challenge, user }: PublicKeyCredentialCreationOptionsJSON, tricks: Tricks = {}): RegistrationResponseJSON {
      const id = randomBytes(20)
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const name = id.toString('base64url')
      kept.set(name, { privateKey, user_handle: user.id, counter: 0 })
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseOf(publicKey)])
      const flags = present | attested | (tricks.is_verified === false ? 0 : verified)
      const auth_data = dataOf(flags, 0, credential)
      const attestation = mapOf([
        [textOf('fmt'), textOf('none')],
        [textOf('attStmt'), mapOf([])],
        [textOf('authData'), bytesOf(auth_data)],
      ])
      const client = clientDataOf('webauthn.create', tricks.challenge ?? challenge, tricks)
      return {
        id: name,
        rawId: name,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    /** With one of its passkeys, by default the newest. */
    use(
      { challenge }: PublicKeyCredentialRequestOptionsJSON,
      { id = [...kept.keys()].at(-1)!, ...tricks }: Tricks & { id?: string } = {},
    ): AuthenticationResponseJSON {
      const passkey = kept.get(id)!
      passkey.counter += counts ? 1 : 0
      const flags = present | (tricks.is_verified === false ? 0 : verified)
      const auth_data = dataOf(flags, passkey.counter)
      const client = clientDataOf('webauthn.get', tricks.challenge ?? challenge, tricks)
      const signed = Buffer.concat([auth_data, sha256(client)])
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: auth_data.toString('base64url'),
          signature: sign('sha256', signed, passkey.privateKey).toString('base64url'),
          userHandle: passkey.user_handle,
        },
      }
    },
  }
}

function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A P-256 key as COSE writes it. */
function coseOf(publicKey: KeyObject): Buffer {
  const { x, y } = publicKey.export({ format: 'jwk' })
  const point = (text: string | undefined) => bytesOf(Buffer.from(text!, 'base64url'))
  return mapOf([
    [numberOf(1), numberOf(2)],
    [numberOf(3), numberOf(-7)],
    [numberOf(-1), numberOf(1)],
    [numberOf(-2), point(x)],
    [numberOf(-3), point(y)],
  ])
}

// CBOR, as much as is needed.

function headOf(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

function numberOf(value: number): Buffer {
  return value < 0 ? headOf(1, -1 - value) : headOf(0, value)
}

function bytesOf(bytes: Buffer): Buffer {
  return Buffer.concat([headOf(2, bytes.length), bytes])
}

function textOf(text: string): Buffer {
  return Buffer.concat([headOf(3, Buffer.byteLength(text)), Buffer.from(text)])
}

function mapOf(pairs: [Buffer, Buffer][]): Buffer {
  return Buffer.concat([headOf(5, pairs.length), ...pairs.flat()])
}
