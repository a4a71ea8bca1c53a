// Plain HTML pages: everything that the server serves besides API routes.

import type { Caller } from './access.ts'
import type { BodyKind } from './body-limits.ts'
import type { SeparateCount } from './request-counts.ts'

/**
 * `query`, `fields`, `headers` and `body` are made each time they are read: a handler reads them once, and only if it
 * needs them.
 */
export type PageRequest = {
  /** Path and query as requested. */
  url: string
  query: URLSearchParams
  params: Record<string, string>
  /** The fields of a posted form; none if the body does not say that it is one. */
  fields: Record<string, string>
  /** Names in lower case; a repeated header is joined with commas. */
  headers: Record<string, string>
  /** The body as it came. */
  body: string
  caller: Caller
  request_id: string
}

/** The same bytes plain and compressed; without `br`, gzip is sent instead. */
export type EncodedContent = { plain: Buffer; br?: Buffer; gzip: Buffer }

export type PageAnswer = {
  status: number
  body: string
  /** Sent instead of the body if it is no text. Never compressed. */
  bytes?: Buffer
  headers: Record<string, string>
  /** Values of `Set-Cookie`. */
  cookies?: string[]
  /** The body in compressed copies, for answers that are sent repeatedly; without them each answer is compressed. */
  encoded?: EncodedContent
}

export type Page<Context> = {
  method: 'GET' | 'POST'
  path: string
  /** The kind of its body; left out, it takes none. */
  body_kind?: BodyKind
  /** Without it, the page counts towards the gateway limit with all others. */
  counted_apart?: SeparateCount
  handle(context: Context, request: PageRequest): Promise<PageAnswer>
}

/** Whether a person opened an address outside the API in a browser. Programs get a refusal in our shape. */
export function isPersonLost(request: {
  method: string
  url: string
  headers: { accept?: string | undefined }
}): boolean {
  const asks = request.method === 'GET' || request.method === 'HEAD'
  return asks && /\btext\/html\b/.test(request.headers.accept ?? '') && !/\/v1\b/.test(request.url)
}
