// All that the service does not control: the clock, randomness, outgoing HTTP, the log.
// Everything else takes these as arguments, so that a test can move time and a simulation can replay.

/** Time. `now` may be moved by a test; `sleep` ends when the clock says so, or rejects when `signal` aborts. */
export type Clock = {
  now(): Date
  sleep(duration_ms: number, signal?: AbortSignal): Promise<void>
}

/** Time since some moment by a clock that nobody sets: it shows when the other clock was set. */
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
  /** The most bytes that an answer may have, 256 KB by default; a longer one is a failure. */
  answer_bytes_max?: number
  /** Client certificate and trusted roots, PEM. */
  tls?: { certificate?: string; key?: string; ca?: string }
}

export type OutgoingAnswer = { status: number; content_type: string; body: string }

/** A POST to somebody else's server. Redirects are not followed. */
export type Http = {
  /** Throws an OutgoingFailure: its `kind` says whether the other side may have acted. */
  post(request: OutgoingRequest): Promise<OutgoingAnswer>
}

type ReadRequest = Pick<OutgoingRequest, 'url' | 'headers' | 'timeout_ms' | 'answer_bytes_max'>

/** Names of headers in lower case; one that came several times is joined with commas. The body is no longer compressed. */
export type TextAnswer = { status: number; headers: Record<string, string>; body: string }

/** A GET of a page or script, as a browser would send it. Redirects are not followed. Only commands use it. */
export type HttpReader = {
  /** Throws an OutgoingFailure. */
  get(request: ReadRequest): Promise<TextAnswer>
}

/** A streamed answer that ends when its reader stops. Only commands use it. */
export type HttpListener = {
  /**
   * A GET. The body fails where nothing came for `silence_ms`, or when the signal aborts. Throws an OutgoingFailure where
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

/** The answer came, and is longer than may be read. A question for less may have a shorter one. */
export class AnswerTooLong extends OutgoingFailure {
  constructor() {
    super('unanswered', false, 'an answer longer than allowed')
  }
}

/** A POST to an address that a merchant named: it goes to public addresses and the allowed networks alone. */
export type GuardedRequest = {
  url: string
  headers: Record<string, string>
  body: string
  /** For everything: name, connection, TLS, the answer's headers and body. */
  timeout_ms: number
  /** For name, connection and TLS. */
  connect_timeout_ms: number
}

/**
 * `body`: the answer's first 1,024 characters (code points), well-formed, without U+0000; not decompressed.
 * `retry_after_seconds`: of its Retry-After, never negative; null where there is none, or none that can be read.
 */
export type GuardedAnswer = {
  status: number
  retry_after_seconds: number | null
  body: string
  /** Where a redirect leads, without user, query and fragment; left out where there is none. */
  location?: string | undefined
}

/**
 * `invalid_url`: no URL that may be posted to. `blocked_address`: it leads, or its name does, to an address that
 * must not be reached. `name_not_found`: no such name. `name_lookup_failed`: the resolver could not say.
 * `connection_refused`, `unreachable`, `connect_timeout`, `tls`: no connection. `no_socket`: this machine had none
 * to spare, the receiver is not to blame. Up to here nothing was sent; from here the receiver may have acted:
 * `connection_lost`, `bad_answer` (not HTTP, too many headers, another protocol), `timeout` (which may also come
 * before anything was sent).
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
  /** What the machine called it, such as `CERT_HAS_EXPIRED`: for the operator's log alone. */
  readonly detail: string | null
  /** What had come of an answer by then, where its status had. */
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
  /** Ends every connection; posts that are under way fail as `connection_lost`. */
  close(): Promise<void>
}

/**
 * When a request may leave this machine: from when it was written down, and until somebody may look for its answer. A time before
 * `from` says that the clock was set back, nobody knows how long ago.
 */
export type Sendable = { from: Date; until: Date }

/** A call to an acquirer or a 3-D Secure provider, at an address that a connection may name. */
export type VendorRequest = {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  /** Null where there is none. */
  body: string | null
  timeout_ms: number
  /** Sent only at these times; left out, at any time. */
  sendable?: Sendable
}

/** Names of headers in lower case; one that came several times is joined with commas. At most 1 MiB of body. */
export type VendorAnswer = { status: number; headers: Record<string, string>; body: string }

export type VendorHttp = {
  /**
   * One attempt; redirects are answers. Throws an OutgoingFailure: its `kind` is `not_sent` only where no byte of the request
   * left this machine.
   */
  send(request: VendorRequest): Promise<VendorAnswer>
  /** Ends every connection; calls that are under way fail. */
  close(): Promise<void>
}

export type World = { clock: Clock; random: Random; http: Http; log: Log }

/** From 0 up to 1. */
export function chanceOf({ random }: Pick<World, 'random'>): number {
  return random.bytes(4).readUInt32BE(0) / 2 ** 32
}
