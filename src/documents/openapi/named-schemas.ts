// Finds the API's types: the schemas whose `title` says what they are called, and whose `note` says what they are.

import type { Schema } from '../../kernel/json-schema.ts'
import type { OpenApiDocument } from './document.ts'

/** `side` says where the type first occurs: in a request, or in an answer. */
export type NamedSchema = { name: string; note: string; side: 'request' | 'answer'; schema: Schema }

/** Each type of a document once, in the order in which they occur. */
export function namedSchemas({ paths, webhooks }: Pick<OpenApiDocument, 'paths' | 'webhooks'>): NamedSchema[] {
  const types = new Map<string, NamedSchema>()
  const collect = (node: unknown, side: NamedSchema['side']) => {
    if (node === null || typeof node !== 'object') return
    const { title: name, note } = node as Schema
    if (typeof name === 'string' && !types.has(name)) types.set(name, { name, note: note!, side, schema: node })
    for (const each of Object.values(node)) collect(each, side)
  }
  for (const { requestBody, responses } of Object.values(paths).flatMap((each) => Object.values(each))) {
    collect(requestBody, 'request')
    collect(responses, 'answer')
  }
  collect(webhooks, 'answer')
  return [...types.values()]
}

/** Moves each type to the components, and puts references in its places. */
export function withReferences(document: OpenApiDocument): OpenApiDocument {
  const refer = (schema: Schema): object => {
    const { title, description } = schema
    // An object may also be a map of a schema's members, one of which is called `title`.
    if (typeof title !== 'string') return mapMembers(schema, refer)
    return { $ref: `#/components/schemas/${title}`, ...(description && { description }) }
  }
  const shapes = namedSchemas(document).map(({ name, note, schema }) => {
    const { title: _, description: __, note: ___, ...rest } = schema
    return [name, { description: note, ...mapMembers(rest, refer) }]
  })
  const { paths, webhooks, components } = document
  return {
    ...document,
    ...(mapMembers({ paths, webhooks }, refer) as Pick<OpenApiDocument, 'paths' | 'webhooks'>),
    components: { ...components, schemas: { ...Object.fromEntries(shapes), ...components.schemas } },
  }
}

/** A copy with `change` applied to every object inside it, except the outermost. */
function mapMembers(node: object, change: (schema: Schema) => object): object {
  const map = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(map)
    return each !== null && typeof each === 'object' ? change(each) : each
  }
  return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, map(each)]))
}
