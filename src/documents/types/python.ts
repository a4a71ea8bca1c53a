// Writes types for Python: dictionaries that type checkers know, so that an answer stays what it is, JSON.

import { type Member, type NamedShape, type Shape, type Shapes, withInnerNames } from './shapes.ts'

const line_max = 100

/** The text of a module, with a class for each object and a name for everything else. */
export function pythonTypes(types: readonly NamedShape[]): string {
  const classes = withInnerNames(types).map(declared).join('\n\n')
  return `"""The API's bodies, answers and events as types. Made from the service's schemas by \`npm run docs\`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

#: ISO 8601 with an offset, such as 2026-09-01T12:00:00.0000000+00:00.
Timestamp = str


${classes}`
}

function declared({ name, note, of }: NamedShape): string {
  const [first] = of
  if (first?.kind !== 'object') return `#: ${note}\n${assigned(`${name} =`, of)}\n`
  const lines = first.members.map(member).join('')
  return `class ${name}(TypedDict):\n    """${note}"""\n\n${lines}`
}

/** An alias is read when the module is loaded, where older Pythons have no \`|\`. */
function assigned(start: string, shapes: Shapes): string {
  if (shapes.every(({ kind }) => kind === 'literal')) return fitted(start, literals(shapes), '')
  return `${start} Union[\n${shapes.map((each) => `    ${one(each)},\n`).join('')}]`
}

function member({ name, note, is_required, of }: Member): string {
  const comment = note ? `    # ${note}\n` : ''
  const type = union(of)
  const whole = `    ${name}: ${is_required ? type : `NotRequired[${type}]`}`
  if (whole.length <= line_max) return `${comment}${whole}\n`
  const words = of.filter(({ kind }) => kind === 'literal')
  const rest = of.filter(({ kind }) => kind !== 'literal').map((each) => ` | ${one(each)}`)
  const [open, close] = is_required ? ['', ''] : ['NotRequired[', ']']
  return `${comment}${fitted(`    ${name}: ${open}`, literals(words), `${rest.join('')}${close}`, '    ')}\n`
}

function union(shapes: Shapes): string {
  const words = shapes.filter(({ kind }) => kind === 'literal')
  const rest = shapes.filter(({ kind }) => kind !== 'literal').map(one)
  const types = [...(words.length > 0 ? [`Literal[${literals(words).join(', ')}]`] : []), ...rest]
  return types.join(' | ')
}

function literals(shapes: Shapes): string[] {
  return shapes.map((each) => JSON.stringify((each as Shape & { kind: 'literal' }).value))
}

function fitted(start: string, words: string[], end: string, indent = ''): string {
  const line = `${start} Literal[${words.join(', ')}]${end}`.replace('[ ', '[')
  if (line.length <= line_max) return line
  const opening = `${start} Literal[`.replace('[ ', '[')
  return `${opening}\n${words.map((word) => `${indent}    ${word},\n`).join('')}${indent}]${end}`
}

function one(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      return 'str'
    case 'time':
      return 'Timestamp'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'name':
      return shape.name
    case 'list':
      return `list[${union(shape.of)}]`
    case 'map':
      return `dict[str, ${union(shape.of)}]`
    default:
      throw new Error(`Python has no type for a ${shape.kind} here`)
  }
}
