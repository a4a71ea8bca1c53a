// All that the service does not control: the clock, randomness, outgoing HTTP, the log.
// Everything else takes these as arguments, so that a test can move time and a simulation can replay.

/** Time. `now` may be moved by a test; `sleep` ends when the clock says so, or rejects when `signal` aborts. */
export type Clock = {
  now(): Date
  sleep(duration_ms: number, signal?: AbortSignal): Promise<void>
}

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
  /** Longer answers are a failure; 256 KB where nothing is said. */
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
export type ReadAnswer = { status: number; headers: Record<string, string>; body: string }

/** A GET of a page or script, as a browser would get it. Redirects are not followed. Only commands read. */
export type HttpReader = {
  /** Throws an OutgoingFailure. */
  get(request: ReadRequest): Promise<ReadAnswer>
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

export type World = { clock: Clock; random: Random; http: Http; log: Log }
