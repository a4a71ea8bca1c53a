// Writes types for Go, laid out as gofmt does it: structs whose empty text, time and list stand for null.

import { isNull, type Member, type NamedShape, type Shape, type Shapes, withInnerNames } from './shapes.ts'

/** The text of a file of the package `ripper`. */
export function goTypes(types: readonly NamedShape[]): string {
  const words = new Set(types.filter(({ of }) => of.every(({ kind }) => kind === 'literal')).map(({ name }) => name))
  const structs = withInnerNames(types.filter(({ name }) => !words.has(name))).map((each) => declared(each, words))
  return `// Made from the service's schemas by \`npm run docs\`.

package ripper

import "time"

${structs.join('\n')}`
}

function declared({ name, note, of }: NamedShape, words: ReadonlySet<string>): string {
  const [first] = of
  if (first?.kind !== 'object') throw new Error(`Go has no type for ${name}`)
  return `// ${name}: ${note}\ntype ${name} struct {\n${aligned(first.members, words)}}\n`
}

/** A comment ends a column. */
function aligned(members: readonly Member[], words: ReadonlySet<string>): string {
  const rows = members.map((each) => ({
    note: each.note,
    cells: [goName(each.name), typeOf(each, words), `\`json:"${each.name}${each.is_required ? '' : ',omitzero'}"\``],
  }))
  const blocks: (typeof rows)[] = []
  for (const row of rows) {
    if (row.note || blocks.length === 0) blocks.push([])
    blocks.at(-1)!.push(row)
  }
  return blocks.map(column).join('')
}

function column(rows: { note: string | undefined; cells: string[] }[]): string {
  const widths = [0, 1].map((index) => Math.max(...rows.map(({ cells }) => cells[index]!.length)))
  return rows
    .map(({ note, cells: [name, type, tag] }) => {
      const line = `\t${name!.padEnd(widths[0]!)} ${type!.padEnd(widths[1]!)} ${tag}\n`
      return note ? `\t// ${note}\n${line}` : line
    })
    .join('')
}

/** A number may be 0, so that only a pointer can say that there is none. */
function typeOf({ of, is_required, is_above_zero }: Member, words: ReadonlySet<string>): string {
  const type = plain(of, words)
  const may_lack = !is_required || of.some(isNull)
  const is_own = /^(string|time\.Time|any|\[\]|map\[)/.test(type) || (type === 'int64' && is_above_zero)
  return may_lack && !is_own ? `*${type}` : type
}

function plain(shapes: Shapes, words: ReadonlySet<string>): string {
  const types = new Set(shapes.filter((each) => !isNull(each)).map((each) => one(each, words)))
  const [type, another] = types
  return type === undefined || another !== undefined ? 'any' : type
}

function one(shape: Shape, words: ReadonlySet<string>): string {
  switch (shape.kind) {
    case 'text':
      return 'string'
    case 'time':
      return 'time.Time'
    case 'integer':
      return 'int64'
    case 'number':
      return 'float64'
    case 'boolean':
      return 'bool'
    case 'literal':
      return typeof shape.value === 'string' ? 'string' : 'int64'
    case 'name':
      return words.has(shape.name) ? 'string' : shape.name
    case 'list':
      return `[]${plain(shape.of, words)}`
    case 'map':
      return `map[string]${plain(shape.of, words)}`
    default:
      throw new Error(`Go has no type for a ${shape.kind} here`)
  }
}

const initialisms = new Set(['id', 'url', 'api', 'eci'])

function goName(name: string): string {
  return name
    .split('_')
    .map((word) => (initialisms.has(word) ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1)))
    .join('')
}
