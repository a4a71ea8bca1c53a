// A route is one record. Validation, types, access, idempotency, OpenAPI and the shape of its refusals follow from it.

import type { z } from 'zod'
import type { Refusal, RefusalCode } from '../kernel/errors.ts'
import type { Mode } from '../kernel/values.ts'
import type { AccessRule, Caller, SecretKey } from './access.ts'
import type { BodyKind } from './body-limits.ts'
import type { Dialect } from './dialects.ts'
import type { FormRules } from './form.ts'
import { type Idempotency, type KeyRow, keyRules, type ReservedKey } from './idempotency.ts'
import type { ModeRule } from './only-mode.ts'
import type { CountUse } from './use-limit.ts'
import type { Issue } from './validate.ts'

export type RouteRequest<Holder, Body, Query, Keyed extends Idempotency = Idempotency> = {
  holder: Holder
  params: Record<string, string>
  query: Query
  body: Body
  caller: Caller
  request_id: string
  now: Date
  /** The mode to which the holder is bound; null for both. */
  only_mode: Mode | null
  /**
   * On idempotent routes: the row to write in the transaction that creates the object in `reply`. Null if the request
   * has no key, which is possible if keys are optional.
   */
  recordReply(reply: unknown): Keyed extends 'required' ? KeyRow : KeyRow | null
  /**
   * For a route with `resume`: the row to write in the transaction that begins the act. The answer is recorded once the
   * handler has given it.
   */
  reserveKey(): Keyed extends 'required' ? ReservedKey : ReservedKey | null
  /** Adds a `Set-Cookie` to the answer. */
  setCookie(cookie: string): void
  /** The answer is 202: the request was accepted, and is carried out or refused later. For routes with `accepted`. */
  answerAccepted(): void
}

type RouteRecord<
  Context,
  Holder,
  Body extends z.ZodType,
  Reply extends z.ZodType,
  Query extends z.ZodType,
  Keyed extends Idempotency,
> = {
  method: 'GET' | 'POST' | 'DELETE'
  /** With parameters in braces, as in the specification. */
  path: string
  /**
   * The path of the route of which this one is an alias. Both share idempotency keys, and the API's description names
   * the alias only there.
   */
  alias_of?: string
  tag: string
  summary: string
  access: AccessRule<Context, Holder>
  /** How it keeps to the mode of a bound holder; a route of secret keys must say so. */
  mode?: ModeRule
  dialect: Dialect
  /** Whether the route needs an idempotency key or may have one; without the field it takes none. */
  idempotency?: Keyed
  /**
   * Counts each request of a holder, refused ones included; runs right after the access check. Without the field there
   * is no limit.
   */
  limit?: CountUse<Context, Holder>
  /** How long browsers and caches may keep the answer; without the field, not at all. */
  cache?: 'five_minutes'
  /** Which pages of other origins may read the answers; without the field, none. */
  cors?: Cors<Context>
  query?: Query
  body?: Body
  /** The kind of its body, if it may contain more than a few fields. */
  body_kind?: BodyKind
  /** A request without a body counts as one with an empty object. */
  body_optional?: true
  /** The body may be a form as well as JSON, and is then read by these rules. */
  form?: FormRules
  /**
   * The refusal for a fault that the query's or body's schema finds; by default an `invalid_request` that names its
   * JSON path.
   */
  explain?(issue: Issue): Refusal
  status: number
  /** What a 202 with the same reply means, if the handler may answer so. */
  accepted?: string
  /** An allow-list: a member without a name in it cannot leave, and a named one cannot be forgotten. Null for 204. */
  reply: Reply
  /** The content type if the answer is a file; the handler then gives a `FileAnswer`. */
  file?: string
  /**
   * Runs on the whole database, because it changes what merchants share; left out, it runs where the merchant's rows
   * are (see cells.ts).
   */
  where?: 'whole'
  /** Its ids are the merchant's own words, of any characters, which it compares in memory alone. */
  has_free_ids?: true
  /** The refusal for a malformed id, the same as for an unknown one; by default `resource_not_found`. */
  unknownId?(): Refusal
  /** All refusals of the handler; access, body and idempotency add their own. */
  refusals: readonly RefusalCode[]
  /** Members that some of their bodies have besides those of every refusal. */
  refusal_members?: Partial<Record<RefusalCode, z.ZodType>>
  /**
   * Whether this account may act at all. Runs after authentication and the look-up of an earlier answer, before
   * validation.
   */
  admit?(context: Context, holder: Holder): Promise<void>
  handle(
    context: Context,
    request: RouteRequest<Holder, z.output<Body>, z.output<Query>, Keyed>,
  ): Promise<z.input<Reply>>
  /**
   * Answers a request whose key an earlier request reserved without leaving an answer, for instance because its process
   * died.
   */
  resume?(
    context: Context,
    request: ResumedRequest<RouteRequest<Holder, z.output<Body>, z.output<Query>, Keyed>>,
  ): Promise<z.input<Reply>>
}

