// HTTP as the simulator sees it, so that any server can mount it.

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

/** A message of the protocol, JSON text. */
export function message(body: string): PeerAnswer {
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
}

export function plain(status: number, body: string): PeerAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}
