// An example of a body, made from its schema: what it names is there, and what it asks for is kept.

import type { Schema } from '../../kernel/json-schema.ts'
import { sampleValues, shown_optional } from './example-values.ts'
import { alternatives, isNullable } from './schema.ts'

/** Values by the path of their field, for one example: they come before the samples that every field of a name has. */
export type Chosen = Record<string, unknown>

type Making = { chosen: Chosen; side: 'request' | 'answer' }

/**
 * A value that the schema allows. Of optional fields a request has those worth showing; an answer has all. A field that no
 * sample is written down for is null where it may be; else it is left out, and by itself is undefined: the page goes on without
 * it, and a test names it.
 */
export function exampleOf(schema: Schema, making: Making, path = ''): unknown {
  if (path in making.chosen) return making.chosen[path]
  const sample = samplesFor(path).find((value) => fits(schema, value))
  if (sample !== undefined) return sample
  const [first] = alternatives(schema)
  if (first === undefined) return null
  if (first.const !== undefined) return first.const
  if (first.enum) return first.enum[0]
  if (first.items) {
    const entry = exampleOf(first.items, making, `${path}[]`)
    return entry === undefined ? [] : [entry]
  }
  if (first.properties) return objectOf(first, making, path)
  return isNullable(schema) ? null : plainValue(first)
}

function samplesFor(path: string): unknown[] {
  const names = path.split('.')
  return sampleValues[names.slice(-2).join('.')] ?? sampleValues[names.at(-1)!] ?? []
}

function objectOf(schema: Schema, making: Making, path: string): Record<string, unknown> {
  const members = Object.entries(schema.properties!).map(([name, field]) => ({
    name,
    field,
    path: path === '' ? name : `${path}.${name}`,
    is_required: schema.required?.includes(name) ?? false,
  }))
  return Object.fromEntries(
    members
      .filter((each) => each.is_required || isShown(each.path, making))
      .map((each) => [each.name, exampleOf(each.field, making, each.path)])
      .filter(([, value]) => value !== undefined),
  )
}

function isShown(path: string, { chosen, side }: Making): boolean {
  if (path in chosen) return chosen[path] !== undefined
  return side === 'answer' || shown_optional.includes(path)
}

/** As much of the schema as tells which of several samples is meant. */
function fits(schema: Schema, value: unknown): boolean {
  if (value === null) return isNullable(schema)
  return alternatives(schema).some((each) => {
    if (each.const !== undefined) return each.const === value
    if (each.enum) return each.enum.includes(value)
    if (each.format === 'date-time' && Number.isNaN(Date.parse(String(value)))) return false
    return [each.type].flat().some((type) => isOf(type, value))
  })
}

function isOf(type: string | undefined, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  return typeof value === type
}

/** What needs no sample: anything else that is made up would mean nothing. */
function plainValue({ type }: Schema): unknown {
  const [first] = [type].flat()
  if (first === 'boolean') return false
  return first === 'object' ? {} : undefined
}
