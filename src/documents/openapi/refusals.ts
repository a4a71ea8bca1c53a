// Describes the refusals of a route, by status and in the shapes of its dialect.

import { z } from 'zod'
import { compatibleHeaders, errorTypes, ripperCode } from '../../http/compatible-dialect.ts'
import { isWebhook, type Shape, shapeOf, statusOf } from '../../http/dialects.ts'
import { type Route, refusalsOf } from '../../http/route.ts'
import { limitHeaders } from '../../http/use-limit.ts'
import { catalogue, type RefusalCode } from '../../kernel/errors.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import type { Content, Response } from './document.ts'

const code = { type: 'string', description: 'Branch on this.' }
const message = { type: ['string', 'null'], description: 'For people; never branch on it.' }

/** Each shape's name and schema. `coded` narrows its code to the given ones. */
const shapes: Record<Shape, { name: string; schema: object; coded(codes: RefusalCode[]): Record<string, object> }> = {
  checkout: {
    name: 'Refusal',
    coded: (codes) => ({ error: { enum: codes } }),
    schema: {
      type: 'object',
      required: ['error', 'message', 'request_id'],
      properties: { error: code, message, request_id: { type: 'string' } },
    },
  },
  endpoint: {
    name: 'EndpointRefusal',
    coded: (codes) => ({ error: { enum: codes } }),
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
  guard: {
    name: 'GuardRefusal',
    coded: (codes) => ({ error: { enum: codes } }),
    schema: closed({ error: code, message }),
  },
  key: {
    name: 'KeyRefusal',
    coded: (codes) => ({ code: { enum: codes } }),
    schema: closed({ code }),
  },
  replay: {
    name: 'ReplayRefusal',
    coded: (codes) => ({ error: { enum: codes } }),
    schema: closed({ error: code }),
  },
  compatible: {
    name: 'CompatibleRefusal',
    coded: (codes) => ({
      error: {
        type: 'object',
        properties: { ripper_code: { enum: [...new Set(codes.map(ripperCode))] } },
      },
    }),
    schema: closed({
      error: {
        type: 'object',
        required: ['type', 'code', 'message', 'ripper_code'],
        properties: {
          type: { enum: errorTypes },
          code: {
            type: 'string',
            description: 'The other platform’s code if it has one, else the API’s.',
          },
          message,
          param: { type: 'string', description: 'The parameter that is to blame, if one is.' },
          ripper_code: { type: 'string', description: 'The API’s code. Branch on this.' },
        },
        additionalProperties: false,
      },
    }),
  },
}

function closed(properties: Record<string, object>): object {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  }
}

export const refusalSchemas = Object.fromEntries(Object.values(shapes).map(({ name, schema }) => [name, schema]))

/** Several codes may share a status. One response then lists them all. */
export function refusalsByStatus(route: Route<never>): Record<string, Response> {
  const { dialect } = route
  const byStatus = Map.groupBy(refusalsOf(route), (each) =>
    statusOf(dialect, { code: each, status: catalogue[each].status }),
  )
  const responses = [...byStatus].map(([status, codes]): [string, Response] => [
    String(status),
    {
      description: [...codes.map(meaningOf), ...(status === 429 ? gatewayLimit(route) : [])].join('\n\n'),
      headers: {
        ...headersOf(route, status),
        ...(status === 429 && route.limit && describedHeaders(limitHeaders)),
      },
      content: jsonOf(bodyOf(route, codes)),
    },
  ])
  return {
    ...(isWebhook(dialect) ? {} : { 429: gatewayRefusal(route) }),
    ...Object.fromEntries(responses),
    // A caller may send a body even if the route takes none.
    ...(route.method !== 'GET' && unreadBodies(route)),
  }
}

const limited = 'Too many requests from this address; Retry-After says when to go on.'

/** Plain text, except on compatible routes, whose clients cannot read that. */
function gatewayRefusal(route: Route<never>): Response {
  const headers = headersOf(route, 429)
  if (route.dialect !== 'compatible') return { description: limited, headers }
  return { description: limited, headers, content: jsonOf(bodyOf(route, ['rate_limit_exceeded'])) }
}

function gatewayLimit({ dialect }: Route<never>): string[] {
  return isWebhook(dialect) ? [] : [limited]
}

function meaningOf(code: RefusalCode): string {
  return `\`${code}\`: ${catalogue[code].when}`
}

/** One schema for each shape among the codes, and one for each code that has members of its own. */
function bodyOf(route: Route<never>, codes: RefusalCode[]): object {
  const { dialect, refusal_members = {} } = route
  const byForm = Map.groupBy(codes, (each) => (Object.hasOwn(refusal_members, each) ? each : shapeOf(dialect, each)))
  const schemas = [...byForm.values()].map((group) => {
    const { name, coded } = shapes[shapeOf(dialect, group[0]!)]
    const members = refusal_members[group[0]!]
    return {
      allOf: [
        { $ref: `#/components/schemas/${name}` },
        { type: 'object', properties: coded(group) },
        // The schema does not name the members that every refusal has.
        ...(members ? [{ ...schemaOf(members, 'output'), additionalProperties: true }] : []),
      ],
    }
  })
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas }
}

function unreadBodies(route: Route<never>): Record<string, Response> {
  const content = jsonOf(bodyOf(route, ['invalid_request']))
  const headers = headersOf(route, 413)
  return {
    413: { description: '`invalid_request`: The body is larger than 128 KB.', headers, content },
    415: {
      headers,
      description: `\`invalid_request\`: The body is ${route.form ? 'neither JSON nor a form' : 'a form, not JSON'}.`,
      content,
    },
  }
}

/** The headers that every answer with this status has. */
export function headersOf({ dialect }: Route<never>, status: number): object {
  const headerRef = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } })
  return {
    ...headerRef('Rip-Request-Id'),
    ...((status === 429 || status === 503) && headerRef('Retry-After')),
    ...([400, 409, 422].includes(status) && dialect !== 'compatible' && headerRef('Rip-Error-Field')),
    ...(dialect === 'compatible' && describedHeaders(compatibleHeaders)),
  }
}

/** The headers to which `headersOf` refers. */
export const sharedHeaders = {
  'Rip-Request-Id': {
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-f]{24}$' },
    description: 'The id of this request. Refusals and repeated answers have one, too. Quote it to the operator.',
  },
  'Retry-After': {
    required: true,
    schema: { type: 'integer' },
    description: 'Seconds to wait before the request is sent again.',
  },
  'Rip-Error-Field': {
    schema: { type: 'string' },
    description: 'The JSON path, or the parameter, of what is at fault in the request, where something is.',
  },
}

export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest as Schema
}

export function describedHeaders(headers: Record<string, string>): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { schema: { type: 'string' }, description }]),
  )
}

export function jsonOf(schema: object): Content {
  return { 'application/json': { schema } }
}
