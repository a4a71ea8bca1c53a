// A server that lives inside this one, described by plain requests and answers so that any HTTP server can mount it.

export type PeerRequest = {
  method: string
  /** Below the mount: `/ds`, `/acs/challenge`. */
  path: string
  query: URLSearchParams
  /** Names in lower case. */
  headers: Record<string, string>
  body: string
}

/** `hang_up`: close the connection without an answer. */
export type PeerAnswer = { status: number; headers: Record<string, string>; body: string } | 'hang_up'

export type Peer = {
  prefix: string
  /** Every path below the prefix, with parameters as `{name}`. */
  places: readonly PeerPlace[]
  /** Its paths answer 404 otherwise. */
  is_open: boolean
  handle(request: PeerRequest): Promise<PeerAnswer>
}

/** `own_calls_only`: only the service itself may call it. */
export type PeerPlace = { path: string; own_calls_only?: true }
