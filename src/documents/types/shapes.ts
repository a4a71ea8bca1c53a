// What a type is, whatever the language: schemas as shapes, from which each package's types are written.

import type { Schema } from '../../kernel/json-schema.ts'

/** A schema that gets a name. Wherever another schema contains the same shape, the type has this name there. */
export type NamedSchema = { name: string; note: string; schema: Schema }

/** Alternatives of a type: one for most, several for a union. */
export type Shapes = Shape[]

export type Shape =
  | { kind: 'text' | 'time' | 'integer' | 'number' | 'boolean' | 'null' }
  | { kind: 'literal'; value: unknown }
  | { kind: 'name'; name: string }
  | { kind: 'list'; of: Shapes }
  | { kind: 'map'; of: Shapes }
  | { kind: 'object'; members: Member[] }

export type Member = {
  name: string
  note: string | undefined
  is_required: boolean
  is_above_zero: boolean
  of: Shapes
}

export type NamedShape = { name: string; note: string; of: Shapes }

/** One type for each schema, in their order. Throws if a schema cannot be written as a type. */
export function shapesOf(schemas: readonly NamedSchema[]): NamedShape[] {
  const names = new Map(schemas.map(({ name, schema }) => [sameness(schema), name]))
  return schemas.map(({ name, note, schema }) => ({ name, note, of: new Reader(names, name).read(schema) }))
}

/** For languages where an object inside another needs a name: it gets its owner's and its member's. Equal ones share the first. */
export function withInnerNames(types: readonly NamedShape[]): NamedShape[] {
  const names = new Map<string, string>()
  return types.flatMap((type) => {
    const inner: NamedShape[] = []
    const name = (owner: string, each: Shape): Shape => {
      if (each.kind === 'list' || each.kind === 'map') return { ...each, of: each.of.map((one) => name(owner, one)) }
      if (each.kind !== 'object') return each
      const key = JSON.stringify(each)
      const known = names.get(key)
      if (known === undefined) {
        names.set(key, owner)
        inner.push({ name: owner, note: `Part of ${type.name}.`, of: [named(owner, each)] })
      }
      return { kind: 'name', name: known ?? owner }
    }
    const named = (owner: string, { members }: Shape & { kind: 'object' }): Shape => ({
      kind: 'object',
      members: members.map((member) => ({
        ...member,
        of: member.of.map((each) => name(owner + capitalised(member.name), each)),
      })),
    })
    const of = type.of.map((each) => (each.kind === 'object' ? named(type.name, each) : each))
    return [...inner, { ...type, of }]
  })
}

/** One type that has every member of the others, for languages without unions. */
export function merged(name: string, note: string, types: readonly NamedShape[]): NamedShape {
  return { name, note, of: [mergedObject(types.flatMap(({ of }) => of.filter(isObject)))] }
}

function mergedObject(objects: readonly ObjectShape[]): ObjectShape {
  const names = new Set(objects.flatMap(({ members }) => members.map((each) => each.name)))
  return {
    kind: 'object',
    members: [...names].map((name) => {
      const alike = objects.flatMap(({ members }) => members.filter((each) => each.name === name))
      const is_required = alike.length === objects.length && alike.every((each) => each.is_required)
      const of = distinct(alike.flatMap((each) => each.of))
      const inner = of.filter(isObject)
      const rest = of.filter((each) => !isObject(each))
      return { ...alike[0]!, is_required, of: inner.length > 1 ? [mergedObject(inner), ...rest] : of }
    }),
  }
}

type ObjectShape = Shape & { kind: 'object' }

function isObject(shape: Shape): shape is ObjectShape {
  return shape.kind === 'object'
}

export function isNull({ kind }: Shape): boolean {
  return kind === 'null'
}

/** `client_secret` as `ClientSecret`. */
export function capitalised(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

class Reader {
  readonly #names: ReadonlyMap<string, string>
  readonly #own_name: string

  constructor(names: ReadonlyMap<string, string>, own_name: string) {
    this.#names = names
    this.#own_name = own_name
  }

  read(schema: Schema): Shapes {
    const name = this.#names.get(sameness(schema))
    if (name !== undefined && name !== this.#own_name) return [{ kind: 'name', name }]
    if (schema.anyOf) return distinct(schema.anyOf.flatMap((each) => this.read(each)))
    if (schema.enum) return schema.enum.map(literal)
    if ('const' in schema) return [literal(schema.const)]
    return [schema.type ?? 'unknown'].flat().map((type) => this.#plain(type, schema))
  }

  #plain(type: string, schema: Schema): Shape {
    switch (type) {
      case 'string':
        return { kind: schema.format === 'date-time' ? 'time' : 'text' }
      case 'integer':
      case 'number':
      case 'boolean':
      case 'null':
        return { kind: type }
      case 'array':
        return { kind: 'list', of: this.read(schema.items ?? {}) }
      case 'object':
        return this.#object(schema)
      default:
        throw new Error(`there is no type for ${JSON.stringify(schema)}`)
    }
  }

  #object({ properties, required = [], additionalProperties }: Schema): Shape {
    if (!properties) {
      if (typeof additionalProperties !== 'object') throw new Error('an object of anything')
      return { kind: 'map', of: this.read(additionalProperties) }
    }
    return {
      kind: 'object',
      members: Object.entries(properties).map(([name, schema]) => ({
        name,
        note: schema.description,
        is_required: required.includes(name),
        is_above_zero: isAboveZero(schema),
        of: this.read(schema),
      })),
    }
  }
}

/** Whether 0 is no value, so that it may stand for none. */
function isAboveZero({ minimum = 0, exclusiveMinimum = -1, anyOf = [] }: Schema): boolean {
  return minimum > 0 || exclusiveMinimum >= 0 || anyOf.some(isAboveZero)
}

function literal(value: unknown): Shape {
  return value === null ? { kind: 'null' } : { kind: 'literal', value }
}

function distinct(shapes: Shapes): Shapes {
  return [...new Map(shapes.map((each) => [JSON.stringify(each), each])).values()]
}

/** Equal for schemas that have the same type and mean the same, wherever they stand. */
function sameness({ description: _, ...schema }: Schema): string {
  if (schema.enum) return JSON.stringify({ enum: schema.enum })
  return JSON.stringify(schema)
}