/**
 * A file that is sent while it is made. An error before the first part is a refusal; a later one cuts the answer off.
 */
export type FileAnswer = { name: string; parts: AsyncGenerator<string> }

/** The act is under way or done: nothing more is written under the key. */
export type ResumedRequest<Request> = Omit<Request, 'recordReply' | 'reserveKey'> & {
  key: string
  audience: string
}

/** The parts of a request that CORS decides by. */
export type CorsRequest = {
  origin: string
  params: Record<string, string>
  query: Record<string, unknown>
  /** A header; null if it was not sent. A preflight lists the headers to come without their values. */
  header(name: string): string | null
  /** The parsed body; undefined without one, as in a preflight, or if it cannot be read. */
  body(): unknown
}

export type Cors<Context> = {
  /** Whether a page of this origin may read the answer. */
  allows(context: Context, request: CorsRequest): Promise<boolean>
  /** Whether any merchant allows this origin: for requests that must not cost a look-up. */
  knows(context: Context, origin: string): Promise<boolean>
}

export type Route<Context> = RouteRecord<Context, unknown, z.ZodType, z.ZodType, z.ZodType, Idempotency>

/**
 * What a typed client must know of a route: its method and path as literals, and the types of its input and reply;
 * undefined for input that it does not take. Only types see the member `told`.
 */
export type Told<Method extends string, Path extends string, Query, Body, Reply> = {
  method: Method
  path: Path
  readonly told?: { query: Query; body: Body; reply: Reply }
}

/** What a client sends by a schema; undefined if the route has none. */
type Sent<Schema extends z.ZodType> = unknown extends z.input<Schema> ? undefined : z.input<Schema>

/** The member `mode`, which a record must have if its holder is a key. */
export type ModeMember<Holder> = [Holder] extends [SecretKey] ? { mode: ModeRule } : unknown

/**
 * Types a route's handler by its own access rule, body and reply, then erases the types so that routes fit into one
 * list.
 */
export function route<
  const Method extends Route<never>['method'],
  const Path extends string,
  Context,
  Holder,
  Body extends z.ZodType,
  Reply extends z.ZodType,
  Query extends z.ZodType,
  Keyed extends Idempotency = Idempotency,
>(
  record: RouteRecord<Context, Holder, Body, Reply, Query, Keyed> & {
    method: Method
    path: Path
  } & ModeMember<Holder>,
): Route<Context> & Told<Method, Path, Sent<Query>, Sent<Body>, z.output<Reply>> {
  return record as unknown as Route<Context> & Told<Method, Path, Sent<Query>, Sent<Body>, z.output<Reply>>
}

/** All refusals of a route: its own, and those of the fields that it declares. */
export function refusalsOf(route: Route<never>): RefusalCode[] {
  const codes = new Set<RefusalCode>([...route.refusals, ...route.access.refusals])
  if (route.idempotency) {
    const { unusable, differing, running, unavailable } = keyRules[route.idempotency]
    codes.add(unusable).add(differing).add(running).add('idempotency_key_reused').add(unavailable)
  }
  if (route.limit) codes.add('rate_limit_exceeded')
  if (route.body || route.query) codes.add('invalid_request')
  return [...codes.add('store_unavailable').add('internal_error')]
}

/** The name under which idempotency keys know a route, the same for its aliases. */
export function routeName({ method, path, alias_of }: Route<never>): string {
  return `${method} ${alias_of ?? path}`
}
