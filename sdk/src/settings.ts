// The arguments of a client and of its calls, checked before anything is sent.

import { UsageError } from './errors.ts'

export type RipperOptions = {
  /** The address of the service, such as `https://pay.example.com`, without `/v1`. */
  base_url: string | undefined
  /** For each try, including the body of its answer; 30,000 by default. */
  timeout_ms?: number
  /** How often a call is tried again; 2 by default, 0 for never. */
  retries_max?: number
  /** Used instead of the global one. */
  fetch?: typeof globalThis.fetch
  /** For tests: waits between two tries, instead of a timer. */
  sleep?: (duration_ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export type Limits = { timeout_ms: number; retries_max: number }

const timeout_max = 2_147_483_647

/** The address without the slash at its end. Throws UsageError, which does not quote it. */
export function validateBaseUrl(base_url: unknown): string {
  const example = 'such as https://pay.example.com'
  if (typeof base_url !== 'string' || base_url === '') {
    throw new UsageError(`base_url is required: where your Ripper Checkout is, ${example}.`)
  }
  const url = URL.canParse(base_url) ? new URL(base_url) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`base_url must be an absolute http or https address, ${example}.`)
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new UsageError('base_url must have no user information, query or fragment.')
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (/\/v1$/.test(path)) throw new UsageError('base_url must not end with /v1, which is added.')
  return url.origin + path
}

/** Throws UsageError, which does not quote the key. */
export function validateSecretKey(secretKey: unknown): string {
  if (typeof secretKey !== 'string' || secretKey === '') {
    throw new UsageError('There is no secret key. Is its environment variable set?')
  }
  if (secretKey.trim() !== secretKey) {
    throw new UsageError('The secret key has white space around it, perhaps a line break.')
  }
  if (secretKey.startsWith('rip_pk_')) {
    throw new UsageError('This is a publishable key. A server needs the secret key: rip_sk_….')
  }
  if (secretKey.startsWith('rip_whsec_')) {
    throw new UsageError('This is a signing secret of webhooks. Calls need the secret key: rip_sk_….')
  }
  if (!/^rip_sk_[0-9A-Za-z]+$/.test(secretKey)) {
    throw new UsageError('The secret key must be rip_sk_ followed by letters and digits.')
  }
  return secretKey
}

/** The limits of a call, or of a client; `defaults` fill what is missing. Throws UsageError. */
export function validateLimits(asked: Partial<Limits>, defaults: Limits): Limits {
  const { timeout_ms = defaults.timeout_ms, retries_max = defaults.retries_max } = asked
  if (!Number.isInteger(timeout_ms) || timeout_ms < 1 || timeout_ms > timeout_max) {
    throw new UsageError(`timeout_ms must be a whole number from 1 to ${timeout_max}.`)
  }
  if (!Number.isInteger(retries_max) || retries_max < 0 || retries_max > 10) {
    throw new UsageError('retries_max must be a whole number from 0 to 10.')
  }
  return { timeout_ms, retries_max }
}

/** Throws UsageError. */
export function validateFunctions(options: RipperOptions): void {
  for (const name of ['fetch', 'sleep'] as const) {
    if (options[name] === undefined || typeof options[name] === 'function') continue
    throw new UsageError(`${name} must be a function.`)
  }
}

/** Checks for what a signal can do, because it may come from another realm. Throws UsageError. */
export function validateSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal === null) return undefined
  const { aborted, addEventListener } = signal as Partial<AbortSignal>
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') {
    return signal as AbortSignal
  }
  throw new UsageError('signal must be an AbortSignal, such as the signal of an AbortController.')
}

/** Throws UsageError. */
export function validateIdempotencyKey(key: unknown): string {
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key) || key.trim() !== key) {
    throw new UsageError(
      'idempotency_key must be 1 to 255 printable ASCII characters, without white space around them.',
    )
  }
  return key
}

const ids = {
  session: { shape: /^cs_[0-9A-Za-z]+$/, words: 'a session id, cs_…' },
  payment: { shape: /^pay_[0-9A-Za-z]+$/, words: 'a payment id, pay_…' },
  refund: { shape: /^ref_[0-9A-Za-z]+$/, words: 'a refund id, ref_…' },
  payment_link: { shape: /^plink_[0-9A-Za-z]+$/, words: 'a payment link id, plink_…' },
  dispute: { shape: /^dsp_[0-9A-Za-z]+$/, words: 'a dispute id, dsp_…' },
  endpoint: { shape: /^whep_[0-9A-Za-z]+$/, words: 'a webhook endpoint id, whep_…' },
  delivery: { shape: /^[0-9a-f]{32}$/, words: 'a delivery id, 32 hexadecimal digits' },
}

/** Returns an id for a path, which must never contain a client secret. Throws UsageError. */
export function validateId(kind: keyof typeof ids, id: unknown): string {
  const { shape, words } = ids[kind]
  if (typeof id === 'string' && shape.test(id)) return id
  const hint =
    typeof id === 'string' && id.includes('_secret_')
      ? ' This is a client secret. It must never be part of an address.'
      : typeof id === 'object' && id !== null
        ? ' This is an object: pass its id.'
        : ''
  throw new UsageError(`The argument must be ${words}.${hint}`)
}
