// Turns an answer into its body or into an error. It knows every shape in which the API refuses.

import type { ErrorCode } from './api-types.ts'
import { type AnswerFault, ApiError } from './errors.ts'
import { retryAfterSeconds } from './retry.ts'

/** An answer whose body has been read. `text` is null if the body was too large. */
export type TextResponse = { status: number; headers: Headers; text: string | null }

type RequestInfo = { idempotency_key: string | null; is_empty: boolean; now: Date }

/** The body of a success; undefined if the answer is meant to be empty, as after a deletion. Throws ApiError. */
export function bodyOf(answer: TextResponse, asked: RequestInfo): unknown {
  const { status, text } = answer
  const body = text === null ? undefined : parsed(text)
  if (status >= 200 && status < 300) {
    if (status === 204 && asked.is_empty) return undefined
    if (body !== undefined) return body
  }
  throw apiError(answer, body, asked)
}

/** Whether only the beginning of a success came, because a proxy died on the way. */
export function isCutOff({ status, text }: TextResponse): boolean {
  const is_success = status >= 200 && status < 300
  return is_success && text !== null && /^\s*\{/.test(text) && parsed(text) === undefined
}

function apiError(answer: TextResponse, body: object | undefined, asked: RequestInfo): ApiError {
  const { status, headers } = answer
  const named = requestId(headers) ?? textOf(body, 'request_id')
  const refusal = answer.text === null ? tooLarge(status) : refusalOf(answer, body)
  return new ApiError(refusal, {
    status,
    headers,
    request_id: named,
    idempotency_key: asked.idempotency_key,
    retry_after_seconds: retryAfterSeconds(headers.get('retry-after'), asked.now),
  })
}

export function requestId(headers: Headers): string | null {
  return headers.get('rip-request-id')
}

type RefusalRead = {
  code: ErrorCode | AnswerFault
  message: string
  allowed?: readonly string[] | null
}

/**
 * Refusals come as `{error, message, request_id}`, `{error, message, allowed}`, `{error, message}`, `{error}` or `{code}`. The
 * gateway's limit refuses in plain text.
 */
function refusalOf({ status, text }: TextResponse, body: object | undefined): RefusalRead {
  if (status >= 400) {
    const code = textOf(body, 'error') ?? textOf(body, 'code')
    if (code !== null) {
      const message = textOf(body, 'message') ?? `The service refused: ${code}.`
      return { code: code as ErrorCode, message, allowed: textsOf(body, 'allowed') }
    }
    if (status === 429) {
      return { code: 'rate_limit_exceeded', message: shortened(text) || 'Too many requests.' }
    }
  }
  return { code: 'unexpected_response', message: strangeness(status) }
}

function strangeness(status: number): string {
  if (status === 0 || (status >= 300 && status < 400)) {
    return 'The answer is a redirect. It was not followed, because the key would go with it. Make base_url the address that it leads to.'
  }
  return `The answer (status ${status}) does not come from this API. Is base_url right? Is a proxy in between?`
}

function tooLarge(status: number): RefusalRead {
  return { code: 'response_too_large', message: `The answer (status ${status}) is too large.` }
}

/** JSON that is an object, as every body of this API is. */
function parsed(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : undefined
  } catch {
    return undefined
  }
}

function textOf(body: object | undefined, name: string): string | null {
  const value = (body as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? value : null
}

function textsOf(body: object | undefined, name: string): readonly string[] | null {
  const value = (body as Record<string, unknown> | undefined)?.[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null
}

function shortened(text: string | null): string {
  return (text ?? '').trim().slice(0, 200)
}
