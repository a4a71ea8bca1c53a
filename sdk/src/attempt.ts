// One try of a request: it is sent once, and gives a complete answer within its time, or an error.

import { isCutOff, type TextResponse } from './answer.ts'
import { AbortError, ConnectionError, TimeoutError } from './errors.ts'

export type HttpRequest = {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
  body: string | undefined
  idempotency_key: string | null
}

type Transport = {
  fetch: typeof globalThis.fetch
  timeout_ms: number
  signal: AbortSignal | undefined
  /** Removes secrets from a text. */
  redact: (text: string) => string
}

export const answer_max_bytes = 8 * 1024 * 1024

/** The signal must not be aborted yet. Throws TimeoutError, ConnectionError or AbortError. */
export async function attempt(sent: HttpRequest, means: Transport): Promise<TextResponse> {
  const { timeout_ms, signal } = means
  // Not AbortSignal.any: it would leave listeners on a signal that may live as long as the server.
  const limit = new AbortController()
  const { promise: ended, reject: end } = rejection()
  const stop = (reason: unknown) => {
    limit.abort(reason)
    end(reason)
  }
  const onAbort = () => stop(endedBySignal(sent, signal!.reason))
  const timer = setTimeout(() => stop(lateness(sent, timeout_ms)), timeout_ms)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    // A race, because the caller's own fetch may ignore signals.
    return await Promise.race([exchange(sent, means, limit.signal), ended])
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason
    throw new ConnectionError(
      `${failed(sent)} (${means.redact(reasonOf(error))}). ${advice(sent)}`,
      sent.idempotency_key,
    )
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    limit.abort()
  }
}

async function exchange(
  { method, url, headers, body }: HttpRequest,
  { fetch }: Transport,
  signal: AbortSignal,
): Promise<TextResponse> {
  // Following a redirect would send the key to wherever it leads.
  const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' })
  const { status, headers: told } = response
  const answer = { status, headers: told, text: await readText(response) }
  if (isCutOff(answer)) throw new Error('its body ends too early')
  return answer
}

/** Null if it is larger than any answer of the API. */
async function readText(response: Response): Promise<string | null> {
  if (response.body === null) return ''
  const parts: Uint8Array[] = []
  let length = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new TextDecoder().decode(Buffer.concat(parts))
    length += value.byteLength
    if (length > answer_max_bytes) {
      await reader.cancel()
      return null
    }
    parts.push(value)
  }
}

function lateness(sent: HttpRequest, timeout_ms: number): TimeoutError {
  return new TimeoutError(`${failed(sent)} within ${timeout_ms} ms. ${advice(sent)}`, sent.idempotency_key)
}

/** The error of a call that its signal ended after its request was sent at least once. */
export function endedBySignal(sent: HttpRequest, reason: unknown): AbortError {
  const message = `The call was aborted. ${failed(sent)}. ${advice(sent)}`
  return new AbortError(message, sent.idempotency_key, reason)
}

function failed({ method, url }: HttpRequest): string {
  return `No complete answer came to ${method} ${new URL(url).pathname}`
}

/** What to do now. Nobody knows whether a write was done. */
function advice({ idempotency_key }: HttpRequest): string {
  if (idempotency_key === null) return 'It was a read: it can be sent again.'
  return 'Its outcome is unknown. Send it again with the same idempotency_key, which this error carries: the service does it once.'
}

/** The innermost reason: fetch says only that it failed. */
function reasonOf(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  if (!(inner instanceof Error)) return 'for a reason that is no error'
  const { code } = inner as { code?: unknown }
  const words = inner.message || inner.name
  return typeof code === 'string' && !words.includes(code) ? `${words}, ${code}` : words
}

function rejection(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, no) => {
    reject = no
  })
  // It may reject after the race is over.
  promise.catch(() => {})
  return { promise, reject }
}
