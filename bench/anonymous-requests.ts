// The dearest requests that somebody without a key can think of, for each route that the service mounts. They have what any
// shopper's page has: a publishable key, a handle, an allowed origin, and the client secret of a session.

import { type BodyKind, bodyLimits } from '../src/http/body-limits.ts'
import type { MountedRoute } from './mounted-routes.ts'

export type Known = {
  publishable_key: string
  handle: string
  origin: string
  session_id: string
  client_secret: string
}

export type AnonymousRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | null
}

/** `route` is the method and path of the record, `what` what is dear about the request. */
export type Row = { route: string; what: string; request: AnonymousRequest }

const head_bytes = 14_000
/** More than any body may have. */
const far_too_large = 256 * 1024

/** Every row of a route. A path that refuses other methods is asked by one of them. */
export function rowsOf(mounted: MountedRoute, known: Known): Row[] {
  const method = methodOf(mounted)
  const path = mounted.url.replace(/:(\w+)/g, (_, name) => parameterOf(name, known))
  const route = `${mounted.is_other_method ? 'other methods' : method} ${mounted.url}`
  const headers = {
    origin: known.origin,
    'rip-client-secret': known.client_secret,
    'rip-idempotency-key': 'anonymous',
  }
  const row = (what: string, request: Partial<AnonymousRequest>): Row => ({
    route,
    what,
    request: { method, path, body: null, ...request, headers: { ...headers, ...request.headers } },
  })
  const bodies = bodiesFor(mounted.body_kind as BodyKind, known).map(({ what, type, text }) =>
    row(what, { headers: { 'content-type': type }, body: Buffer.from(text) }),
  )
  const sound = soundBodies[route]
  return [
    ...bodies,
    ...(sound
      ? [
          row('what it asks for', {
            headers: { 'content-type': json },
            body: Buffer.from(JSON.stringify(sound)),
          }),
        ]
      : []),
    row('many parameters in the address', { path: `${path}?${'a&'.repeat(head_bytes / 2)}a` }),
    row('as many parameters as it may', { path: `${path}?${'a=%41&'.repeat(99)}a` }),
    row('long headers', { headers: longHeaders }),
    row('many headers', { headers: manyHeaders }),
  ]
}

function methodOf({ methods }: MountedRoute): string {
  // Node's client sends neither a body with TRACE nor an answer to CONNECT.
  return methods.find((method) => ['POST', 'DELETE', 'GET', 'OPTIONS'].includes(method)) ?? 'PUT'
}

function parameterOf(name: string, known: Known): string {
  if (name === 'public_key') return known.publishable_key
  if (name === 'handle') return known.handle
  return name === 'session_id' ? known.session_id : 'x'
}

const nobody = { email: 'nobody@shop.example', password: 'a password of nobody' }

/** Bodies that pass their schema, where what comes behind it is dear. */
const soundBodies: Record<string, object> = {
  'POST /dashboard/api/sign-in/password': nobody,
  'POST /dashboard/api/links/redeem': { secret: 'x'.repeat(43), ...nobody, name: 'Nobody' },
  'POST /dashboard/api/links/read': { secret: 'x'.repeat(43) },
  'POST /dashboard/api/sign-in/passkey-options': {},
}

type Body = { what: string; type: string; text: string }

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

function bodiesFor(kind: BodyKind, known: Known): Body[] {
  const too_large = {
    what: 'a body that is too large',
    type: json,
    text: 'x'.repeat(far_too_large),
  }
  if (kind === 'none') return [{ ...too_large, what: 'a body that it does not take' }]
  const { bytes } = bodyLimits[kind]
  const start = `{"public_key":"${known.publishable_key}",`
  const fill = (piece: string) => piece.repeat((bytes - 200) / Buffer.byteLength(piece))
  const object = (members: string) => `${start}${members}}`
  const texts: [what: string, text: string][] = [
    ['many values', object(`"items":[${fill('{},')}{}]`)],
    ['as many values as it may', object(`"items":[${few('{"a":0}', bodyLimits[kind].values / 2 - 5)}]`)],
    ['many members', object(membersOf(bytes - 200))],
    ['as many members as it may', object(membersOf(bytes - 200, bodyLimits[kind].members - 2))],
    ['deep nesting', object(`"items":${fill('[')}`)],
    ['nesting again and again', object(`"items":[${fill(`${'['.repeat(29)}${']'.repeat(29)},`)}0]`)],
    ['a long text', object(`"order_reference":"${fill('x')}"`)],
    ['escapes', object(`"order_reference":"${fill('\\u0041')}"`)],
    ['digits', object(`"order_reference":"${fill('4 ')}","metadata":{"a":"${'4-'.repeat(2_000)}"}`)],
    ['white space', `${fill(' ')}{}`],
  ]
  const pairs: [what: string, text: string][] = [
    ['many pairs', `${fill('a&')}a`],
    ['as many pairs as it may', few('a%41=%41', bodyLimits[kind].pairs, '&')],
    ['escapes in a form', `a=${fill('%41')}`],
  ]
  return [
    ...texts.map(([what, text]) => ({ what, type: json, text })),
    ...pairs.map(([what, text]) => ({ what, type: form, text })),
    ...(kind === 'basket' ? [{ what: 'the largest basket', type: json, text: largestBasket(start) }] : []),
    too_large,
  ]
}

function few(piece: string, count: number, between = ','): string {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, () => piece).join(between)
}

function membersOf(bytes: number, count = Number.POSITIVE_INFINITY): string {
  const members: string[] = []
  for (let length = 0; length < bytes - 20 && members.length < count; ) {
    const member = `"k${members.length}":0`
    members.push(member)
    length += member.length + 1
  }
  return members.join(',')
}

/** A session that is made: nobody refuses it. */
function largestBasket(start: string): string {
  const line = { name: 'A name of a hundred characters '.repeat(3), quantity: 1, unit_amount: 100 }
  const items = Array.from({ length: 100 }, (_, index) => ({ sku: `sku-${index}`, ...line }))
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, 'v'.repeat(100)]))
  const rest = JSON.stringify({ amount: 10_000, currency: 'GBP', items, metadata })
  return `${start}${rest.slice(1)}`
}

const text_bytes = head_bytes / 7
const longHeaders: Record<string, string> = {
  'accept-language': 'en-'.repeat(text_bytes / 3),
  'accept-encoding': 'gzip, br',
  cookie: 'a=b; '.repeat(text_bytes / 5),
  authorization: `Bearer ${'x'.repeat(text_bytes)}`,
  'if-none-match': '"x", '.repeat(text_bytes / 5),
  'x-forwarded-for': '::1, '.repeat(text_bytes / 5),
  'content-type': `a/b${';a="b"'.repeat(text_bytes / 6)}`,
  'x-service-api-key': 'rip_sk_'.repeat(text_bytes / 7),
}
const manyHeaders = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x-${at}`, 'a']))
