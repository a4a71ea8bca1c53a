// Finds the header that signs a webhook, in any kind of headers, and reads it.

import { SignatureError } from './errors.ts'

/** All headers, or the value of Rip-Signature alone. */
export type WebhookHeaders =
  | string
  | Headers
  | ReadonlyMap<string, string | readonly string[]>
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type SignatureHeader = {
  /** Unix seconds, as text, because the text is what is signed. */
  t: string
  signatures: Uint8Array[]
}

/** Throws SignatureError if there is no such header, or more than one. */
export function readSignatureHeader(headers: unknown): SignatureHeader {
  const values = new Set(valuesOf(headers))
  const [value, another] = values
  if (value === undefined || value.trim() === '') throw missing(headers)
  // Headers joins copies of a header with a comma.
  if (another !== undefined || /,\s*t=/.test(value)) {
    throw new SignatureError(
      'header_repeated',
      'There is more than one Rip-Signature. A webhook has one. If a proxy added another, neither can be trusted.',
    )
  }
  const parts = value.split(',').map((part) => part.trim())
  const t = /^t=(\d{1,12})$/.exec(parts[0]!)?.[1]
  const signatures = parts
    .slice(1)
    .flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? [])
    .map((hex) => Buffer.from(hex, 'hex'))
  if (t === undefined || signatures.length === 0) {
    throw new SignatureError(
      'header_malformed',
      'Rip-Signature must read t=<unix seconds>,v1=<64 hexadecimal digits>. Pass it as it came.',
    )
  }
  return { t, signatures }
}

function valuesOf(headers: unknown): string[] {
  if (typeof headers === 'string') return [headers]
  if (typeof headers !== 'object' || headers === null) return []
  const entries: Iterable<unknown> =
    Symbol.iterator in headers ? (headers as Iterable<unknown>) : Object.entries(headers as Record<string, unknown>)
  return [...entries].flatMap((entry) => {
    const [name, value] = Array.isArray(entry) ? entry : []
    if (typeof name !== 'string' || name.toLowerCase() !== 'rip-signature') return []
    return [value].flat().filter((each): each is string => typeof each === 'string')
  })
}

function missing(headers: unknown): SignatureError {
  const hint =
    typeof headers === 'object' && headers !== null
      ? 'Pass all headers of the request, such as req.headers. If they are all there, the request did not come from Ripper Checkout, or a proxy removed the header.'
      : `Pass the request's headers, or the value of this header; this is ${headers === null ? 'null' : typeof headers}.`
  return new SignatureError('header_missing', `There is no Rip-Signature. ${hint}`)
}
