// A server that lives inside this one: HTTP as it sees it, so that any server can mount it.

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
export type PeerAnswer =
  | { status: number; headers: Record<string, string>; body: string }
  | 'hang_up'

export type Peer = {
  prefix: string
  /** Every path below the prefix, with parameters as `{name}`. */
  places: readonly PeerPlace[]
  /** While it is not, there is nothing at its paths. */
  isOpen(): boolean
  handle(request: PeerRequest): Promise<PeerAnswer>
}

/** `own_calls_only`: nobody but the service itself may ask there. */
export type PeerPlace = { path: string; own_calls_only?: true }
