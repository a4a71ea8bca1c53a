// Verifies that this service signed a webhook, with this body, not long ago.

import { timingSafeEqual } from 'node:crypto'
import type { WebhookEvent } from './api-types.ts'
import { SignatureError, UsageError } from './errors.ts'
import { validateOptionNames } from './option-names.ts'
import { bytesOf, type RawBody } from './raw-body.ts'
import { readSignatureHeader, type WebhookHeaders } from './signature-header.ts'
import { type SigningSecrets, signatureOf, validateSecrets } from './signing-secret.ts'

export type VerifyOptions = {
  /** How many seconds the signature's time may differ from now, either way; 300 by default. */
  tolerance?: number
  /** Used instead of the clock. */
  now?: Date
}

/**
 * Returns the event of a webhook, typed by its `type`. Takes the body as it came, before anything parsed it, and the endpoint's
 * signing secret, or several while one is being rotated. Throws SignatureError, whose message names the usual mistake.
 */
export function verifyWebhook(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: SigningSecrets,
  options: VerifyOptions = {},
): WebhookEvent {
  validateOptionNames(options, ['tolerance', 'now'])
  const { tolerance = 300, now = new Date() } = options
  const secrets = validateSecrets(secret)
  judgeOptions(tolerance, now)
  const body = bytesOf(rawBody)
  const { t, signatures } = readSignatureHeader(headers)
  if (!matches(signatures, secrets, t, body)) {
    throw isSignedAsCompact(signatures, secrets, t, body) ? changed() : mismatch(secrets)
  }
  judgeTime(Number(t), now.getTime() / 1000, tolerance)
  const event = parsed(body)
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    throw new SignatureError('body_not_json', 'The signature is right, but the body is not a JSON object.')
  }
  return event as WebhookEvent
}

/** Makes a Rip-Signature for tests of a receiver. Several secrets sign as in a rotation. `at` is now by default. */
export function generateTestHeader(signed: { body: RawBody; secret: SigningSecrets; at?: Date }): string {
  validateOptionNames(signed, ['body', 'secret', 'at'])
  const { at = new Date() } = signed
  const secrets = validateSecrets(signed.secret)
  const body = bytesOf(signed.body)
  judgeDate('at', at)
  const t = String(Math.floor(at.getTime() / 1000))
  return [`t=${t}`, ...secrets.map((each) => `v1=${Buffer.from(signatureOf(each, t, body)).toString('hex')}`)].join(',')
}

/** Compares every pair, even after one has matched, so that the time it takes reveals nothing. */
function matches(
  signatures: readonly Uint8Array[],
  secrets: readonly string[],
  t: string,
  body: Uint8Array | string,
): boolean {
  const expected = secrets.map((secret) => signatureOf(secret, t, body))
  return expected.flatMap((own) => signatures.map((sent) => timingSafeEqual(own, sent))).includes(true)
}

/** The service sends bodies without white space. If only the compact form matches, somebody parsed the body and wrote it anew. */
function isSignedAsCompact(
  signatures: readonly Uint8Array[],
  secrets: readonly string[],
  t: string,
  body: Uint8Array,
): boolean {
  const json = parsed(body)
  return json !== undefined && matches(signatures, secrets, t, JSON.stringify(json))
}

function judgeOptions(tolerance: number, now: Date): void {
  if (!Number.isFinite(tolerance) || tolerance <= 0) {
    throw new UsageError('tolerance must be a number of seconds above 0.')
  }
  judgeDate('now', now)
}

function judgeDate(name: string, date: unknown): void {
  if (date instanceof Date && !Number.isNaN(date.getTime())) return
  throw new UsageError(`${name} must be a Date.`)
}

function judgeTime(t_seconds: number, now_seconds: number, tolerance_seconds: number): void {
  const age_seconds = now_seconds - t_seconds
  if (Math.abs(age_seconds) <= tolerance_seconds) return
  const far = `${Math.ceil(Math.abs(age_seconds))} s`
  const usual = `${tolerance_seconds} s are tolerated`
  if (age_seconds > 0) {
    throw new SignatureError(
      'timestamp_too_old',
      `The webhook was signed ${far} ago; ${usual}. Every attempt has a new signature. Did somebody send an old request again, or is this machine's clock ahead?`,
    )
  }
  throw new SignatureError(
    'timestamp_in_future',
    `The webhook was signed ${far} from now; ${usual}. Is this machine's clock behind?`,
  )
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

function mismatch(secrets: readonly string[]): SignatureError {
  const which = secrets.length === 1 ? 'the secret' : `any of the ${secrets.length} secrets`
  return new SignatureError(
    'signature_mismatch',
    `The signature does not match ${which}. Usually the secret is another endpoint's, or it was rotated. Otherwise the body is not byte for byte what came.`,
  )
}

function changed(): SignatureError {
  return new SignatureError(
    'body_changed',
    'The body was parsed and written anew, with other white space. Pass the bytes as they came, not JSON.stringify of the parsed body.',
  )
}
