// The API's description, OpenAPI 3.1, made from the route records.

import { z } from 'zod'
import { api_version } from '../values.ts'
import { lifetimes } from './caching.ts'
import { keyRules } from './idempotency.ts'
import {
  describedHeaders,
  jsonOf,
  type Response,
  refusalSchemas,
  refusalsByStatus,
} from './openapi-refusals.ts'
import type { Route } from './route.ts'
import { limitHeaders } from './use-limit.ts'

export type OpenApiDocument = {
  openapi: string
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Operation>>
  components: object
}

export type Operation = {
  tags: string[]
  summary: string
  operationId: string
  security: object[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: NonNullable<Response['content']> }
  responses: Record<string, Response>
}

type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: object
  description?: string
}

// biome-ignore lint/suspicious/noExplicitAny: a route's context does not matter to its description.
export function openApiDocument(routes: Route<any>[]): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operationOf(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ripper Checkout',
      version: api_version,
      description:
        'Checkout sessions, payments, webhooks and what shoppers’ browsers call. Amounts are whole numbers in the currency’s minor unit; times are ISO 8601 with an offset.',
    },
    paths,
    components: {
      securitySchemes: {
        secret_key: { type: 'apiKey', in: 'header', name: 'X-Service-Api-Key' },
        client_secret: { type: 'apiKey', in: 'header', name: 'Rip-Client-Secret' },
      },
      schemas: refusalSchemas,
    },
  }
}

function operationOf(route: Route<never>): Operation {
  return {
    tags: [route.tag],
    summary: route.summary,
    operationId: operationId(route.summary),
    security: route.door.kind === 'open' ? [] : [{ [route.door.kind]: [] }],
    parameters: parametersOf(route),
    ...(route.body && {
      requestBody: {
        required: !route.body_optional,
        content: jsonOf(schemaOf(route.body, 'input')),
      },
    }),
    responses: {
      [route.status]: {
        description: 'Done',
        ...headersOf(route),
        ...(route.status !== 204 && { content: jsonOf(schemaOf(route.reply, 'output')) }),
      },
      ...(route.cache && { 304: { description: 'If-None-Match names what would be answered' } }),
      ...refusalsByStatus(route),
    },
  }
}

/** The headers of a success that say more of it. */
function headersOf(route: Route<never>): { headers?: object } {
  const headers = {
    ...(route.cache && cachingHeaders(route.cache)),
    ...(route.limit && describedHeaders(limitHeaders)),
    ...(route.idempotency && describedHeaders(replayHeaders)),
    ...(route.idempotency === 'optional' && describedHeaders(warningHeaders)),
  }
  return Object.keys(headers).length === 0 ? {} : { headers }
}

const replayHeaders = {
  'Rip-Idempotent-Replayed': 'With an idempotency key: true on the answer to a retry, else false.',
}
const warningHeaders = {
  'Rip-Idempotency-Warning': 'Without an idempotency key: that a retry will not be recognised.',
}

function cachingHeaders(cache: keyof typeof lifetimes): object {
  return {
    ETag: { schema: { type: 'string' }, description: 'Strong; for If-None-Match.' },
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
    }),
  )
  return [...inPath, ...inQuery, ...(route.cache ? [ifNoneMatch] : []), ...keyParameters(route)]
}

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The ETag of an answer that is there already.',
}

function keyParameters({ idempotency }: Route<never>): Parameter[] {
  if (!idempotency) return []
  const names = keyRules[idempotency].headers
  return names.map((name, index) => ({
    name,
    in: 'header',
    required: idempotency === 'required',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    description:
      index === 0
        ? 'Printable ASCII. A retry with the same key gets the first answer.'
        : `The same as ${names[0]}; where both are sent, they must be equal.`,
  }))
}

/**
 * All parameters of a query are optional: what is required stands in the path or the body. One that is there to be refused
 * by its name is not told of.
 */
function propertiesOf(query: z.ZodType | undefined): Record<string, { description?: string }> {
  const { properties = {} } = (query ? schemaOf(query, 'input') : {}) as {
    properties?: Record<string, object>
  }
  return Object.fromEntries(Object.entries(properties).filter(([, schema]) => !('not' in schema)))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function operationId(summary: string): string {
  return summary.toLowerCase().replace(/[^a-z0-9]+/g, '_')
}
