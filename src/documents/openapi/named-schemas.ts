// Gives the API's types their names: each shape that has one is called by it wherever it stands.

import type { Schema } from '../../kernel/json-schema.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import { schemaNames } from './schema-names.ts'

/** A type of the API. `side` is where it first stands: in what is sent to the service, or in what comes from it. */
export type NamedSchema = {
  name: string
  note: string
  side: 'request' | 'answer'
  schema: Schema
}

/** Names every such shape of a document by its `title`; the shapes stay where they are. */
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

/** Puts each named shape among the components once, and a reference to it wherever it stood. */
export function withReferences(document: OpenApiDocument): OpenApiDocument {
  const refer = (schema: Schema): object => {
    const { title, description } = schema
    // An object may also be the members of a schema, one of them called so.
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

/** What the list names, in its order, as far as the document has it: one that is made of some routes has no more. */
export function namedSchemas(document: OpenApiDocument): NamedSchema[] {
  const places = wholeBodies(document)
  const found: NamedSchema[] = []
  // A shape may be a part of one that stands below it in the list.
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

/** Bodies and answers by `operation.request` and `operation.answer`, events by `operation.event`. */
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

/** Follows `.member`, `[]` and `|message`, which is the alternative for that type of message. */
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

/** A copy in which `change` was applied to every object inside, not to the outermost. */
function mapMembers(node: object, change: (schema: Schema) => object): object {
  const map = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(map)
    return each !== null && typeof each === 'object' ? change(each) : each
  }
  return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, map(each)]))
}

/** Equal for shapes that mean the same, wherever they stand and whatever is said of them there. */
function sameness({ description: _, title: __, ...shape }: Schema): string {
  return JSON.stringify(shape)
}
