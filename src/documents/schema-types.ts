// Makes TypeScript types from JSON schemas, laid out as the formatter would do it. The SDK's types are made with it.

import type { Schema } from '../kernel/json-schema.ts'

/** A schema that gets a name. Wherever another schema contains the same shape, the type has this name there. */
export type NamedSchema = { name: string; note: string; schema: Schema }

const line_max = 120

/** One exported type for each schema, in their order. Throws if a schema cannot be written as a type. */
export function typesOf(schemas: readonly NamedSchema[]): string {
  const names = new Map(schemas.map(({ name, schema }) => [sameness(schema), name]))
  return schemas
    .map(({ name, note, schema }) => {
      const type = new Printer(names, name).print(schema)
      return `/** ${note} */\n${declared(`export type ${name} =`, type, '')}\n`
    })
    .join('\n')
}

/** The alternatives of a type: one for most, several for a union. */
type Alternatives = string[]

class Printer {
  readonly #names: ReadonlyMap<string, string>
  readonly #own_name: string

  constructor(names: ReadonlyMap<string, string>, own_name: string) {
    this.#names = names
    this.#own_name = own_name
  }

  print(schema: Schema, indent = ''): Alternatives {
    const name = this.#names.get(sameness(schema))
    if (name !== undefined && name !== this.#own_name) return [name]
    if (schema.anyOf) {
      return [...new Set(schema.anyOf.flatMap((each) => this.print(each, indent)))]
    }
    if (schema.enum) return schema.enum.map(literal)
    if ('const' in schema) return [literal(schema.const)]
    const types = [schema.type ?? 'unknown'].flat()
    return types.map((type) => this.#plain(type, schema, indent))
  }

  #plain(type: string, schema: Schema, indent: string): string {
    switch (type) {
      case 'string':
        return schema.format === 'date-time' ? 'Timestamp' : 'string'
      case 'integer':
      case 'number':
        return 'number'
      case 'boolean':
      case 'null':
        return type
      case 'array': {
        const entry = this.print(schema.items ?? {}, indent)
        return entry.length === 1 ? `${entry[0]}[]` : `(${entry.join(' | ')})[]`
      }
      case 'object':
        return this.#object(schema, indent)
      default:
        throw new Error(`there is no type for ${JSON.stringify(schema)}`)
    }
  }

  #object({ properties, required = [], additionalProperties }: Schema, indent: string): string {
    if (!properties) {
      if (typeof additionalProperties !== 'object') throw new Error('an object of anything')
      return `Record<string, ${this.print(additionalProperties, indent).join(' | ')}>`
    }
    const inner = `${indent}  `
    const lines = Object.entries(properties).flatMap(([name, schema]) => {
      const start = `${inner}${name}${required.includes(name) ? '' : '?'}:`
      const line = declared(start, this.print(schema, inner), inner)
      return schema.description ? [`${inner}/** ${schema.description} */`, line] : [line]
    })
    return `{\n${lines.join('\n')}\n${indent}}`
  }
}

function declared(start: string, type: Alternatives, indent: string): string {
  const line = `${start} ${type.join(' | ')}`
  if (type.length === 1 || line.includes('\n') || line.length <= line_max) return line
  return [start, ...type.map((each) => `${indent}  | ${each}`)].join('\n')
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

/** Equal for schemas that have the same type and mean the same, wherever they stand. */
function sameness({ description: _, ...schema }: Schema): string {
  if (schema.enum) return JSON.stringify({ enum: schema.enum })
  return JSON.stringify(schema)
}
