// Makes an example of an operation: a request that the service accepts, as values and as a line for curl, and its answer.

import type { Schema } from '../../kernel/json-schema.ts'
import type { OpenApiDocument, Operation } from '../openapi/document.ts'
import { chosenValues } from './chosen-values.ts'
import { exampleOf } from './example.ts'
import { sampleValues } from './example-values.ts'
import { alternatives } from './schema.ts'

export type DocumentedOperation = { method: string; path: string; operation: Operation }

/** Every operation, in the order of the API's description. */
export function operationsOf({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
}

export type RequestExample = {
  method: string
  /** The parameters of the path are still in braces. */
  path: string
  query: Record<string, string>
  /** Keys and secrets are shell variables: `$KEY`, `$SECRET`. */
  headers: Record<string, string>
  body: unknown
  is_form: boolean
}

export function requestExample(documentedOperation: DocumentedOperation): RequestExample {
  const { method, path, operation } = documentedOperation
  const chosen = chosenValues[operation.operationId] ?? {}
  const content = operation.requestBody?.content
  const schema = content?.['application/json'].schema as Schema | undefined
  const is_form = content?.['application/x-www-form-urlencoded'] !== undefined
  const body = schema && exampleOf(schema, { chosen: chosen.request ?? {}, side: 'request' })
  const is_empty = body === undefined || Object.keys(body as object).length === 0
  return {
    method: method.toUpperCase(),
    path,
    query: chosen.query ?? {},
    is_form,
    headers: {
      ...doorHeaders(operation),
      ...keyHeader(documentedOperation),
      ...(!is_empty && !is_form && { 'Content-Type': 'application/json' }),
    },
    body: is_empty ? null : body,
  }
}

function doorHeaders({ security }: Operation): Record<string, string> {
  const [door] = security.flatMap(Object.keys)
  if (door === 'secret_key') return { 'X-Service-Api-Key': '$KEY' }
  if (door === 'bearer_key') return { Authorization: 'Bearer $KEY' }
  return door === 'client_secret' ? { 'Rip-Client-Secret': '$SECRET' } : {}
}

/** The idempotency key goes under the first of its names. A page's request also has an Origin. */
function keyHeader({ path, operation }: DocumentedOperation): Record<string, string> {
  const { parameters, security, operationId } = operation
  const key = parameters.find((each) => each.in === 'header' && /Idempotency-Key$/.test(each.name))
  if (!key) return {}
  const [verb] = operationId.split('_')
  const value = chosenValues[operationId]?.idempotency_key ?? `order-1001-${verb}`
  const origin = path.includes('/handles/') ? '$API' : 'https://shop.example'
  return { ...(security.length === 0 && { Origin: origin }), [key.name]: value }
}

/** One command for a shell, continued over several lines if it is long. */
export function curlOf({ method, path, query, headers, body, is_form }: RequestExample): string {
  const query_text = new URLSearchParams(query).toString().replaceAll('%2C', ',')
  const address = `"$API${path.replace(/\{(\w+)\}/g, (whole, name) => pathValue(name) ?? whole)}${query_text && `?${query_text}`}"`
  const is_plain = method === 'GET' || (method === 'POST' && body !== null)
  const option = path.endsWith('/stream') ? '-N ' : is_plain ? '' : `-X ${method} `
  const heads = Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`)
  const data = is_form ? formFields(body) : body ? [`-d '${JSON.stringify(body, null, 2)}'`] : []
  return [`curl ${option}${address}`, ...heads, ...data].join(' \\\n  ')
}

/** Undefined if there is no sample; the parameter then stays in its braces. */
function pathValue(name: string): string | undefined {
  const value = sampleValues[name]?.find((each) => each !== null)
  return value === undefined ? undefined : String(value)
}

/** The body as clients of the other platform send it: `lines[0][price][name]=…`. */
function formFields(body: unknown, within = ''): string[] {
  return Object.entries((body ?? {}) as Record<string, unknown>).flatMap(([key, value]) => {
    const name = within === '' ? key : `${within}[${key}]`
    return value !== null && typeof value === 'object' ? formFields(value, name) : [`-d "${name}=${value}"`]
  })
}

export type AnswerExample = { status: string; type: 'json' | 'stream' | 'none'; bodies: unknown[] }

/** A create of ours shares its path with one of the other platform, which answers 200. */
export function successStatus({ responses }: Pick<Operation, 'responses'>): string {
  return '201' in responses ? '201' : Object.keys(responses).find((code) => code < '300')!
}

/** The answer to that request. A stream gives one message of each shape. */
export function answerExample({ operation }: Pick<DocumentedOperation, 'operation'>): AnswerExample {
  const status = successStatus(operation)
  const { content } = operation.responses[status]!
  const [[type, { schema }] = [null, { schema: {} }]] = Object.entries(content ?? {})
  if (type === null) return { status, type: 'none', bodies: [] }
  const chosen = chosenValues[operation.operationId]?.answer ?? {}
  const is_stream = type === 'text/event-stream'
  const shapes = alternatives(schema as Schema)
  // The request's key has the first of several answers.
  const shownShapes = is_stream ? shapes : shapes.slice(0, 1)
  const bodies = shownShapes.map((each) => exampleOf(each, { chosen, side: 'answer' }))
  return { status, type: is_stream ? 'stream' : 'json', bodies }
}

/** The messages as they come over the wire. */
export function answerText({ type, bodies }: AnswerExample): string {
  if (type === 'json') return JSON.stringify(bodies[0], null, 2)
  const messages = bodies as { event: string; id?: string; data: object }[]
  return messages
    .map(({ event, id, data }) => {
      const id_line = id === undefined ? '' : `id: ${id}\n`
      return `${id_line}event: ${event}\ndata: ${JSON.stringify(data)}`
    })
    .join('\n\n')
}

/** The body of an event, as a webhook sends it. */
export function eventExample(operation_id: string, schema: Schema): unknown {
  return exampleOf(schema, { chosen: chosenValues[operation_id]?.answer ?? {}, side: 'answer' })
}
