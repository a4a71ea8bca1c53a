// The tokens in the addresses of our 3-D Secure pages: they name a session and a card or attempt, and prove that we
// issued them.

import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../kernel/keyring.ts'
import type { SessionId } from '../../kernel/values.ts'

export type PageKind = 'method' | 'challenge'

const prefixes = { method: 'card_', challenge: 'att_' } as const

/** 80 characters for a URL path. `subject` is a card reference or an attempt id. */
export function pageToken(keyring: Keyring, kind: PageKind, page: { session_id: string; subject: string }): string {
  const proof = keyring.mac('page token', kind, page.session_id, page.subject).subarray(0, 16)
  return `${page.session_id.slice(3)}${page.subject.slice(prefixes[kind].length)}${proof.toString('hex')}`
}

/** What a token names, or null where it is not one of ours. */
export function readPageToken(
  keyring: Keyring,
  kind: PageKind,
  token: string,
): { session_id: SessionId; subject: string } | null {
  const parts = /^([0-9a-f]{24})([0-9a-f]{24})([0-9a-f]{32})$/.exec(token)
  if (!parts) return null
  const session_id: SessionId = `cs_${parts[1]}`
  const subject = `${prefixes[kind]}${parts[2]}`
  const presented = Buffer.from(parts[3]!, 'hex')
  const proven = keyring
    .macs('page token', kind, session_id, subject)
    .some((mac) => timingSafeEqual(mac.subarray(0, 16), presented))
  return proven ? { session_id, subject } : null
}
