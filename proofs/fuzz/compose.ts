// Makes a request of a plan: ids, secrets and keys out of the pool, then everything that is to be broken about it.

import { shop } from '../../tests/support/service.ts'
import { breakBytes, breakValue } from './breaks.ts'
import type { Operation } from './document.ts'
import { bytesOf, type MadeValue, type RuinedValue, ruin } from './hazards.ts'
import { type Place, type Plan, pathBreaks } from './plan.ts'
import { fittingSessions, type Ids, pick, pickLate, type SessionNote } from './pool.ts'
import type { Stage } from './stage.ts'
import { formText, jsonText, type Ref, type Value } from './value.ts'

export type Composed = {
  operation: Operation
  plan: Plan
  made: MadeValue
  ruined: RuinedValue
  session: SessionNote | null
  /** Sent in one usable header, if any, to the operation itself: under another method it is nobody's. */
  key: string | null
  /** All that was sent as text, to see what comes back of it. */
  sent: string
}

/** `fresh` is an idempotency key that nobody used. */
export function compose(plan: Plan, operation: Operation, stage: Stage, fresh: string): Composed {
  const { pool } = stage
  const from = 'from' in plan.place && plan.place.from === 'foreign' ? pool.foreign : pool.own
  const session = sessionOf(operation, plan.place, from)
  const find = (ref: Ref) => found(ref, { stage, session, ids: from })
  const value = plan.values.reduce(breakValue, plan.body)
  const body = bodyOf(plan, operation, value, find)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    paramOf(name, { plan, operation, stage, session, ids: from }),
  )
  const target = (plan.path === 'plain' ? path : pathBreaks[plan.path](path)) + queryText(plan, stage)
  const keys = keysOf(plan, operation, stage, fresh)
  const headers: MadeValue['headers'] = [
    ...keys,
    ...credentials(plan, operation, stage, session),
    ...contentType(plan, operation, body),
    ...plan.headers,
  ]
  if (operation.takes_tag && plan.times === 'again') {
    const tag = pick(pool.tags, 0)
    if (tag) headers.push(['If-None-Match', tag])
  }
  const made: MadeValue = { method: plan.method ?? operation.method, target, headers, body }
  const ruined: RuinedValue = plan.hazard ? ruin(plan.hazard, made) : { pieces: [bytesOf(made)], expects: 'route' }
  const sent = Buffer.concat(ruined.pieces).toString()
  const key = keys.length === 1 && made.method === operation.method ? keys[0]![1] : null
  return { operation, plan, made, ruined, session, key, sent }
}

function sessionOf(operation: Operation, place: Place, ids: Ids): SessionNote | null {
  if ('text' in place) return null
  if (place.from !== 'fitting') return pick(ids.sessions, place.at)
  const fitting = fittingSessions(operation, ids)
  return pickLate(fitting.length > 0 ? fitting : ids.sessions, place.at)
}

type Sources = { stage: Stage; session: SessionNote | null; ids: Ids }

function found({ what, at }: Ref, { stage, session }: Sources): string {
  if (what === 'public_key') return pick(stage.pool.public_keys, at) ?? ''
  // Mostly one of this session.
  const cards = at < 0.9 && session ? session.cards : stage.pool.foreign.sessions[0]!.cards
  return cards.at(at < 0.7 ? -1 : 0) ?? 'card_000000000000000000000000'
}

function paramOf(
  name: string,
  { plan, operation, stage, session, ids }: Sources & { plan: Plan; operation: Operation },
): string {
  if ('text' in plan.place) return plan.place.text
  const { at, from } = plan.place
  const fits = from === 'fitting'
  const holds = fits && operation.path.includes('/hold/') && ids.held.length > 0
  const lists: Record<string, string[]> = {
    payment_id: holds ? ids.held : ids.payments,
    endpoint_id: ids.endpoints,
    delivery_id: ids.deliveries,
    public_key: stage.pool.public_keys,
    handle: stage.pool.handles,
    token: stage.pool.tokens,
  }
  // Sessions by whatever name: the compatible routes call them otherwise.
  const list = lists[name]
  return (list ? pick(list, at) : session?.id) ?? 'x'
}

function queryText(plan: Plan, { pool }: Stage): string {
  const pairs = plan.query.map(([name, value]) => {
    const text = typeof value === 'string' ? value : (pick(pool.cursors, value.cursor) ?? 'x')
    // Escapes stay as they are, broken ones too.
    const escaped = text.toWellFormed().replace(/[^!-~]|[#&+]/gu, encodeURIComponent)
    return `${encodeURIComponent(name)}=${escaped}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function keysOf(plan: Plan, operation: Operation, { pool }: Stage, fresh: string): MadeValue['headers'] {
  const { keys } = operation
  if (keys.length === 0 || plan.key === 'none') return []
  if (plan.key === 'fresh') return [[keys[0]!, fresh]]
  if ('used' in plan.key) return [[keys[0]!, pick(pool.keys, plan.key.used) ?? fresh]]
  return plan.key.headers.map(([nth, text]) => [keys[nth % keys.length]!, text])
}

function credentials(
  { caller, secret, origin }: Plan,
  { door }: Operation,
  stage: Stage,
  session: SessionNote | null,
): MadeValue['headers'] {
  const headers: MadeValue['headers'] = []
  if (door === 'client_secret') {
    const other = stage.pool.foreign.sessions[0]!
    const texts = { own: session?.client_secret, foreign: other.client_secret, none: undefined }
    const text = typeof secret === 'string' ? texts[secret] : secret.text
    if (text !== undefined) headers.push(['Rip-Client-Secret', text])
  } else if (door !== 'open' && caller !== 'nobody') {
    const key = typeof caller === 'string' ? stage.secret_keys[caller] : caller.text
    headers.push(door === 'bearer_key' ? ['Authorization', `Bearer ${key}`] : ['X-Service-Api-Key', key])
  }
  const from_a_page = door === 'open' || door === 'client_secret' || origin !== shop
  if (origin !== null && from_a_page) headers.push(['Origin', origin])
  return headers
}

function contentType({ as, type, bytes }: Plan, { body }: Operation, sent: Buffer): MadeValue['headers'] {
  if (type === null || (sent.length === 0 && !body)) return []
  if (type !== 'good') return [['Content-Type', type]]
  const is_form = as === 'form' || bytes.some(({ how }) => how === 'form')
  return [['Content-Type', is_form ? 'application/x-www-form-urlencoded' : 'application/json']]
}

function bodyOf(plan: Plan, operation: Operation, value: Value, find: (ref: Ref) => string): Buffer {
  const is_plain = plan.values.length === 0 && plan.bytes.length === 0
  if (!operation.body && is_plain) return Buffer.alloc(0)
  const text = plan.as === 'form' ? formText(value, find) : jsonText(value, find)
  return plan.bytes.reduce<Buffer>((bytes, each) => breakBytes(bytes, each), Buffer.from(text))
}
