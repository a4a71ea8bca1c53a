// The secrets that sign webhooks, and their signature of a body.

import { createHmac } from 'node:crypto'
import { SignatureError } from './errors.ts'

/** One, or several. An entry that is not set is skipped, so that an old secret can simply be removed after a rotation. */
export type SigningSecrets = string | undefined | readonly (string | undefined)[]

/** The secrets as a list. Throws SignatureError, which does not quote them. */
export function validateSecrets(sent: unknown): string[] {
  const secrets: unknown[] = [sent].flat().filter((each) => each !== undefined)
  if (secrets.length === 0) throw missing()
  return secrets.map(judgeSecret)
}

/** HMAC-SHA-256 of `<t>.<body>`, keyed with the whole secret. */
export function signatureOf(secret: string, t: string, body: Uint8Array | string): Uint8Array {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest()
}

function judgeSecret(secret: unknown): string {
  if (typeof secret !== 'string' || secret === '') throw missing()
  if (secret.trim() !== secret) throw malformed('It has white space around it, perhaps a line break.')
  if (/^rip_[sp]k_/.test(secret)) throw malformed('This is an API key.')
  if (!secret.startsWith('rip_whsec_')) throw malformed('This one lacks the prefix, which is part of the secret.')
  return secret
}

function missing(): SignatureError {
  return malformed('There is none. Is its environment variable set?')
}

function malformed(fault: string): SignatureError {
  return new SignatureError(
    'secret_malformed',
    `The signing secret is the endpoint's signing_secret, rip_whsec_…, from the answer that created it. ${fault}`,
  )
}
