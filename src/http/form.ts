// Reads a form body as strictly as JSON is read. Every value of a form is text; the route's rules turn some into
// numbers and maps. Refused: bytes or escapes that are not UTF-8, duplicate parameters, U+0000.

import { Refusal } from '../kernel/errors.ts'
import { fieldPath } from './field-path.ts'
import { setMember } from './json.ts'
import { readNestedForm } from './nested-form.ts'

export type FormRules = {
  /** Parameters that are whole numbers: digits alone become a number, anything else stays text. */
  integers: readonly string[]
  /** Parameters whose keys are data: `metadata[a[b]]` has the key `a[b]`. Their values are text: `metadata[a][b]` is refused. */
  maps: readonly string[]
  /** Set where brackets nest: `lines[0][price][name]`. `integers` and `maps` then go by the last name, as these do: true or false. */
  nested?: { booleans: readonly string[] }
  /** Those of them whose empty values are kept: in a change they take their key away. */
  clearable?: readonly string[]
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The rest of `a][b`: brackets that open first belong to the key, as in `lines[0][sku]`. */
const nestedKey = /^[^[\]]*\]\[/

/**
 * A form's value in the shape of JSON: `{amount: 5, metadata: {a: 'b'}}`. An empty text stands for null, as forms spell
 * it; in a map it removes its key, while the empty text of JSON is a value like any other. Other parameters with
 * brackets become objects of one level, so that a refusal can name them. Throws a Refusal `invalid_request` that names
 * the parameter, never the value.
 */
export function readForm(bytes: Buffer, rules: FormRules): object {
  if (rules.nested) return readNestedForm(pairsOf(textOf(bytes)), { ...rules, booleans: rules.nested.booleans })
  const { integers, maps, clearable = [] } = rules
  const plain = new Map<string, unknown>()
  const nestedMaps = new Map<string, Map<string, unknown>>()
  for (const { name, text } of pairsOf(textOf(bytes))) {
    const { base, key } = partsOf(name)
    if (key === null) {
      if (plain.has(base) || nestedMaps.has(base)) refuse(name, 'is sent twice')
      plain.set(base, textOrNumber(text, integers.includes(base)))
    } else {
      const members = nestedMaps.get(base) ?? new Map<string, unknown>()
      const is_map = maps.includes(base)
      if (is_map && key === '') refuse(base, `is an object: send ${base}[key]=value`)
      if (is_map && nestedKey.test(key)) refuse(name, `is nested: a value of ${base} is text`)
      // `expand[]` is an entry of a list, sent once for each.
      const is_entry = key === '' && members.has(key)
      if (plain.has(base) || (members.has(key) && !is_entry)) refuse(name, 'is sent twice')
      nestedMaps.set(base, members.set(key, is_entry ? [members.get(key), text].flat() : text))
    }
  }
  const objects = [...nestedMaps].map(([base, members]) => [base, objectOf(members, clearable.includes(base))] as const)
  return objectOf(new Map<string, unknown>([...plain, ...objects]))
}

/** How many pairs a form or a query has, counted up to `enough`. Nothing is built for it. */
export function countPairs(form: Buffer | string, enough: number): number {
  let pairs = 1
  for (let at = form.indexOf('&'); at >= 0 && pairs < enough; at = form.indexOf('&', at + 1)) {
    pairs += 1
  }
  return pairs
}

/** Returns how many pairs a body has. Throws a Refusal if it has too many. */
export function refuseMorePairs(form: Buffer, pairs_max: number): number {
  const pairs = countPairs(form, pairs_max + 1)
  if (pairs <= pairs_max) return pairs
  throw new Refusal('invalid_request', `The body has more than ${pairs_max} parameters.`)
}

function textOf(bytes: Buffer): string {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new Refusal('invalid_request', 'The body is not valid UTF-8.')
  }
  if (!/^\s*[{[]/.test(text)) return text
  throw new Refusal(
    'invalid_request',
    'The body looks like JSON and its Content-Type says that it is a form. Send JSON as application/json.',
    { field: 'body' },
  )
}

function* pairsOf(text: string): Generator<{ name: string; text: string }> {
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decoded(at < 0 ? pair : pair.slice(0, at), 'body')
    if (name === '') refuse('body', 'has a parameter without a name')
    yield { name, text: at < 0 ? '' : decoded(pair.slice(at + 1), name) }
  }
}

/** `metadata[a[b]]` is the key `a[b]` of `metadata`: the name ends at the first bracket, the key at the last. */
function partsOf(name: string): { base: string; key: string | null } {
  const open = name.indexOf('[')
  if (open <= 0 || !name.endsWith(']')) return { base: name, key: null }
  return { base: name.slice(0, open), key: name.slice(open + 1, -1) }
}

function textOrNumber(text: string, is_integer: boolean): string | number | null {
  if (text === '') return null
  const number = Number(text)
  return is_integer && /^[0-9]+$/.test(text) && Number.isSafeInteger(number) ? number : text
}

function objectOf(members: Map<string, unknown>, keeps_empty = false): object {
  const object = {}
  for (const [name, value] of members) {
    if (value !== '' || keeps_empty) setMember(object, name, value)
  }
  return object
}

/** A name or value without its escapes. `where` is the parameter that it belongs to. */
function decoded(escaped_text: string, where: string): string {
  let text = ''
  try {
    text = decodeURIComponent(escaped_text.replaceAll('+', ' '))
  } catch {
    refuse(where, 'has a percent escape that is not valid UTF-8')
  }
  if (text.includes('\0')) refuse(where, 'contains the character U+0000')
  return text
}

function refuse(name: string, what: string): never {
  const field = fieldPath([name])
  throw new Refusal('invalid_request', `${field} ${what}.`, { field })
}
