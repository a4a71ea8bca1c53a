// The bytes of a webhook's body, however a framework passes them on.

import { SignatureError } from './errors.ts'

/** A string stands for its UTF-8 bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** Throws SignatureError if it is not the body as it came. */
export function bytesOf(rawBody: unknown): Uint8Array {
  if (rawBody === undefined || rawBody === null) throw missing()
  if (typeof rawBody === 'string') {
    if (rawBody === '[object Object]') throw parsedBefore('an object that was made into text')
    return present(Buffer.from(rawBody))
  }
  if (ArrayBuffer.isView(rawBody)) {
    return present(new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength))
  }
  // Not instanceof, because the buffer may come from another realm.
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') {
    return present(new Uint8Array(rawBody as ArrayBuffer))
  }
  if (typeof (rawBody as { then?: unknown }).then === 'function') {
    throw new SignatureError('body_missing', 'The body is a promise: await it first.')
  }
  if (isStream(rawBody)) {
    throw new SignatureError(
      'body_missing',
      'The body is a request or a stream: read it first, with `await request.text()` or express.raw().',
    )
  }
  throw parsedBefore(typeof rawBody === 'object' ? 'an object' : `a ${typeof rawBody}`)
}

function present(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength === 0) throw missing()
  return bytes
}

function isStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return 'getReader' in value || 'pipe' in value || 'arrayBuffer' in value
}

function missing(): SignatureError {
  return new SignatureError(
    'body_missing',
    "There is no body. In Express, put express.raw({ type: 'application/json' }) before this route, and let nothing else read the request.",
  )
}

function parsedBefore(what: string): SignatureError {
  return new SignatureError(
    'body_parsed',
    `The body has already been parsed: it is ${what}. The signature covers the bytes as they came. In Express use express.raw({ type: 'application/json' }) on this route and register it before express.json(); in Next.js, Hono or Deno give \`await request.text()\`; in Fastify add a content type parser with parseAs: 'buffer'.`,
  )
}
