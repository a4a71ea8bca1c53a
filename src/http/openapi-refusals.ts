// The refusals of a route in the API's description: by status, in the shapes that its dialect gives them.

import { catalogue, type RefusalCode } from '../errors.ts'
import { isWebhook, type Shape, shapeOf, statusOf } from './dialects.ts'
import { type Route, refusalsOf } from './route.ts'
import { limitHeaders } from './use-limit.ts'

export type Response = {
  description: string
  headers?: object
  content?: { 'application/json': { schema: object } }
}

const code = { type: 'string', description: 'Branch on this.' }
const message = { type: ['string', 'null'], description: 'For people; never branch on it.' }

/** Each shape's schema, its name, and the member that holds the code. */
const shapes: Record<
  Exclude<Shape, 'compatible'>,
  { name: string; member: 'error' | 'code'; schema: object }
> = {
  checkout: {
    name: 'Refusal',
    member: 'error',
    schema: {
      type: 'object',
      required: ['error', 'message', 'request_id'],
      properties: { error: code, message, request_id: { type: 'string' } },
    },
  },
  endpoint: {
    name: 'EndpointRefusal',
    member: 'error',
    schema: closed({
      error: code,
      message,
      allowed: {
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'The event types; null unless one was unknown.',
      },
    }),
  },
  guard: { name: 'GuardRefusal', member: 'error', schema: closed({ error: code, message }) },
  key: { name: 'KeyRefusal', member: 'code', schema: closed({ code }) },
  replay: { name: 'ReplayRefusal', member: 'error', schema: closed({ error: code }) },
}

function closed(properties: Record<string, object>): object {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  }
}

export const refusalSchemas = Object.fromEntries(
  Object.values(shapes).map(({ name, schema }) => [name, schema]),
)

/** Several codes share a status: one response lists them all. */
export function refusalsByStatus(route: Route<never>): Record<string, Response> {
  const { dialect } = route
  const byStatus = Map.groupBy(refusalsOf(route), (each) =>
    statusOf(dialect, { code: each, status: catalogue[each].status }),
  )
  const responses = [...byStatus].map(([status, codes]): [string, Response] => [
    String(status),
    {
      description: [...codes.map(meaningOf), ...(status === 429 ? gatewayLimit(route) : [])].join(
        '\n\n',
      ),
      ...(status === 429 && route.limit && { headers: describedHeaders(limitHeaders) }),
      content: jsonOf(bodyOf(route, codes)),
    },
  ])
  return {
    ...(isWebhook(dialect) ? {} : { 429: { description: limited } }),
    ...Object.fromEntries(responses),
    ...(route.body && unreadBodies(route)),
  }
}

const limited = 'Too many requests from this address; Retry-After says when to go on.'

function gatewayLimit({ dialect }: Route<never>): string[] {
  return isWebhook(dialect) ? [] : [limited]
}

function meaningOf(code: RefusalCode): string {
  return `\`${code}\`: ${catalogue[code].when}`
}

/** A schema for each shape that the codes come in. */
function bodyOf({ dialect }: Route<never>, codes: RefusalCode[]): object {
  const byShape = Map.groupBy(codes, (each) => shapeOf(dialect, each))
  const schemas = [...byShape].map(([shape, group]) => {
    if (shape === 'compatible') throw new Error('the compatible shape is not described yet')
    const { name, member } = shapes[shape]
    return {
      allOf: [
        { $ref: `#/components/schemas/${name}` },
        { type: 'object', properties: { [member]: { enum: group } } },
      ],
    }
  })
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas }
}

function unreadBodies(route: Route<never>): Record<string, Response> {
  const content = jsonOf(bodyOf(route, ['invalid_request']))
  return {
    413: { description: '`invalid_request`: The body is larger than 128 KB.', content },
    415: { description: '`invalid_request`: The body is a form, not JSON.', content },
  }
}

export function describedHeaders(headers: Record<string, string>): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { schema: { type: 'string' }, description },
    ]),
  )
}

export function jsonOf(schema: object): NonNullable<Response['content']> {
  return { 'application/json': { schema } }
}
