// One try of a request: sent once, answered whole or not at all, within its time.

import { isCutOff, type ReadAnswer } from './answer.ts'
import { AbortError, ConnectionError, TimeoutError } from './errors.ts'

export type Sent = {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
  body: string | undefined
  idempotency_key: string | null
}

type Means = {
  fetch: typeof globalThis.fetch
  timeout_ms: number
  signal: AbortSignal | undefined
  /** Takes what nobody may read out of a text. */
  redact: (text: string) => string
}

export const answer_max_bytes = 8 * 1024 * 1024

/** Throws TimeoutError, ConnectionError or AbortError. The signal is not aborted yet. */
export async function attempt(sent: Sent, means: Means): Promise<ReadAnswer> {
  const { timeout_ms, signal } = means
  // Of its own, and not AbortSignal.any: that one keeps listeners on a signal that lives as long as a server.
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
    // Raced, since a fetch that was handed in may not listen to signals.
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
  { method, url, headers, body }: Sent,
  { fetch }: Means,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  // A redirect would take the key wherever it leads.
  const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' })
  const { status, headers: told } = response
  const answer = { status, headers: told, text: await readText(response) }
  if (isCutOff(answer)) throw new Error('its body ends too early')
  return answer
}

/** Null where it is larger than any answer of the API. */
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

function lateness(sent: Sent, timeout_ms: number): TimeoutError {
  return new TimeoutError(
    `${failed(sent)} within ${timeout_ms} ms. ${advice(sent)}`,
    sent.idempotency_key,
  )
}

/** Of a call whose request was sent, once at least. */
export function endedBySignal(sent: Sent, reason: unknown): AbortError {
  const message = `The call was aborted. ${failed(sent)}. ${advice(sent)}`
  return new AbortError(message, sent.idempotency_key, reason)
}

function failed({ method, url }: Sent): string {
  return `No whole answer came to ${method} ${new URL(url).pathname}`
}

/** What to do: nothing is known of a write, whether it was done or not. */
function advice({ idempotency_key }: Sent): string {
  if (idempotency_key === null) return 'It was a read: it can be sent again.'
  return 'Whether it was done is unknown: send it again with the same idempotency_key, which this error carries, so that it is done once.'
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
  // It may end after the race is over.
  promise.catch(() => {})
  return { promise, reject }
}
