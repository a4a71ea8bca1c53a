// A call: judged, sent, and sent again under the same key while that may help.

import { randomUUID } from 'node:crypto'
import { bodyOf, requestId } from './answer.ts'
import { attempt, type Sent } from './attempt.ts'
import { pause } from './pause.ts'
import { delayBeforeRetry } from './retry.ts'
import {
  judgeBaseUrl,
  judgeIdempotencyKey,
  judgeLimits,
  judgeSecretKey,
  type Limits,
  type RipperOptions,
} from './settings.ts'

/** For every call. */
export type CallOptions = {
  /** Ends the call and the waiting between its tries; it then throws the signal's reason. */
  signal?: AbortSignal
  timeout_ms?: number
  retries_max?: number
}

/** For calls that change something. */
export type WriteOptions = CallOptions & {
  /**
   * What recognises a repetition, for 30 days: give the same for the same order, and it is done once. Without one each call
   * has its own, which covers the tries of that call alone.
   */
  idempotency_key?: string
}

export type Call = {
  method: Sent['method']
  /** Below the base address, as it goes out. */
  path: string
  query?: object
  body?: object
}

export type Send = <Reply>(call: Call, options?: WriteOptions) => Promise<Reply>

/** What is known of an answer besides its body. */
export type AnswerMeta = {
  status: number
  request_id: string | null
  headers: Headers
  /** What the request was sent with; null for a read. */
  idempotency_key: string | null
  /** Whether the service had done this before, under the same key. */
  replayed: boolean
}

const metas = new WeakMap<object, AnswerMeta>()

/** What came with an answer, such as its request id; undefined for what is no answer. */
export function answerMeta(answer: object): AnswerMeta | undefined {
  return metas.get(answer)
}

const defaults: Limits = { timeout_ms: 30_000, retries_max: 2 }

/** The key stays in here. Throws UsageError. */
export function openSender(secretKey: unknown, options: RipperOptions): Send {
  const secret_key = judgeSecretKey(secretKey)
  const base_url = judgeBaseUrl(options?.base_url)
  const usual = judgeLimits(options, defaults)
  const { fetch = globalThis.fetch, sleep = pause } = options
  const redact = (text: string) => text.replaceAll(secret_key, 'rip_sk_…')

  function sentOf({ method, path, query, body }: Call, key: string | undefined): Sent {
    const idempotency_key =
      method === 'GET' ? null : key === undefined ? randomUUID() : judgeIdempotencyKey(key)
    return {
      ...{ method, idempotency_key, url: `${base_url}${path}${queryText(query)}` },
      headers: {
        accept: 'application/json',
        'user-agent': '@ripper/node',
        'x-service-api-key': secret_key,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotency_key !== null && { 'rip-idempotency-key': idempotency_key }),
      },
      body: body && JSON.stringify(body),
    }
  }

  async function trial<Reply>(sent: Sent, timeout_ms: number, signal?: AbortSignal) {
    const answer = await attempt(sent, { fetch, timeout_ms, signal, redact })
    const { idempotency_key } = sent
    const body = bodyOf(answer, { idempotency_key, now: new Date() })
    if (body !== undefined) {
      const { status, headers } = answer
      const replayed = headers.get('rip-idempotent-replayed') === 'true'
      const request_id = requestId(headers)
      metas.set(body as object, { status, headers, request_id, idempotency_key, replayed })
    }
    return body as Reply
  }

  return async <Reply>(call: Call, asked: WriteOptions = {}): Promise<Reply> => {
    const { timeout_ms, retries_max } = judgeLimits(asked, usual)
    const sent = sentOf(call, asked.idempotency_key)
    for (let tries = 1; ; tries++) {
      try {
        return await trial<Reply>(sent, timeout_ms, asked.signal)
      } catch (error) {
        const wait_ms = delayBeforeRetry(error, { tries, retries_max, chance: Math.random() })
        if (wait_ms === null) throw error
        await sleep(wait_ms, asked.signal)
      }
    }
  }
}

function queryText(query: object = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.append(name, String(value))
  }
  return given.size === 0 ? '' : `?${given}`
}
