// One request before it is made: who sends it, where to, with what. A plan is drawn from a seed; the pool gives it its ids.

import fc from 'fast-check'
import { allowed } from './bodies.ts'
import { type ByteBreak, byteBreak, canary, marker, place as part, type ValueBreak, valueBreak } from './breaks.ts'
import type { Operation } from './document.ts'
import { type Hazard, hazards } from './hazards.ts'
import { type Caller, callers } from './stage.ts'
import type { Value } from './value.ts'

/** What a parameter of the path is: from the pool, or a text. */
export type Place = { from: 'fitting' | 'any' | 'foreign'; at: number } | { text: string }

/** An idempotency key: a new one, none, one used before, or what is written in so many headers. */
export type KeyPlan = 'fresh' | 'none' | { used: number } | { headers: [nth: number, text: string][] }

export type Plan = {
  operation: string
  caller: Caller | 'nobody' | { text: string }
  secret: 'own' | 'foreign' | 'none' | { text: string }
  origin: string | null
  place: Place
  key: KeyPlan
  query: [name: string, value: string | { cursor: number }][]
  body: Value
  /** How the body is spelled, and in which media type. */
  as: 'json' | 'form'
  type: string | null
  values: ValueBreak[]
  bytes: ByteBreak[]
  headers: [name: string, value: string][]
  method: string | null
  /** What is done to the path's text. */
  path: 'plain' | keyof typeof pathBreaks
  hazard: Hazard | null
  /** Sent once; again after its answer; or twice at the same time. */
  times: 'once' | 'again' | 'twins'
}

