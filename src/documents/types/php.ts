// Writes types for PHP: a class for each answer, whose properties its comment declares, and array shapes for what is sent.

import { isNull, type NamedShape, type Shape, type Shapes, withInnerNames } from './shapes.ts'

/** The text of a file of the namespace Ripper. `sent` names the types of bodies and queries. */
export function phpTypes(types: readonly NamedShape[], sent: ReadonlySet<string>): string {
  const arrays = types.filter(({ name }) => sent.has(name))
  const answers = withInnerNames(types.filter(({ name }) => !sent.has(name)))
  const words = new Map(answers.filter(({ of }) => of.every(isWord)).map(({ name, of }) => [name, of]))
  const classes = answers.filter(({ name }) => !words.has(name)).map((each) => classOf(each, words))
  const shapes = arrays.map(({ name, of }) => ` * @phpstan-type ${name} ${union(of, words)}\n`)
  return `<?php

// The API's bodies, answers and events as types. Made from the service's schemas by \`npm run docs\`.

declare(strict_types=1);

namespace Ripper;

/**
 * What is sent, as arrays.
 *
${shapes.join('')} */
interface Sent
{
}

${classes.join('\n')}`
}

function classOf({ name, note, of }: NamedShape, words: Words): string {
  const [first] = of
  if (first?.kind !== 'object') throw new Error(`PHP has no class for ${name}`)
  const properties = first.members.map(({ name: member, note: said, is_required, of: shapes }) => {
    const type = union(is_required || shapes.some(isNull) ? shapes : [...shapes, { kind: 'null' }], words)
    return ` * @property-read ${type} $${member}${said ? ` ${said}` : ''}\n`
  })
  const members = first.members.map((each) => `        '${each.name}' => ${classIn(each.of, words)},\n`)
  return `/**
 * ${note}
 *
${properties.join('')} */
final class ${name} extends Answer
{
    protected const MEMBERS = [
${members.join('')}    ];
}
`
}

/** The class of which a member is, or a list of which it is, in brackets. */
function classIn(shapes: Shapes, words: Words): string {
  for (const each of shapes) {
    if (each.kind === 'name' && !words.has(each.name)) return `${each.name}::class`
    if (each.kind === 'list') return each.of.some(({ kind }) => kind === 'name') ? listed(each.of, words) : 'null'
  }
  return 'null'
}

function listed(shapes: Shapes, words: Words): string {
  const inner = classIn(shapes, words)
  return inner === 'null' ? inner : `[${inner}]`
}

type Words = ReadonlyMap<string, Shapes>

function isWord({ kind }: Shape): boolean {
  return kind === 'literal'
}

function union(shapes: Shapes, words: Words): string {
  return [...new Set(shapes.map((each) => one(each, words)))].join('|')
}

function one(shape: Shape, words: Words): string {
  switch (shape.kind) {
    case 'text':
    case 'time':
      return 'string'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'null'
    case 'literal':
      return typeof shape.value === 'string' ? `'${shape.value}'` : String(shape.value)
    case 'name':
      return words.has(shape.name) ? union(words.get(shape.name)!, words) : shape.name
    case 'list':
      return `list<${union(shape.of, words)}>`
    case 'map':
      return `array<string, ${union(shape.of, words)}>`
    case 'object': {
      const members = shape.members.map(({ name, is_required, of }) => {
        return `${name}${is_required ? '' : '?'}: ${union(of, words)}`
      })
      return `array{${members.join(', ')}}`
    }
  }
}
