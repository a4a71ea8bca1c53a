// The simulator's plain answers.

import type { PeerAnswer } from '../../kernel/peer.ts'

/** A message of the protocol, JSON text. */
export function message(body: string): PeerAnswer {
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
}

export function plainAnswer(status: number, body: string): PeerAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}
