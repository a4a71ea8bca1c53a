// Everything that the service does not control: the clock, randomness, outgoing HTTP, the log. All other code takes
// these as arguments, so that a test can move time and a simulation can replay.

/** Time. `now` may be moved by a test; `sleep` ends when the clock says so, or rejects when `signal` aborts. */
export type Clock = {
  now(): Date
  sleep(duration_ms: number, signal?: AbortSignal): Promise<void>
}

/** Time since some moment by a clock that is never set: it shows when the other clock was set. */
export type SteadyClock = { elapsed_ms(): number }

export type Random = {
  bytes(length: number): Buffer
}

/** One line of the log. Fields are chosen by name at each call: an allow-list, never a whole request or row. */
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type OutgoingRequest = {
  url: string
  headers: Record<string, string>
  body: string
  timeout_ms: number
  /** The maximum size of an answer, 256 KB by default; a longer one is a failure. */
  answer_bytes_max?: number
  /** Client certificate and trusted roots, PEM. */
  tls?: { certificate?: string; key?: string; ca?: string }
}

export type OutgoingAnswer = { status: number; content_type: string; body: string }

/** A POST to another server. Redirects are not followed. */
export type Http = {
  /** Throws an OutgoingFailure: its `kind` says whether the other side may have acted. */
  post(request: OutgoingRequest): Promise<OutgoingAnswer>
}

type ReadRequest = Pick<OutgoingRequest, 'url' | 'headers' | 'timeout_ms' | 'answer_bytes_max'>

/** Names of headers in lower case; a repeated header is joined with commas. The body is decompressed. */
export type TextAnswer = { status: number; headers: Record<string, string>; body: string }

/** A GET of a page or script, as a browser would send it. Redirects are not followed. Only commands use it. */
export type HttpReader = {
  /** Throws an OutgoingFailure. */
  get(request: ReadRequest): Promise<TextAnswer>
}

/** A streamed answer that ends when its reader stops. Only commands use it. */
export type HttpListener = {
  /**
   * A GET. The body fails if nothing came for `silence_ms`, or when the signal aborts. Throws an OutgoingFailure if
   * there is no answer within that time.
   */
  listen(request: {
    url: string
    headers: Record<string, string>
    silence_ms: number
    signal: AbortSignal
  }): Promise<{ status: number; body: AsyncIterable<Buffer> }>
  /** Ends every connection. */
  close(): Promise<void>
}

export class OutgoingFailure extends Error {
  /** `not_sent`: no byte of the request left; `unanswered`: it may have arrived, and nothing usable came back in time. */
  readonly kind: 'not_sent' | 'unanswered'
  readonly timed_out: boolean
  constructor(kind: 'not_sent' | 'unanswered', timed_out: boolean, message: string) {
    super(message)
    this.kind = kind
    this.timed_out = timed_out
  }
}

/** The answer is longer than allowed. A smaller request may have a shorter one. */
export class AnswerTooLong extends OutgoingFailure {
  constructor() {
    super('unanswered', false, 'an answer longer than allowed')
  }
}

/** A POST to an address that a merchant named: it goes only to public addresses and the allowed networks. */
export type GuardedRequest = {
  url: string
  headers: Record<string, string>
  body: string
  /** The limit for everything: name, connection, TLS, the answer's headers and body. */
  timeout_ms: number
  /** The limit for name, connection and TLS. */
  connect_timeout_ms: number
}

/**
 * `body`: the answer's first 1,024 characters (code points), well-formed, without U+0000; not decompressed.
 * `retry_after_seconds`: from its Retry-After, never negative; null if there is none, or an unreadable one.
 */
export type GuardedAnswer = {
  status: number
  retry_after_seconds: number | null
  body: string
  /** The target of a redirect, without user, query and fragment; left out if there is none. */
  location?: string | undefined
}

/**
 * `invalid_url`: the URL may not be posted to. `blocked_address`: it leads, or its name does, to a forbidden address.
 * `name_not_found`: no such name. `name_lookup_failed`: the resolver could not say. `connection_refused`,
 * `unreachable`, `connect_timeout`, `tls`: no connection. `no_socket`: this machine had none to spare, which is not the
 * receiver's fault. Up to here nothing was sent; from here the receiver may have acted: `connection_lost`, `bad_answer`
 * (not HTTP, too many headers, another protocol), `timeout` (which may also come before anything was sent).
 */
export type GuardedFailureCode =
  | 'invalid_url'
  | 'blocked_address'
  | 'name_not_found'
  | 'name_lookup_failed'
  | 'connection_refused'
  | 'unreachable'
  | 'no_socket'
  | 'connect_timeout'
  | 'tls'
  | 'connection_lost'
  | 'bad_answer'
  | 'timeout'

export class GuardedFailure extends Error {
  readonly code: GuardedFailureCode
  /** The machine's own code, such as `CERT_HAS_EXPIRED`: only for the operator's log. */
  readonly detail: string | null
  /** The part of the answer that had arrived, if its status had. */
  readonly answer: GuardedAnswer | null
  constructor(code: GuardedFailureCode, detail: string | null = null, answer: GuardedAnswer | null = null) {
    super(detail ? `${code} (${detail})` : code)
    this.code = code
    this.detail = detail
    this.answer = answer
  }
}

export type GuardedHttp = {
  /** Throws a GuardedFailure. Redirects are not followed: they are answers. */
  post(request: GuardedRequest): Promise<GuardedAnswer>
  /** Ends every connection; posts under way fail as `connection_lost`. */
  close(): Promise<void>
}

/**
 * When a request may leave this machine: after it was written down, and before its answer may be looked up. A time
 * before `from` shows that the clock was set back, nobody knows how long ago.
 */
export type Sendable = { from: Date; until: Date }

/** A call to an acquirer or a 3-D Secure provider, at an address that a connection may name. */
export type VendorRequest = {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  /** Null without a body. */
  body: string | null
  timeout_ms: number
  /** Sent only at these times; left out, at any time. */
  sendable?: Sendable
}

/** Names of headers in lower case; a repeated header is joined with commas. At most 1 MiB of body. */
export type VendorAnswer = { status: number; headers: Record<string, string>; body: string }

export type VendorHttp = {
  /**
   * One attempt; redirects are answers. Throws an OutgoingFailure: its `kind` is `not_sent` only if no byte of the
   * request left this machine.
   */
  send(request: VendorRequest): Promise<VendorAnswer>
  /** Ends every connection; calls under way fail. */
  close(): Promise<void>
}

export type World = { clock: Clock; random: Random; http: Http; log: Log }

/** From 0 up to 1. */
export function chanceOf({ random }: Pick<World, 'random'>): number {
  return random.bytes(4).readUInt32BE(0) / 2 ** 32
}
