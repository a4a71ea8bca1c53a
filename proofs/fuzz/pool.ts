// What the answers so far gave: ids, secrets, references, cursors and keys, by which later requests reach deeper states.

import type { Operation } from './document.ts'
import { type Answer, headerOf } from './wire.ts'

export type SessionNote = {
  id: string
  client_secret: string
  cards: string[]
  /** How far its payment came. */
  reached: 'created' | 'card' | 'attempt' | 'confirmed'
}

export type Ids = {
  sessions: SessionNote[]
  payments: string[]
  held: string[]
  endpoints: string[]
  deliveries: string[]
}

/** What one merchant has, and what is the other's: foreign to it. */
export type Pool = {
  own: Ids
  foreign: Ids
  cursors: string[]
  tags: string[]
  /** Of challenge pages; a method page that is opened and left would make authenticate wait for it. */
  tokens: string[]
  keys: string[]
  public_keys: string[]
  handles: string[]
}

export function noIds(): Ids {
  return { sessions: [], payments: [], held: [], endpoints: [], deliveries: [] }
}

/** One of a list; null of an empty one. */
export function pick<T>(list: readonly T[], at: number): T | null {
  return list[Math.floor(Math.min(0.9999, at) * list.length)] ?? null
}

/** The same, and later ones, which are fresher, more often. */
export function pickLate<T>(list: readonly T[], at: number): T | null {
  return pick(list, 1 - at * at)
}

/** The sessions that an operation can do something with. */
export function fittingSessions({ path }: Operation, { sessions }: Ids): SessionNote[] {
  const step = path.split('/').at(-1)
  if (step === 'authenticate') return sessions.filter(({ reached }) => reached === 'card')
  if (step === 'confirm') return sessions.filter(({ reached }) => reached === 'attempt')
  if (step === 'card_references') return sessions.filter(({ reached }) => reached === 'created')
  return sessions
}

/** Keeps what an answer gave. `session` is the one that the request was about. */
export function learn(
  pool: Pool,
  operation: Operation,
  { answer, session }: { answer: Answer; session: SessionNote | null },
): void {
  if (answer.status >= 300) return
  const tag = headerOf(answer, 'etag')
  if (tag) pool.tags.push(tag)
  const body = jsonOf(answer)
  if (body === null) return
  const { own } = pool
  if (text(body.client_secret) && text(body.id) && operation.method === 'POST') {
    const { id, client_secret } = body as { id: string; client_secret: string }
    own.sessions.push({ id, client_secret, cards: [], reached: 'created' })
  }
  if (session && text(body.card_reference)) {
    session.cards.push(body.card_reference)
    session.reached = 'card'
  }
  if (session && operation.path.endsWith('/authenticate')) session.reached = 'attempt'
  if (session && operation.path.endsWith('/confirm')) {
    const again = body.status === 'declined' || body.status === 'failed'
    session.reached = again ? 'created' : 'confirmed'
    if (text(body.payment_id)) {
      own.payments.push(body.payment_id)
      if (body.status === 'held') own.held.push(body.payment_id)
    }
  }
  if (text(body.id) && body.id.startsWith('whep_')) own.endpoints.push(body.id)
  const [, token] = /\/3ds\/challenge\/(\w+)/.exec(answer.body.toString()) ?? []
  if (token) pool.tokens.push(token)
  if (text(body.next_cursor)) pool.cursors.push(body.next_cursor)
}

type Body = Record<string, unknown>

/** The object that an answer's body is; null where it is none. */
export function jsonOf({ body }: Answer): Body | null {
  try {
    const value: unknown = JSON.parse(body.toString())
    return value !== null && typeof value === 'object' ? (value as Body) : null
  } catch {
    return null
  }
}

function text(value: unknown): value is string {
  return typeof value === 'string'
}
