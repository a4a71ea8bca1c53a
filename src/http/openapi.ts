// The API's description, OpenAPI 3.1, made from the route records.

import { z } from 'zod'
import { catalogue, type RefusalCode } from '../errors.ts'
import { api_version } from '../values.ts'
import { lifetimes } from './caching.ts'
import { type Route, refusalsOf } from './route.ts'

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
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description: string; headers?: object; content?: Content }>
}

type Content = { 'application/json': { schema: object } }
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
        'Checkout sessions, payments and what shoppers’ browsers call. Amounts are whole numbers in the currency’s minor unit; times are ISO 8601 with an offset.',
    },
    paths,
    components: {
      securitySchemes: {
        secret_key: { type: 'apiKey', in: 'header', name: 'X-Service-Api-Key' },
        client_secret: { type: 'apiKey', in: 'header', name: 'Rip-Client-Secret' },
      },
      schemas: { Refusal: refusalSchema },
    },
  }
}

const refusalSchema = {
  type: 'object',
  required: ['error', 'message', 'request_id'],
  properties: {
    error: { type: 'string', description: 'Branch on this.' },
    message: { type: ['string', 'null'], description: 'For people; never branch on it.' },
    request_id: { type: 'string' },
  },
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
        ...(route.cache && { headers: cachingHeaders(route.cache) }),
        content: jsonOf(schemaOf(route.reply, 'output')),
      },
      ...(route.cache && { 304: { description: 'If-None-Match names what would be answered' } }),
      429: { description: limited },
      ...refusalsByStatus(refusalsOf(route)),
      ...(route.body && unreadBodies),
    },
  }
}

const limited = 'Too many requests from this address; Retry-After says when to go on.'

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
  return [
    ...inPath,
    ...inQuery,
    ...(route.cache ? [ifNoneMatch] : []),
    ...(route.idempotency ? [idempotencyKey] : []),
  ]
}

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The ETag of an answer that is there already.',
}

const idempotencyKey: Parameter = {
  name: 'Rip-Idempotency-Key',
  in: 'header',
  required: true,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  description: 'Printable ASCII. A retry with the same key gets the first answer.',
}

/** All parameters of a query are optional: what is required stands in the path or the body. */
function propertiesOf(query: z.ZodType | undefined): Record<string, { description?: string }> {
  const { properties = {} } = (query ? schemaOf(query, 'input') : {}) as {
    properties?: Record<string, object>
  }
  return properties
}

/** Several codes share a status: one response lists them all. */
function refusalsByStatus(codes: RefusalCode[]): Operation['responses'] {
  const byStatus = Map.groupBy(codes, (code) => catalogue[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: [
          ...group.map((code) => `\`${code}\`: ${catalogue[code].when}`),
          ...(status === 429 ? [limited] : []),
        ].join('\n\n'),
        content: jsonOf({
          allOf: [
            { $ref: '#/components/schemas/Refusal' },
            { type: 'object', properties: { error: { enum: group } } },
          ],
        }),
      },
    ]),
  )
}

const unreadBodies: Operation['responses'] = {
  413: {
    description: '`invalid_request`: The body is larger than 128 KB.',
    content: jsonOf({ $ref: '#/components/schemas/Refusal' }),
  },
  415: {
    description: '`invalid_request`: The body is a form, not JSON.',
    content: jsonOf({ $ref: '#/components/schemas/Refusal' }),
  },
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function jsonOf(schema: object): Content {
  return { 'application/json': { schema } }
}

function operationId(summary: string): string {
  return summary.toLowerCase().replace(/[^a-z0-9]+/g, '_')
}
