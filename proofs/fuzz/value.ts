// Values as they are to be sent: JSON, with places for what only a broken client writes and for what earlier answers gave.

/** Text that stands in the body as it is. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Something of the pool; `at`, from 0 to 1, says which. */
export class Ref {
  readonly what: string
  readonly at: number
  constructor(what: string, at: number) {
    this.what = what
    this.at = at
  }
}

export type Value = null | boolean | number | string | Raw | Ref | Value[] | { [member: string]: Value }

export type Members = { [member: string]: Value }

export function isMembers(value: Value): value is Members {
  const plain = value !== null && typeof value === 'object' && !Array.isArray(value)
  return plain && !(value instanceof Raw) && !(value instanceof Ref)
}

/** A value as JSON text. `find` says what a reference stands for. */
export function jsonText(value: Value, find: (ref: Ref) => string): string {
  if (value instanceof Raw) return value.text
  if (value instanceof Ref) return JSON.stringify(find(value))
  if (Array.isArray(value)) return `[${value.map((each) => jsonText(each, find)).join(',')}]`
  if (!isMembers(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${jsonText(each, find)}`)
  return `{${members.join(',')}}`
}

/** A value as a form: `metadata[key]=value`. */
export function formText(value: Value, find: (ref: Ref) => string): string {
  const pairs: string[] = []
  const add = (name: string, each: Value) => {
    if (Array.isArray(each)) for (const [index, one] of each.entries()) add(`${name}[${index}]`, one)
    else if (isMembers(each)) {
      for (const [inner, one] of Object.entries(each)) add(`${name}[${inner}]`, one)
    } else pairs.push(`${escaped(name)}=${escaped(plainText(each, find))}`)
  }
  if (!isMembers(value)) return escaped(plainText(value, find))
  for (const [name, each] of Object.entries(value)) add(name, each)
  return pairs.join('&')
}

function plainText(value: Value, find: (ref: Ref) => string): string {
  if (value === null) return ''
  if (value instanceof Raw) return value.text
  return value instanceof Ref ? find(value) : String(value)
}

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** The value with one node of it changed; `at`, from 0 to 1, says which. */
export function changeNode(value: Value, at: number, change: (node: Value) => Value): Value {
  let left = Math.min(countNodes(value) - 1, Math.floor(at * countNodes(value)))
  const walk = (node: Value): Value => {
    if (left-- === 0) return change(node)
    if (left < 0) return node
    if (Array.isArray(node)) return node.map(walk)
    if (!isMembers(node)) return node
    return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, walk(each)]))
  }
  return walk(value)
}

function countNodes(value: Value): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + countNodes(each), 1)
  if (!isMembers(value)) return 1
  return Object.values(value).reduce((sum: number, each) => sum + countNodes(each), 1)
}
