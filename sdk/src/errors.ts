// The errors that this package throws: no answer, a refusal, a webhook that cannot be trusted, a wrong call.

import type { ErrorCode } from './api-types.ts'

/** The base class of everything that this package throws. Branch on `code`, never on `message`. */
export class RipperError extends Error {
  readonly code: string
  /** Of the answer; null if there was none. */
  readonly status: number | null
  /** Quote it to the people who run the service; null if it is not known. */
  readonly request_id: string | null
  // Private, so that they do not fill the logs of an error.
  readonly #headers: Headers | null

  static {
    RipperError.prototype.name = 'RipperError'
  }

  constructor(code: string, message: string, answer: Partial<ResponseHead> = {}) {
    super(message)
    this.code = code
    this.status = answer.status ?? null
    this.request_id = answer.request_id ?? null
    this.#headers = answer.headers ?? null
  }

  /** Of the answer; null if there was none. */
  get headers(): Headers | null {
    return this.#headers
  }

  toJSON(): object {
    return Object.assign({ name: this.name, message: this.message }, this)
  }
}

/** What is known of an answer before its body is looked at. */
export type ResponseHead = { status: number; request_id: string | null; headers: Headers }

/** What is wrong with an answer that this API did not give. */
export type AnswerFault = 'unexpected_response' | 'response_too_large'

/**
 * The service refused the request. A refused create has created nothing, unless the status is 500 or above. In that case call again
 * with the same `idempotency_key`.
 */
export class ApiError extends RipperError {
  declare readonly code: ErrorCode | AnswerFault
  declare readonly status: number
  /** The JSON path of what is at fault in the request; null if nothing is. */
  readonly field: string | null
  /** The event types that exist, if `code` is `unknown_event_type`. */
  readonly allowed: readonly string[] | null
  /** How long the answer asks to wait; null if it does not. */
  readonly retry_after_seconds: number | null
  /** The key that the request was sent with; null for a read. */
  readonly idempotency_key: string | null

  static {
    ApiError.prototype.name = 'ApiError'
  }

  constructor(
    refusal: { code: ErrorCode | AnswerFault; message: string; allowed?: readonly string[] | null },
    answer: ResponseHead & { retry_after_seconds: number | null; idempotency_key: string | null },
  ) {
    super(refusal.code, refusal.message, answer)
    this.field = answer.headers.get('rip-error-field')
    this.allowed = refusal.allowed ?? null
    this.retry_after_seconds = answer.retry_after_seconds
    this.idempotency_key = answer.idempotency_key
  }
}

/**
 * No answer came, or only a part of one. The outcome of the request is unknown. Call again with the same `idempotency_key`: the
 * service does what you ask once, however often you send it.
 */
export class ConnectionError extends RipperError {
  declare readonly code: 'connection_failed' | 'timeout'
  readonly idempotency_key: string | null

  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }

  constructor(message: string, idempotency_key: string | null, code = 'connection_failed') {
    super(code, message)
    this.idempotency_key = idempotency_key
  }
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  declare readonly code: 'timeout'

  static {
    TimeoutError.prototype.name = 'TimeoutError'
  }

  constructor(message: string, idempotency_key: string | null) {
    super(message, idempotency_key, 'timeout')
  }
}

/**
 * The call's signal ended it; `cause` is the signal's reason. If something had been sent, its outcome is unknown, as after a
 * ConnectionError.
 */
export class AbortError extends RipperError {
  declare readonly code: 'aborted'
  declare readonly cause: unknown
  /** The key that the request was sent with; null for a read, and if nothing was sent. */
  readonly idempotency_key: string | null

  static {
    AbortError.prototype.name = 'AbortError'
  }

  constructor(message: string, idempotency_key: string | null, reason: unknown) {
    super('aborted', message)
    this.idempotency_key = idempotency_key
    // Not enumerable, as in other errors: JSON.stringify could fail on an arbitrary reason.
    Object.defineProperty(this, 'cause', { value: reason, configurable: true, writable: true })
  }
}

/** An argument is wrong. Nothing was sent. */
export class UsageError extends RipperError {
  declare readonly code: 'wrong_usage'

  static {
    UsageError.prototype.name = 'UsageError'
  }

  constructor(message: string) {
    super('wrong_usage', message)
  }
}

/** What can be wrong with a webhook. */
export type SignatureFault =
  | 'body_missing'
  | 'body_parsed'
  | 'body_changed'
  | 'body_not_json'
  | 'header_missing'
  | 'header_repeated'
  | 'header_malformed'
  | 'secret_malformed'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_in_future'

/** A webhook cannot be trusted. */
export class SignatureError extends RipperError {
  declare readonly code: SignatureFault

  static {
    SignatureError.prototype.name = 'SignatureError'
  }

  constructor(code: SignatureFault, message: string) {
    super(code, message)
  }
}
