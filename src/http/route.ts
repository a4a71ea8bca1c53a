// A route is one record. It yields validation, types, access, idempotency, OpenAPI and the shape of its refusals.

import type { z } from 'zod'
import type { Refusal, RefusalCode } from '../kernel/errors.ts'
import type { Caller, Door } from './access.ts'
import type { Dialect } from './dialects.ts'
import type { FormRules } from './form.ts'
import { type Idempotency, type KeyRow, keyRules, type ReservedKey } from './idempotency.ts'
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
  /**
   * On idempotent routes: the row to write in the transaction that creates what `reply` describes; null where the
   * request has no key, as it may where keys are optional.
   */
  recordReply(reply: unknown): Keyed extends 'required' ? KeyRow : KeyRow | null
  /**
   * The same without an answer, for a route that has `resume`: the row to write in the transaction that begins what is asked
   * for. The answer is recorded once the handler has given it.
   */
  reserveKey(): Keyed extends 'required' ? ReservedKey : ReservedKey | null
  /** The answer is 202: what was asked for has been taken, and is carried out or refused later. For routes with `accepted`. */
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
  /** With parameters in braces, as the specification writes it. */
  path: string
  /**
   * The path of the route that this one is another address of: idempotency keys are shared with it, and the description
   * tells of this one only there.
   */
  alias_of?: string
  tag: string
  summary: string
  door: Door<Context, Holder>
  dialect: Dialect
  /** Whether the route needs an idempotency key or may have one; without the field it takes none. */
  idempotency?: Keyed
  /** Counts each request of a holder, refused ones too; comes before all but the door. Without the field, no limit. */
  limit?: CountUse<Context, Holder>
  /** How long browsers and caches between may keep the answer; without the field, not at all. */
  cache?: 'five_minutes'
  /** Which pages of other origins may read the answers; without the field, none. */
  cors?: Cors<Context>
  query?: Query
  body?: Body
  /** A request without a body is then the same as one with an empty object. */
  body_optional?: true
  /** The body may be a form as well as JSON, and is then read by these rules. */
  form?: FormRules
  /** What a finding of the query's or body's schema is refused with. Else an `invalid_request` that names its JSON path. */
  explain?(issue: Issue): Refusal
  status: number
  /** What a 202 with the same reply means, where the handler may answer so. */
  accepted?: string
  /** An allow-list: a member that it does not name cannot leave, one that it names cannot be forgotten. Of 204, null. */
  reply: Reply
  /** What an id that nothing can have is refused with: the same as one that nothing has. Else a `resource_not_found`. */
  unknownId?(): Refusal
  /** Every code that the handler may refuse with; access, body and idempotency add their own. */
  refusals: readonly RefusalCode[]
  /** Members that the bodies of some of them have beside those of every refusal. */
  refusal_members?: Partial<Record<RefusalCode, z.ZodType>>
  /** Comes after authentication and the look for a replay, before validation: may this account act at all? */
  admit?(context: Context, holder: Holder): Promise<void>
  handle(
    context: Context,
    request: RouteRequest<Holder, z.output<Body>, z.output<Query>, Keyed>,
  ): Promise<z.input<Reply>>
  /** Answers a request whose key was reserved by a first one that left no answer, perhaps since its process died. */
  resume?(
    context: Context,
    request: Resumed<RouteRequest<Holder, z.output<Body>, z.output<Query>, Keyed>>,
  ): Promise<z.input<Reply>>
}

/** What was asked is under way or done: nothing is written under the key any more. */
export type Resumed<Request> = Omit<Request, 'recordReply' | 'reserveKey'> & { key: string }

/** What a request says of the place that it is meant for. */
export type CorsAsked = {
  origin: string
  params: Record<string, string>
  query: Record<string, unknown>
  /** A header; null where it was not sent. A preflight names those that will be, and has none of them. */
  header(name: string): string | null
  /** The parsed body; undefined where there is none, as in a preflight, or where it cannot be read. */
  body(): unknown
}

export type Cors<Context> = {
  /** Whether a page of this origin may read the answer. */
  allows(context: Context, asked: CorsAsked): Promise<boolean>
  /** Whether anybody allows this origin: asked where the request may not cost a look at what it is meant for. */
  knows(context: Context, origin: string): Promise<boolean>
}

export type Route<Context> = RouteRecord<
  Context,
  unknown,
  z.ZodType,
  z.ZodType,
  z.ZodType,
  Idempotency
>

/** Types a route's handler by its own door, body and reply, then forgets them so that routes fit into one list. */
export function route<
  Context,
  Holder,
  Body extends z.ZodType,
  Reply extends z.ZodType,
  Query extends z.ZodType,
  Keyed extends Idempotency = Idempotency,
>(record: RouteRecord<Context, Holder, Body, Reply, Query, Keyed>): Route<Context> {
  return record as unknown as Route<Context>
}

/** All codes that a route can answer with: its own and those of the fields that it declares. */
export function refusalsOf(route: Route<never>): RefusalCode[] {
  const codes = new Set<RefusalCode>([...route.refusals, ...route.door.refusals])
  if (route.idempotency) {
    const { unusable, differing, running, unavailable } = keyRules[route.idempotency]
    codes.add(unusable).add(differing).add(running).add('idempotency_key_reused').add(unavailable)
  }
  if (route.limit) codes.add('rate_limit_exceeded')
  if (route.body || route.query) codes.add('invalid_request')
  return [...codes.add('store_unavailable').add('internal_error')]
}

/** How idempotency keys know a route: by one name, wherever it is found. */
export function nameOf({ method, path, alias_of }: Route<never>): string {
  return `${method} ${alias_of ?? path}`
}
