// Writes types for TypeScript, laid out as the formatter would do it.

import { type NamedSchema, type Shape, type Shapes, shapesOf } from './shapes.ts'

const line_max = 120

/** One exported type for each schema, in their order. Throws if a schema cannot be written as a type. */
export function typesOf(schemas: readonly NamedSchema[]): string {
  return shapesOf(schemas)
    .map(({ name, note, of }) => `/** ${note} */\n${declared(`export type ${name} =`, of, '')}\n`)
    .join('\n')
}

function declared(start: string, shapes: Shapes, indent: string): string {
  const types = written(shapes, indent)
  const line = `${start} ${types.join(' | ')}`
  if (types.length === 1 || line.includes('\n') || line.length <= line_max) return line
  return [start, ...types.map((each) => `${indent}  | ${each}`)].join('\n')
}

function written(shapes: Shapes, indent: string): string[] {
  return [...new Set(shapes.map((each) => one(each, indent)))]
}

function one(shape: Shape, indent: string): string {
  switch (shape.kind) {
    case 'text':
      return 'string'
    case 'time':
      return 'Timestamp'
    case 'integer':
      return 'number'
    case 'literal':
      return typeof shape.value === 'string' ? `'${shape.value}'` : String(shape.value)
    case 'name':
      return shape.name
    case 'list': {
      const entry = written(shape.of, indent)
      return entry.length === 1 ? `${entry[0]}[]` : `(${entry.join(' | ')})[]`
    }
    case 'map':
      return `Record<string, ${written(shape.of, indent).join(' | ')}>`
    case 'object': {
      const inner = `${indent}  `
      const lines = shape.members.flatMap(({ name, note, is_required, of }) => {
        const line = declared(`${inner}${name}${is_required ? '' : '?'}:`, of, inner)
        return note ? [`${inner}/** ${note} */`, line] : [line]
      })
      return `{\n${lines.join('\n')}\n${indent}}`
    }
    default:
      return shape.kind
  }
}
