// What the API's own description says of each operation: all that the fuzzer knows of the API.

import { type Schema as Described, resolve } from '../../tests/support/schema.ts'

export type Schema = Omit<Described, 'properties' | 'items' | 'anyOf' | 'allOf'> & {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

export type Document = {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema> }
}

type Content = { 'application/json'?: { schema: Schema }; [type: string]: unknown }
type DescribedOperation = {
  description?: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

export type Operation = {
  /** Method and path: `POST /v1/checkout/sessions`. */
  name: string
  method: string
  path: string
  door: 'secret_key' | 'bearer_key' | 'client_secret' | 'open'
  /** Names in the path. */
  params: string[]
  query: { name: string; schema: Schema }[]
  /** Headers that an idempotency key may stand in. */
  keys: string[]
  takes_tag: boolean
  body: Schema | null
  takes_forms: boolean
  /** The schema of each status, null for an answer without JSON. */
  responses: Map<number, Schema | null>
  /** The status of success, and every code of refusals with its status. */
  success: number
  refusals: Map<string, number>
}

/** Every operation, and each again at its other addresses. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) => {
      const [, others = ''] = /^Also at (.*)\.$/.exec(described.description ?? '') ?? []
      const paths = [path, ...others.split(', ').filter((other) => other !== '')]
      const operation = whole(described, document)
      return paths.map((each) => operationOf(method.toUpperCase(), each, operation))
    }),
  )
}

/** A part of the document with what its references name in their place. */
function whole<Part>(part: Part, document: Document): Part {
  if (Array.isArray(part)) return part.map((each) => whole(each, document)) as Part
  if (part === null || typeof part !== 'object') return part
  const { $ref } = part as { $ref?: unknown }
  if (typeof $ref === 'string') return whole(resolve($ref, document) as Part, document)
  const members = Object.entries(part).map(([name, each]) => [name, whole(each, document)])
  return Object.fromEntries(members) as Part
}

function operationOf(
  method: string,
  path: string,
  { security, parameters, requestBody, responses }: DescribedOperation,
): Operation {
  const statuses = Object.entries(responses).map(
    ([status, { content }]) => [Number(status), content?.['application/json']?.schema] as const,
  )
  const refusals = new Map<string, number>()
  for (const [status, schema] of statuses) {
    if (status < 400 || !schema) continue
    for (const code of codesIn(schema)) refusals.set(code, status)
  }
  return {
    name: `${method} ${path}`,
    method,
    path,
    refusals,
    door: (Object.keys(security[0] ?? {})[0] ?? 'open') as Operation['door'],
    params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    query: parameters.filter((each) => each.in === 'query'),
    keys: parameters.filter(({ name }) => /idempotency-key/i.test(name)).map(({ name }) => name),
    takes_tag: parameters.some(({ name }) => name === 'If-None-Match'),
    body: requestBody?.content['application/json']?.schema ?? null,
    takes_forms: requestBody !== undefined && 'application/x-www-form-urlencoded' in requestBody.content,
    responses: new Map(statuses.map(([status, schema]) => [status, schema ?? null])),
    success: statuses.find(([status]) => status < 300)![0],
  }
}

/** The codes that a refusal's schema lists, wherever its family has them. */
function codesIn(schema: Schema): string[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(codesIn)
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    if (/^(error|code|ripper_code)$/.test(name) && each.enum) return each.enum as string[]
    return name === 'error' ? codesIn(each) : []
  })
  return [...inner, ...members]
}

/** The operation that a request's method and path mean, if any. */
export function matching(operations: Operation[], method: string, path: string): Operation | undefined {
  const parts = path.split('/')
  const fits = (operation: Operation) => {
    const names = operation.path.split('/')
    return (
      operation.method === method &&
      names.length === parts.length &&
      names.every((name, index) => (name.startsWith('{') ? parts[index] : name === parts[index]))
    )
  }
  return operations.find((operation) => operation.params.length === 0 && fits(operation)) ?? operations.find(fits)
}
