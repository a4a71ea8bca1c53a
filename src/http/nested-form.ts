// Reads a form whose brackets nest, as the compatible platform's libraries send it: `line_items[0][price_data][currency]=gbp` becomes
// `{line_items: [{price_data: {currency: 'gbp'}}]}`, and an object whose keys are all whole numbers a list.

import { Refusal } from '../kernel/errors.ts'
import { fieldPath } from './field-path.ts'
import { setMember } from './json.ts'

type NestedRules = { integers: readonly string[]; booleans: readonly string[]; maps: readonly string[] }

/** Members in the order in which they came. */
type Node = { members: Map<string, Node | string> }

/** No body of ours nests deeper. */
const levels_max = 8

/** As `readForm`: an empty text is null, or no member of a map. Throws a Refusal `invalid_request` that names the parameter. */
export function readNestedForm(pairs: Iterable<{ name: string; text: string }>, rules: NestedRules): object {
  const root: Node = { members: new Map() }
  for (const { name, text } of pairs) add(root, partsOf(name, rules.maps), { name, text })
  return readNode(root, '', rules) as object
}

/** `a[b][c]` has the parts a, b and c. What follows on the name of a map is one key, however many brackets are in it. */
function partsOf(name: string, maps: readonly string[]): string[] {
  const open = name.indexOf('[')
  if (open <= 0 || !name.endsWith(']')) return [name]
  const parts = [name.slice(0, open)]
  let rest = name.slice(open)
  while (rest !== '') {
    if (maps.includes(parts.at(-1)!)) {
      const key = rest.slice(1, -1)
      if (key === '' || /^[^[\]]*\]\[/.test(key)) refuse(name, 'is an object of texts')
      return [...parts, key]
    }
    const end = rest.indexOf(']')
    if (rest[0] !== '[' || end < 0) refuse(name, 'has brackets that do not match')
    parts.push(rest.slice(1, end))
    rest = rest.slice(end + 1)
    if (parts.length > levels_max) refuse(name, 'nests too deep')
  }
  return parts
}

function add(root: Node, parts: string[], { name, text }: { name: string; text: string }): void {
  let node = root
  for (const [level, part] of parts.entries()) {
    const key = part === '' && level > 0 ? entryFor(node, parts.slice(level + 1)) : part
    const member = node.members.get(key)
    if (level === parts.length - 1) {
      if (member !== undefined) refuse(name, 'is sent twice')
      node.members.set(key, text)
      return
    }
    if (typeof member === 'string') refuse(name, 'is sent twice')
    const next = member ?? { members: new Map() }
    node.members.set(key, next)
    node = next
  }
}

/** `a[]` is the next entry of a list. `a[][b]` is a member of its last entry, until that has one of this name. */
function entryFor({ members }: Node, rest: string[]): string {
  const last = String(members.size - 1)
  const entry = members.get(last)
  const goes_on = rest.length > 0 && typeof entry === 'object' && !hasMember(entry, rest)
  return goes_on ? last : String(members.size)
}

/** A list within is never complete. */
function hasMember(node: Node, [name, ...rest]: string[]): boolean {
  if (name === undefined) return true
  const member = name === '' ? undefined : node.members.get(name)
  return typeof member === 'object' ? hasMember(member, rest) : member !== undefined
}

function readNode(node: Node | string, name: string, rules: NestedRules): unknown {
  if (typeof node === 'string') return scalarOf(node, name, rules)
  const { members } = node
  if (rules.maps.includes(name)) return objectOf([...members].filter(([, text]) => text !== ''))
  const keys = [...members.keys()]
  if (name !== '' && keys.every((key) => /^\d{1,4}$/.test(key))) {
    // The entries of a list, by their numbers; the list has no gaps.
    const entries = [...members].sort(([a], [b]) => Number(a) - Number(b))
    return entries.map(([, member]) => readNode(member, name, rules))
  }
  return objectOf([...members].map(([key, member]) => [key, readNode(member, key, rules)]))
}

function scalarOf(text: string, name: string, { integers, booleans }: NestedRules): unknown {
  if (text === '') return null
  if (booleans.includes(name) && /^(true|false)$/.test(text)) return text === 'true'
  const number = Number(text)
  return integers.includes(name) && /^[0-9]+$/.test(text) && Number.isSafeInteger(number) ? number : text
}

function objectOf(members: [string, unknown][]): object {
  const object = {}
  for (const [name, value] of members) setMember(object, name, value)
  return object
}

function refuse(name: string, what: string): never {
  const field = fieldPath([name])
  throw new Refusal('invalid_request', `${field} ${what}.`, { field })
}
