// Makes the API's description, OpenAPI 3.1, from the route records.

import type { z } from 'zod'
import { lifetimes } from '../../http/caching.ts'
import { keyRules } from '../../http/idempotency.ts'
import type { Route } from '../../http/route.ts'
import { describedRoute, type Stream } from '../../http/stream.ts'
import { limitHeaders } from '../../http/use-limit.ts'
import { api_version } from '../../kernel/values.ts'
import type { Content, OpenApiDocument, Operation, Parameter, Response, Server, Webhook } from './document.ts'
import { addLinks } from './links.ts'
import { withReferences } from './named-schemas.ts'
import {
  describedHeaders,
  headersOf,
  jsonOf,
  refusalSchemas,
  refusalsByStatus,
  schemaOf,
  sharedHeaders,
} from './refusals.ts'

/** An event that merchants receive: its type, when it is sent, and its body. */
export type DescribedEvent = { type: string; summary: string; schema: z.ZodType }

// biome-ignore lint/suspicious/noExplicitAny: a route's context does not matter to its description.
type AnyRoute = Route<any>
// biome-ignore lint/suspicious/noExplicitAny: nor does a stream's.
type AnyStream = Stream<any>

/** The document as it is served: each named type once, among the components. */
export function openApiDocument(
  routes: AnyRoute[],
  events: DescribedEvent[] = [],
  streams: AnyStream[] = [],
): OpenApiDocument {
  return withReferences(inlineDocument(routes, events, streams))
}

/** The same document with every schema where it is used. Named types have their name as `title`. */
export function inlineDocument(
  routes: AnyRoute[],
  events: DescribedEvent[] = [],
  streams: AnyStream[] = [],
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    if (route.alias_of) continue
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operationOf(route, aliasesOf(route, routes))
  }
  for (const route of routes) {
    const native = paths[route.path]?.[route.method.toLowerCase()]
    if (!route.alias_of || !native) continue
    const other = operationOf(route, [])
    paths[route.path]![route.method.toLowerCase()] = sharedBy(native, other, route.alias_of)
  }
  for (const stream of streams) paths[stream.path] = { get: streamOf(stream) }
  addLinks(paths)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ripper Checkout',
      version: api_version,
      description:
        'Checkout sessions, payments, webhooks and what shoppers’ browsers call. Amounts are whole numbers in the currency’s minor unit; times are ISO 8601 with an offset.',
    },
    servers,
    paths,
    webhooks: Object.fromEntries(events.map((event) => [event.type, { post: webhookOf(event) }])),
    components: {
      securitySchemes: {
        secret_key: { type: 'apiKey', in: 'header', name: 'X-Service-Api-Key' },
        bearer_key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A secret key. The user name of Basic, without a password, works too.',
        },
        client_secret: { type: 'apiKey', in: 'header', name: 'Rip-Client-Secret' },
      },
      headers: sharedHeaders,
      schemas: refusalSchemas,
    },
  }
}

/** The schema describes one message, whose `data` is a line of JSON. */
function streamOf(stream: Stream<never>): Operation {
  const operation = operationOf(describedRoute(stream), [])
  const success = operation.responses[200]!
  const description = 'Server-Sent Events, for as long as the caller listens.'
  const content = { 'text/event-stream': success.content!['application/json'] } as unknown as Content
  const responses = { ...operation.responses, 200: { ...success, description, content } }
  return { ...operation, responses }
}

/** The other addresses of a route. */
function aliasesOf(route: Route<never>, routes: Route<never>[]): string[] {
  return routes
    .filter(({ method, alias_of }) => method === route.method && alias_of === route.path)
    .map(({ path }) => path)
}

function operationOf(route: Route<never>, aliases: string[]): Operation {
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(aliases.length > 0 && { description: `Also at ${aliases.join(', ')}.` }),
    operationId: operationId(route.summary),
    security: route.access.kind === 'open' ? [] : [{ [route.access.kind]: [] }],
    parameters: parametersOf(route),
    ...(route.body && {
      requestBody: {
        required: !route.body_optional,
        content: bodyOf(route, schemaOf(route.body, 'input')),
      },
    }),
    responses: {
      [route.status]: {
        description: 'Done',
        headers: successHeaders(route),
        ...(route.status !== 204 && { content: jsonOf(schemaOf(route.reply, 'output')) }),
      },
      ...(route.accepted && {
        202: {
          description: route.accepted,
          headers: successHeaders(route),
          content: jsonOf(schemaOf(route.reply, 'output')),
        },
      }),
      ...(route.cache && { 304: notModified(route) }),
      ...refusalsByStatus(route),
    },
  }
}

function webhookOf({ type, summary, schema }: DescribedEvent): Webhook {
  return {
    tags: ['Events'],
    summary,
    operationId: operationId(type),
    security: [],
    parameters: [signatureHeader, eventKeyHeader],
    requestBody: { required: true, content: jsonOf(schemaOf(schema, 'output')) },
    responses: {
      '2XX': {
        description: 'You have stored it. After any other answer the service sends the event again.',
      },
    },
  }
}

const signatureHeader: Parameter = {
  name: 'Rip-Signature',
  in: 'header',
  required: true,
  schema: { type: 'string', pattern: '^t=\\d+(,v1=[0-9a-f]{64})+$' },
  description:
    't=<unix seconds>,v1=<hex>: HMAC-SHA-256 of `<t>.<body as it came>` with the whole signing secret. There are two v1 while you rotate a secret.',
}
const eventKeyHeader: Parameter = {
  name: 'Rip-Idempotency-Key',
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description: 'The same for every attempt and replay of one event to one endpoint.',
}

