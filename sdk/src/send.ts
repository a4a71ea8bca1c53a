// A call: its arguments are checked, then it is sent, and sent again under the same key while that may help.

import { randomUUID } from 'node:crypto'
import { bodyOf, requestId } from './answer.ts'
import { attempt, endedBySignal, type HttpRequest } from './attempt.ts'
import { AbortError, UsageError } from './errors.ts'
import { validateOptionNames } from './option-names.ts'
import { pause } from './pause.ts'
import { delayBeforeRetry } from './retry.ts'
import {
  type Limits,
  type RipperOptions,
  validateBaseUrl,
  validateFunctions,
  validateIdempotencyKey,
  validateLimits,
  validateSecretKey,
  validateSignal,
} from './settings.ts'

/** For every call. */
export type CallOptions = {
  /** Ends the call and the waiting between its tries; it then throws AbortError. */
  signal?: AbortSignal
  timeout_ms?: number
  retries_max?: number
}

/** For calls that change something. */
export type WriteOptions = CallOptions & {
  /**
   * The service recognises a repetition by this key, for 30 days. Give the same key for the same order, and the service does it
   * once. If you give none, each call makes its own, which covers only the tries of that call.
   */
  idempotency_key?: string
}

export type Call = {
  method: HttpRequest['method']
  /** Below the base address, already encoded. */
  path: string
  query?: object
  body?: object
}

export type Send = <Reply>(call: Call, options?: WriteOptions) => Promise<Reply>

/** What an answer has besides its body. */
export type AnswerMeta = {
  status: number
  request_id: string | null
  headers: Headers
  /** The key that the request was sent with; null for a read. */
  idempotency_key: string | null
  /** Whether the service had already done this, under the same key. */
  replayed: boolean
}

const metas = new WeakMap<object, AnswerMeta>()

/** What came with an answer, such as its request id; undefined for an object that no call returned. */
export function answerMeta(answer: object): AnswerMeta | undefined {
  return metas.get(answer)
}

const client_options = ['base_url', 'timeout_ms', 'retries_max', 'fetch', 'sleep']
const call_options = ['idempotency_key', 'signal', 'timeout_ms', 'retries_max']

const defaults: Limits = { timeout_ms: 30_000, retries_max: 2 }

/** Makes the function that sends calls. It alone holds the key. Throws UsageError. */
export function openSender(secretKey: unknown, options: RipperOptions): Send {
  const secret_key = validateSecretKey(secretKey)
  if (typeof options === 'object' && options !== null) validateOptionNames(options, client_options)
  const base_url = validateBaseUrl(options?.base_url)
  const usual = validateLimits(options, defaults)
  validateFunctions(options)
  const { fetch = globalThis.fetch, sleep = pause } = options
  const redact = (text: string) => text.replaceAll(secret_key, 'rip_sk_…')

  function sentOf({ method, path, query, body }: Call, key: string | undefined): HttpRequest {
    const idempotency_key = method === 'GET' ? null : key === undefined ? randomUUID() : validateIdempotencyKey(key)
    return {
      method,
      idempotency_key,
      url: `${base_url}${path}${queryText(query)}`,
      headers: {
        accept: 'application/json',
        'user-agent': '@ripper/node',
        'x-service-api-key': secret_key,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotency_key !== null && { 'rip-idempotency-key': idempotency_key }),
      },
      body: body && written(body),
    }
  }

  async function trial<Reply>(sent: HttpRequest, timeout_ms: number, signal?: AbortSignal) {
    const answer = await attempt(sent, { fetch, timeout_ms, signal, redact })
    const { idempotency_key } = sent
    const is_empty = sent.method === 'DELETE'
    const body = bodyOf(answer, { idempotency_key, is_empty, now: new Date() })
    if (body !== undefined) {
      const { status, headers } = answer
      const replayed = headers.get('rip-idempotent-replayed') === 'true'
      const request_id = requestId(headers)
      metas.set(body as object, { status, headers, request_id, idempotency_key, replayed })
    }
    return body as Reply
  }

  return async <Reply>(call: Call, asked: WriteOptions = {}): Promise<Reply> => {
    validateOptionNames(asked, call_options)
    const { timeout_ms, retries_max } = validateLimits(asked, usual)
    const signal = validateSignal(asked.signal)
    const sent = sentOf(call, asked.idempotency_key)
    const key_is_own = asked.idempotency_key === undefined
    if (signal?.aborted) {
      throw new AbortError('The call was aborted before anything was sent.', null, signal.reason)
    }
    for (let tries = 1; ; tries++) {
      try {
        return await trial<Reply>(sent, timeout_ms, signal)
      } catch (error) {
        const chance = Math.random()
        const wait_ms = delayBeforeRetry(error, { tries, retries_max, chance, key_is_own })
        if (wait_ms === null) throw error
        try {
          await sleep(wait_ms, signal)
        } catch (thrown) {
          if (!signal?.aborted) throw thrown
        }
        if (signal?.aborted) throw endedBySignal(sent, signal.reason)
      }
    }
  }
}

function written(body: object): string {
  let text: string | undefined
  try {
    text = JSON.stringify(body)
  } catch {
    // The message of that error would quote the body.
  }
  if (text !== undefined) return text
  throw new UsageError('The body cannot be written as JSON: it contains itself, or a BigInt.')
}

function queryText(query: object = {}): string {
  if (typeof query !== 'object' || query === null) {
    throw new UsageError('The query must be an object.')
  }
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw new UsageError(`${name} must be a text or a number.`)
    }
    given.append(name, String(value))
  }
  return given.size === 0 ? '' : `?${given}`
}
