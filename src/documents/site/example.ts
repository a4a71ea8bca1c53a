// Makes an example of a body from its schema. The example has the schema's fields and keeps its rules.

import type { Schema } from '../../kernel/json-schema.ts'
import { sampleValues, shown_optional } from './example-values.ts'
import { alternatives, isNullable } from './schema.ts'

/** Values for one example, by the path of their field. They replace the samples that all fields of that name share. */
export type ExampleValues = Record<string, unknown>

type ExampleOptions = { chosen: ExampleValues; side: 'request' | 'answer' }

/**
 * A value that the schema allows. A request has only the optional fields that are worth showing; an answer has all fields. A field
 * without a sample is null if that is allowed, and left out otherwise; a value without a sample is undefined. The page is made
 * without it, and a test names it.
 */
export function exampleOf(schema: Schema, making: ExampleOptions, path = ''): unknown {
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

function objectOf(schema: Schema, making: ExampleOptions, path: string): Record<string, unknown> {
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

function isShown(path: string, { chosen, side }: ExampleOptions): boolean {
  if (path in chosen) return chosen[path] !== undefined
  return side === 'answer' || shown_optional.includes(path)
}

/** The part of a schema that decides which of several samples fits. */
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

/** Values that need no sample. Anything else that was made up would be meaningless. */
function plainValue({ type }: Schema): unknown {
  const [first] = [type].flat()
  if (first === 'boolean') return false
  return first === 'object' ? {} : undefined
}
