// Gives the API's types their names, wherever their shapes occur.

import type { Schema } from '../../kernel/json-schema.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import { schemaNames } from './schema-names.ts'

/** A type of the API. `side` says where it first occurs: in a request, or in an answer. */
export type NamedSchema = {
  name: string
  note: string
  side: 'request' | 'answer'
  schema: Schema
}

/** Names each such shape of a document by its `title`, and leaves the shapes where they are. */
export function withNames(document: OpenApiDocument): OpenApiDocument {
  const found = namedSchemas(document)
  const names = new Map(found.map(({ name, schema }) => [sameness(schema), name]))
  const named = (schema: Schema): Schema => {
    const title = names.get(sameness(schema))
    const inner = mapMembers(schema, named) as Schema
    return title === undefined ? inner : { title, ...inner }
  }
  const { paths, webhooks } = document
  return { ...document, ...(mapMembers({ paths, webhooks }, named) as typeof document) }
}

/** Moves each named shape to the components, and puts references in its places. */
export function withReferences(document: OpenApiDocument): OpenApiDocument {
  const refer = (schema: Schema): object => {
    const { title, description } = schema
    // An object may also be a map of a schema's members, one of which is called `title`.
    if (typeof title !== 'string') return mapMembers(schema, refer)
    return { $ref: `#/components/schemas/${title}`, ...(description && { description }) }
  }
  const shapes = namedSchemas(document).map(({ name, note, schema }) => {
    const { title: _, description: __, ...rest } = schema
    return [name, { description: note, ...mapMembers(rest, refer) }]
  })
  const { paths, webhooks, components } = document
  return {
    ...document,
    ...(mapMembers({ paths, webhooks }, refer) as Pick<OpenApiDocument, 'paths' | 'webhooks'>),
    components: {
      ...components,
      schemas: { ...Object.fromEntries(shapes), ...components.schemas },
    },
  }
}

/** The shapes that the list names, in its order. A document that is made of some routes has only some of them. */
export function namedSchemas(document: OpenApiDocument): NamedSchema[] {
  const places = wholeBodies(document)
  const found: NamedSchema[] = []
  // A shape may be part of one that comes later in the list.
  const find = (name: string): NamedSchema | null => {
    const known = found.find((each) => each.name === name)
    const line = schemaNames.find((each) => each.name === name)
    if (known || !line) return known ?? null
    const [, start, steps] = /^(\w+(?:\.(?:request|answer|event)\b)?)(.*)$/.exec(line.at)!
    const whole = places.get(start!) ?? find(start!)
    if (!whole) return null
    const schema = stepInto(whole.schema, steps!)
    found.push({ name, note: line.note ?? whole.note, side: whole.side, schema })
    return found.at(-1)!
  }
  return schemaNames.map(({ name }) => find(name)).filter((each) => each !== null)
}

type Whole = Omit<NamedSchema, 'name'>

/** Finds bodies by `operation.request`, answers by `operation.answer`, and events by `operation.event`. */
function wholeBodies({ paths, webhooks }: OpenApiDocument): Map<string, Whole> {
  const places = new Map<string, Whole>()
  const add = (
    { operationId, summary }: Pick<Operation, 'operationId' | 'summary'>,
    what: 'request' | 'answer' | 'event',
    content: object | undefined,
  ) => {
    const [first] = Object.values(content ?? {}) as { schema: Schema }[]
    const side = what === 'request' ? 'request' : 'answer'
    if (first) places.set(`${operationId}.${what}`, { note: summary, side, schema: first.schema })
  }
  for (const operation of Object.values(paths).flatMap((each) => Object.values(each))) {
    add(operation, 'request', operation.requestBody?.content)
    add(operation, 'answer', successOf(operation)?.content)
  }
  for (const { post } of Object.values(webhooks)) add(post, 'event', post.requestBody?.content)
  return places
}

function successOf({ responses }: Operation) {
  return Object.entries(responses).find(([status]) => status < '300')?.[1]
}

/** Follows `.member`, `[]` and `|message`; the last is the alternative for that type of message. */
function stepInto(schema: Schema, steps: string): Schema {
  return [...steps.matchAll(/\.(\w+)|\[\]|\|(\w+)/g)].reduce((from, [step, member, message]) => {
    const shapes = from.anyOf ?? [from]
    const next = shapes.flatMap((each) => {
      if (member !== undefined) return each.properties?.[member] ?? []
      if (message === undefined) return each.items ?? []
      return each.properties?.event?.enum?.[0] === message ? each : []
    })
    if (next.length !== 1) throw new Error(`${step} of ${steps} is not one shape`)
    return withoutNull(next[0]!)
  }, schema)
}

function withoutNull(schema: Schema): Schema {
  const [only, ...more] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [schema]
  return more.length === 0 ? only! : schema
}

/** A copy with `change` applied to every object inside it, except the outermost. */
function mapMembers(node: object, change: (schema: Schema) => object): object {
  const map = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(map)
    return each !== null && typeof each === 'object' ? change(each) : each
  }
  return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, map(each)]))
}

/** Equal for shapes that mean the same, whatever their place and their description. */
function sameness({ description: _, title: __, ...shape }: Schema): string {
  return JSON.stringify(shape)
}