export const pathBreaks = {
  encoded: (path: string) => path.replace(/[a-z](?=[a-z]*$)/, (at) => `%${at.charCodeAt(0).toString(16)}`),
  slash_encoded: (path: string) => path.replace(/(?<=.)\/(?=[^/]*$)/, '%2F'),
  dots: (path: string) => path.replace(/\/(?=[^/]*$)/, '/../'),
  dots_encoded: (path: string) => path.replace(/\/(?=[^/]*$)/, '/%2e%2e/'),
  nul: (path: string) => `${path}%00`,
  broken_escape: (path: string) => `${path}%f`,
  invalid_utf8: (path: string) => `${path}%ff%fe`,
  slash: (path: string) => `${path}/`,
  slashes: (path: string) => path.replace(/\//g, '//'),
  upper: (path: string) => path.toUpperCase(),
  semicolon: (path: string) => `${path};a=b`,
  long: (path: string) => `${path}${'x'.repeat(3_000)}`,
  absolute: (path: string) => `http://other.example${path}`,
  backslash: (path: string) => path.replace(/(?<=.)\/(?=[^/]*$)/, '\\'),
  emptied: () => '/',
}

/** Mostly the first, now and then one of the others; shrunk to the first. */
function mostly<T>(weight: number, usual: fc.Arbitrary<T>, ...rest: fc.Arbitrary<T>[]) {
  const others = rest.map((arbitrary) => ({ arbitrary, weight: 1 }))
  return fc.oneof({ withCrossShrink: true }, { arbitrary: usual, weight }, ...others)
}

const oddText = fc.oneof(
  fc.constantFrom('', 'x', '0', 'cs_000000000000000000000000', 'pay_000000000000000000000000'),
  fc.constantFrom('whep_000000000000000000000000', '0'.repeat(32), '__proto__', '%00', '%ff', '..'),
  fc.constantFrom('x'.repeat(256), 'x'.repeat(3_000), '%F0%9F%98%80', '%0a', "'%20or%201=1", '*'),
  marker,
  canary.map(encodeURIComponent),
)

const header = fc.constantFrom<[string, string]>(
  ['Accept', 'text/html'],
  ['Accept-Language', 'de, *;q=0.1'],
  ['If-None-Match', '*'],
  ['If-None-Match', '"x", W/"y"'],
  ['Content-Encoding', 'gzip'],
  ['X-Forwarded-For', '203.0.113.9'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Stripe-Version', '2024-06-20'],
  ['Stripe-Version', 'x'.repeat(200)],
  ['Stripe-Account', 'acct_1'],
  ['Range', 'bytes=0-1'],
  ['Cookie', 'a=b'],
  ['Access-Control-Request-Method', 'POST'],
  ['Last-Event-ID', 'x'],
  ['Authorization', 'Basic !!!'],
)

const mediaType = fc.constantFrom<string | null>(
  ...[null, 'text/plain', 'application/json; charset=utf-16', 'application/x-www-form-urlencoded'],
  ...['multipart/form-data; boundary=x', 'rubbish', 'application/vnd.api+json', ', ', 'application/json,text/a'],
)

const keyText = fc.oneof(
  fc.constantFrom('', ' ', 'x'.repeat(255), 'x'.repeat(256), '\u00e9', 'a\tb', '"'),
  fc.constantFrom('one key', 'other key'),
  canary.filter((text) => /^[ -~]+$/.test(text)),
)

const keyPlan: fc.Arbitrary<KeyPlan> = mostly<KeyPlan>(
  14,
  fc.constant('fresh'),
  fc.constant('none'),
  part.map((used) => ({ used })),
  fc.array(fc.tuple(fc.nat(1), keyText), { minLength: 1, maxLength: 3 }).map((headers) => ({ headers })),
)

const placing: fc.Arbitrary<Place> = fc.oneof(
  { withCrossShrink: true },
  { weight: 10, arbitrary: part.map((at): Place => ({ from: 'fitting', at })) },
  { weight: 4, arbitrary: part.map((at): Place => ({ from: 'any', at })) },
  { weight: 1, arbitrary: part.map((at): Place => ({ from: 'foreign', at })) },
  { weight: 1, arbitrary: oddText.map((text): Place => ({ text })) },
)

function queryOf({ query }: Operation): fc.Arbitrary<Plan['query']> {
  const good = query.map(({ name, schema }) => allowed(schema, name).map((value) => queryPair(name, value)))
  const cursor = part.map((at): Plan['query'][number] => ['after', { cursor: at }])
  const odd = fc
    .tuple(fc.constantFrom('limit', 'offset', 'after', 'status', 'integration', 'x', '__proto__'), oddText)
    .map((pair): Plan['query'][number] => pair)
  const one = query.length === 0 ? odd : mostly(6, fc.oneof(...good), odd, cursor)
  return mostly(query.length === 0 ? 20 : 2, fc.constant([]), fc.array(one, { maxLength: 3 }))
}

/** Members of an object and entries of a list stand in brackets behind the name; one is enough. */
function queryPair(name: string, value: Value): Plan['query'][number] {
  if (value === null || typeof value !== 'object') return [name, String(value)]
  const [key = '', first = ''] = Object.entries(value)[0] ?? []
  return [`${name}[${Array.isArray(value) ? '' : key}]`, typeof first === 'object' ? '' : String(first)]
}

/** Every request that can be made of an operation. */
export function planOf(operation: Operation): fc.Arbitrary<Plan> {
  const { body, takes_forms } = operation
  const broken = body ? 2 : 30
  return fc.record<Plan>({
    operation: fc.constant(operation.name),
    caller: mostly<Plan['caller']>(
      45,
      fc.constant<Plan['caller']>('main'),
      ...callers.map((name) => fc.constant(name)),
      fc.constant('nobody'),
      marker.map((text) => ({ text })),
    ),
    secret: mostly<Plan['secret']>(
      30,
      fc.constant('own'),
      fc.constant('foreign'),
      fc.constant('none'),
      oddText.map((text) => ({ text })),
    ),
    origin: mostly(
      12,
      fc.constant<string | null>('https://shop.example'),
      fc.constantFrom(null, 'null', 'https://evil.example', 'https://shop.example/', '*', 'x'),
    ),
    place: placing,
    key: keyPlan,
    query: queryOf(operation),
    body: body ? allowed(body) : fc.constant(null),
    as: takes_forms
      ? fc.constantFrom('json', 'form')
      : mostly(30, fc.constant<Plan['as']>('json'), fc.constant('form')),
    type: mostly(20, fc.constant<string | null>('good'), mediaType),
    values: mostly(broken, fc.constant<ValueBreak[]>([]), fc.array(valueBreak, { minLength: 1, maxLength: 3 })),
    bytes: mostly(broken * 5, fc.constant<ByteBreak[]>([]), fc.array(byteBreak, { minLength: 1, maxLength: 1 })),
    headers: mostly(20, fc.constant<Plan['headers']>([]), fc.array(header, { maxLength: 3 })),
    method: mostly(
      60,
      fc.constant<string | null>(null),
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'),
    ),
    path: mostly(
      60,
      fc.constant<Plan['path']>('plain'),
      fc.constantFrom(...(Object.keys(pathBreaks) as Plan['path'][])),
    ),
    hazard: mostly(40, fc.constant<Hazard | null>(null), fc.constantFrom(...(Object.keys(hazards) as Hazard[]))),
    times: mostly(14, fc.constant<Plan['times']>('once'), fc.constant('again'), fc.constant('twins')),
  })
}
