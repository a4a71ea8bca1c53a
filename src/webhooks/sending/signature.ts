// The signature of a delivery: fresh for each attempt, over the bytes that are sent.

import { createHmac } from 'node:crypto'
import { standardKeyOf } from '../endpoint.ts'

/**
 * `t=<unix seconds>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed with a whole signing secret. While a rotation overlaps
 * there are two secrets and so two `v1`.
 */
export function signatureOf(body: string, secrets: readonly string[], at: Date): string {
  const t = Math.floor(at.getTime() / 1000)
  const hex = (secret: string) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return [`t=${t}`, ...secrets.map((secret) => `v1=${hex(secret)}`)].join(',')
}

/** `v1,<base64>` for each secret, with a space between: HMAC-SHA-256 over `<id>.<unix seconds>.<body>`. */
export function standardSignatureOf(content: string, signing_secrets: readonly string[]): string {
  const base64 = (secret: string) => createHmac('sha256', standardKeyOf(secret)).update(content).digest('base64')
  return signing_secrets.map((secret) => `v1,${base64(secret)}`).join(' ')
}
