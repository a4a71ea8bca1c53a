// Reads from a field's schema what a page shows of it.

import type { Schema } from '../../kernel/json-schema.ts'

/** The alternatives of a field, without null. A field that can only be null has itself. */
export function alternatives(schema: Schema): Schema[] {
  const rest = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null')
  return rest.length > 0 ? rest.flatMap((each) => (each.anyOf ? alternatives(each) : [each])) : []
}

export function isNullable(schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.some(isNullable)
  return [schema.type].flat().includes('null')
}

/** The values that a field may have, if the schema lists them. For a list, the values of its entries. */
export function valuesOf(schema: Schema): unknown[] {
  const values = alternatives(schema).flatMap((each) => {
    if (each.const !== undefined) return [each.const]
    return each.enum ?? (each.items ? valuesOf(each.items) : [])
  })
  return [...new Set(values)]
}

export type Field = {
  /** `items[].sku`. */
  path: string
  schema: Schema
  is_required: boolean
}

/** How to list inner objects: with every field, or without the fields of named types, which have a place of their own. */
export type Depth = 'every field' | 'named types closed'

/** Every field of an object. The fields of an inner object or list follow it. */
export function fieldsOf(schema: Schema, depth: Depth = 'every field', prefix = ''): Field[] {
  const inside = (each: Schema, path: string): Field[] => {
    if (each.title !== undefined && depth === 'named types closed') return []
    if (!each.items) return fieldsOf(each, depth, `${path}.`)
    return alternatives(each.items).flatMap((entry) => inside(entry, `${path}[]`))
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix + name
    const is_required = schema.required?.includes(name) ?? false
    const inner = alternatives(field).flatMap((each) => inside(each, path))
    return [{ path, schema: field, is_required }, ...inner]
  })
}
