// Plain HTML pages and mounted HTTP peers: what the server serves besides API routes.

import type { Caller } from './access.ts'

export type PageRequest = {
  params: Record<string, string>
  /** The fields of a posted form. */
  fields: Record<string, string>
  /** The body as it came. */
  body: string
  caller: Caller
}

export type PageAnswer = { status: number; html: string; headers: Record<string, string> }

export type Page<Context> = {
  method: 'GET' | 'POST'
  path: string
  handle(context: Context, request: PageRequest): Promise<PageAnswer>
}

/** A request for a server that lives inside this one, below a prefix. */
export type PeerRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string>
  body: string
}

/** `hang_up` closes the connection without an answer. */
export type PeerAnswer =
  | { status: number; headers: Record<string, string>; body: string }
  | 'hang_up'

export type Peer = { prefix: string; handle(request: PeerRequest): Promise<PeerAnswer> }
