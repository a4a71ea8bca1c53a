// Reads a request body as JSON, strictly: it names faults that JSON.parse accepts silently. It refuses bytes that are
// not UTF-8, duplicate members, U+0000, lone surrogates, numbers beyond 2^53 - 1, and more values, members or levels
// than its route allows.

import { Refusal } from '../kernel/errors.ts'
import type { BodyLimits } from './body-limits.ts'
import { fieldPath } from './field-path.ts'

type JsonLimits = Pick<BodyLimits, 'values' | 'members' | 'levels'>

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
// Everything up to the closing quote, escapes included; control characters end it early and are refused.
const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y

/** A body's value. Throws a Refusal `invalid_request` that names the JSON path, never the value. */
export function readJson(bytes: Buffer, limits: JsonLimits): unknown {
  return readCountedJson(bytes, limits).value
}

/** The same value, with the number of its values. */
export function readCountedJson(bytes: Buffer, limits: JsonLimits): { value: unknown; values: number } {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new Refusal('invalid_request', 'The body is not valid UTF-8.')
  }
  const reader = new Reader(text, limits)
  const value = reader.value(null, 0)
  reader.end()
  return { value, values: reader.values }
}

/** The place of a value, from the inside out: it becomes words only for a refusal. Null is the body itself. */
type JsonLocation = { within: JsonLocation; part: string | number } | null

class Reader {
  values = 0
  private readonly text: string
  private readonly limits: JsonLimits
  private at = 0

  constructor(text: string, limits: JsonLimits) {
    this.text = text
    this.limits = limits
  }

  value(place: JsonLocation, depth: number): unknown {
    this.values += 1
    if (this.values > this.limits.values) {
      throw new Refusal('invalid_request', `The body has more than ${this.limits.values} values.`)
    }
    this.space()
    switch (this.text[this.at]) {
      case '{':
        return this.object(place, depth + 1)
      case '[':
        return this.array(place, depth + 1)
      case '"':
        return this.string(place)
      case 't':
        return this.word('true', true)
      case 'f':
        return this.word('false', false)
      case 'n':
        return this.word('null', null)
      default:
        return this.number(place)
    }
  }

  end(): void {
    this.space()
    if (this.at < this.text.length) this.malformed()
  }

  private object(place: JsonLocation, depth: number): Record<string, unknown> {
    this.enter(place, depth)
    const members: Record<string, unknown> = {}
    if (this.closes('}')) return members
    let count = 0
    do {
      count += 1
      if (count > this.limits.members) {
        refuse(place, `has more than ${this.limits.members} members`)
      }
      this.space()
      if (this.text[this.at] !== '"') this.malformed()
      const name = this.string(place)
      const member = { within: place, part: name }
      if (Object.hasOwn(members, name)) refuse(member, 'is sent twice')
      this.space()
      if (this.text[this.at] !== ':') this.malformed()
      this.at++
      setMember(members, name, this.value(member, depth))
    } while (this.continues('}'))
    return members
  }

  private array(place: JsonLocation, depth: number): unknown[] {
    this.enter(place, depth)
    const elements: unknown[] = []
    if (this.closes(']')) return elements
    do {
      elements.push(this.value({ within: place, part: elements.length }, depth))
    } while (this.continues(']'))
    return elements
  }

  private enter(place: JsonLocation, depth: number): void {
    const { levels } = this.limits
    if (depth > levels) refuse(place, `is nested more than ${levels} levels deep`)
    this.at++
  }

  private closes(bracket: string): boolean {
    this.space()
    if (this.text[this.at] !== bracket) return false
    this.at++
    return true
  }

  private continues(bracket: string): boolean {
    this.space()
    const next = this.text[this.at]
    this.at++
    if (next === ',') return true
    if (next === bracket) return false
    this.at--
    return this.malformed()
  }

  private string(place: JsonLocation): string {
    stringPattern.lastIndex = this.at
    const match = stringPattern.exec(this.text)
    if (!match) return this.malformed()
    this.at = stringPattern.lastIndex
    const raw = match[0]
    const value = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
    if (value.includes('\0')) refuse(place, 'contains the character U+0000')
    if (!value.isWellFormed()) refuse(place, 'contains half of a surrogate pair')
    return value
  }

  private number(place: JsonLocation): number {
    numberPattern.lastIndex = this.at
    const match = numberPattern.exec(this.text)
    if (!match) return this.malformed()
    this.at = numberPattern.lastIndex
    const value = Number(match[0])
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) refuse(place, 'is a number beyond 2^53 - 1')
    return value === 0 ? 0 : value
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) return this.malformed()
    this.at += word.length
    return value
  }

  private space(): void {
    while (this.at < this.text.length) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  private malformed(): never {
    throw new Refusal('invalid_request', `The body is not valid JSON (at character ${this.at}).`)
  }
}

/** Sets a member as data, whatever its name is: assignment would turn `__proto__` into a prototype. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  } else {
    object[name] = value
  }
}

function refuse(place: JsonLocation, what: string): never {
  const parts: (string | number)[] = []
  for (let at = place; at !== null; at = at.within) parts.unshift(at.part)
  const field = fieldPath(parts).slice(0, 200) || 'body'
  throw new Refusal('invalid_request', `${field} ${what}.`, { field })
}
