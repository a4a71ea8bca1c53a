// A route is one record. It yields validation, types, access, idempotency, OpenAPI and the shape of its refusals.

import type { z } from 'zod'
import type { RefusalCode } from '../errors.ts'
import type { Caller, Door } from './access.ts'
import type { Cors } from './cors.ts'
import type { Dialect } from './dialects.ts'
import type { KeyRow } from './idempotency.ts'

export type RouteRequest<Holder, Body, Query> = {
  holder: Holder
  params: Record<string, string>
  query: Query
  body: Body
  caller: Caller
  request_id: string
  now: Date
  /** On idempotent routes: the row to write in the transaction that creates what `reply` describes. */
  recordReply(reply: unknown): KeyRow
}

type RouteRecord<
  Context,
  Holder,
  Body extends z.ZodType,
  Reply extends z.ZodType,
  Query extends z.ZodType,
> = {
  method: 'GET' | 'POST' | 'DELETE'
  /** With parameters in braces, as the specification writes it. */
  path: string
  tag: string
  summary: string
  door: Door<Context, Holder>
  dialect: Dialect
  /** 'required' needs Rip-Idempotency-Key; without the field the route takes none. */
  idempotency?: 'required'
  /** How long browsers and caches between may keep the answer; without the field, not at all. */
  cache?: 'five_minutes'
  /** Which pages of other origins may read the answers; without the field, none. */
  cors?: Cors<Context>
  query?: Query
  body?: Body
  /** A request without a body then reads as undefined. */
  body_optional?: true
  status: number
  /** An allow-list: a member that it does not name cannot leave, one that it names cannot be forgotten. */
  reply: Reply
  /** Every code that the handler may refuse with; access, body and idempotency add their own. */
  refusals: readonly RefusalCode[]
  /** Comes after authentication and the look for a replay, before validation: may this account act at all? */
  admit?(context: Context, holder: Holder): Promise<void>
  handle(
    context: Context,
    request: RouteRequest<Holder, z.output<Body>, z.output<Query>>,
  ): Promise<z.input<Reply>>
}

export type Route<Context> = RouteRecord<Context, unknown, z.ZodType, z.ZodType, z.ZodType>

/** Types a route's handler by its own door, body and reply, then forgets them so that routes fit into one list. */
export function route<
  Context,
  Holder,
  Body extends z.ZodType,
  Reply extends z.ZodType,
  Query extends z.ZodType,
>(record: RouteRecord<Context, Holder, Body, Reply, Query>): Route<Context> {
  return record as unknown as Route<Context>
}

/** All codes that a route can answer with: its own and those of the fields that it declares. */
export function refusalsOf(route: Route<never>): RefusalCode[] {
  const codes = new Set<RefusalCode>([...route.refusals, ...route.door.refusals])
  if (route.idempotency) codes.add('idempotency_key_missing').add('idempotency_key_reused')
  if (route.body || route.query) codes.add('invalid_request')
  return [...codes.add('store_unavailable').add('internal_error')]
}