function bodyOf({ form }: Route<never>, schema: object): Content {
  if (!form) return jsonOf(schema)
  const encoding = Object.fromEntries(form.maps.map((name) => [name, { style: 'deepObject', explode: true }]))
  return { ...jsonOf(schema), 'application/x-www-form-urlencoded': { schema, encoding } }
}

function successHeaders(route: Route<never>): object {
  return {
    ...headersOf(route, route.status),
    ...(route.cache && cachingHeaders(route.cache)),
    ...(route.limit && describedHeaders(limitHeaders)),
    ...(route.idempotency && describedHeaders(replayHeaders)),
    ...(takesKeyless(route) && describedHeaders(warningHeaders)),
  }
}

function notModified(route: Route<never>): Response {
  return {
    description: 'The answer has not changed since the ETag in If-None-Match',
    headers: { ...headersOf(route, 304), ...cachingHeaders(route.cache!) },
  }
}

function takesKeyless({ idempotency }: Route<never>): boolean {
  return idempotency !== undefined && keyRules[idempotency].is_optional
}

const replayHeaders = {
  'Rip-Idempotent-Replayed': 'With an idempotency key: true if this answer repeats an earlier one, else false.',
}
const warningHeaders = {
  'Rip-Idempotency-Warning': 'Without an idempotency key: warns that the service cannot recognise a retry.',
}

function cachingHeaders(cache: keyof typeof lifetimes): object {
  return {
    ETag: { schema: { type: 'string' }, description: 'A strong ETag, for If-None-Match.' },
    'Cache-Control': { schema: { const: `public, max-age=${lifetimes[cache]}` } },
  }
}

function parametersOf(route: Route<never>): Parameter[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(
    ([, name]): Parameter => ({
      name: name!,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }),
  )
  const inQuery = Object.entries(propertiesOf(route.query)).map(
    ([name, schema]): Parameter => ({
      name,
      in: 'query',
      required: false,
      schema,
      description: schema.description,
      ...(isInBrackets(schema) && { style: 'deepObject', explode: true }),
    }),
  )
  return [...inPath, ...inQuery, ...(route.cache ? [ifNoneMatch] : []), ...keyParameters(route)]
}

/** As the other platform's clients send lists and objects, and as its own description says so. */
function isInBrackets({ type, anyOf = [] }: QuerySchema): boolean {
  return type === 'array' || anyOf.some((each) => each.type === 'object')
}

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The ETag of an answer that you already have.',
}

function keyParameters({ idempotency }: Route<never>): Parameter[] {
  if (!idempotency) return []
  const names = keyRules[idempotency].headers
  return names.map((name, index) => ({
    name,
    in: 'header',
    required: !keyRules[idempotency].is_optional,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    description:
      index === 0
        ? 'Printable ASCII. A retry with the same key gets the first answer.'
        : `The same as ${names[0]}. If you send both, they must be equal.`,
  }))
}

type QuerySchema = { description?: string; type?: string; anyOf?: QuerySchema[] }

/**
 * All parameters of a query are optional, because required values are in the path or the body. Leaves out parameters that exist only
 * so that the service can refuse them by name.
 */
function propertiesOf(query: z.ZodType | undefined): Record<string, QuerySchema> {
  const { properties = {} } = (query ? schemaOf(query, 'input') : {}) as {
    properties?: Record<string, QuerySchema>
  }
  return Object.fromEntries(Object.entries(properties).filter(([, schema]) => !('not' in schema)))
}

function operationId(summary: string): string {
  return summary.toLowerCase().replace(/[^a-z0-9]+/g, '_')
}

/** Without servers, generators make clients of `http://localhost`; of `/`, too, where they read a file. */
const servers: Server[] = [
  {
    url: '{base_url}',
    description: 'Your own service',
    variables: {
      base_url: {
        default: 'http://127.0.0.1:8080',
        description: 'Its RIPPER_BASE_URL, without a slash at the end. The default is where `npm start` serves.',
      },
    },
  },
]

/**
 * The description of both. `native` is the route's own; `other` is described at an address of its own, `described_at`, with the
 * same parameters.
 */
function sharedBy(native: Operation, other: Operation, described_at: string): Operation {
  const statuses = new Set([...Object.keys(native.responses), ...Object.keys(other.responses)])
  const description = `With X-Service-Api-Key as here; with a Bearer key as at ${described_at}.`
  return {
    ...native,
    description: [native.description, description].filter(Boolean).join(' '),
    security: [...native.security, ...other.security],
    responses: Object.fromEntries(
      [...statuses].map((status) => [status, eitherResponse(native.responses[status], other.responses[status])]),
    ),
  }
}

function eitherResponse(one: Response | undefined, other: Response | undefined): Response {
  if (!one || !other) return (one ?? other)!
  const descriptions = new Set([one.description, other.description])
  const content = eitherContent(one.content, other.content)
  return {
    description: [...descriptions].join('\n\n'),
    headers: { ...one.headers, ...other.headers },
    ...(content && { content }),
  }
}

function eitherContent(one: Content | undefined, other: Content | undefined): Content | undefined {
  if (!one || !other) return one ?? other
  const shapes = [one, other].map((each) => each['application/json'].schema)
  return { 'application/json': { schema: { anyOf: shapes } } }
}
