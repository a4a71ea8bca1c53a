// Reads JSON objects from the network, and detects a repeated member, which JSON.parse would hide.

export type JsonObject = Record<string, unknown>

type ReadJson = { object: JsonObject } | { duplicate: string } | { not_json: true }

export function readJsonObject(text: string): ReadJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { not_json: true }
  }
  if (!isObject(value)) return { not_json: true }
  // JSON.parse drops a repeated member. If the text has as many members as the object, none is repeated.
  const duplicate = writtenMembers(text) === readMembers(value) ? null : duplicateMember(text)
  return duplicate === null ? { object: value } : { duplicate }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const [quote, backslash, colon] = [34, 92, 58]

/** Counts the members in valid JSON: outside of strings, a colon stands only after a member's name. */
function writtenMembers(text: string): number {
  let members = 0
  let is_quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) is_quoted = !is_quoted
    else if (is_quoted && code === backslash) at += 1
    else if (!is_quoted && code === colon) members += 1
  }
  return members
}

/** Without recursion, because the sender of a message decides how deep it is. */
function readMembers(object: JsonObject): number {
  let members = 0
  const stack: object[] = [object]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const inside: unknown[] = Object.values(next)
    if (!Array.isArray(next)) members += inside.length
    for (const each of inside) if (typeof each === 'object' && each !== null) stack.push(each)
  }
  return members
}

/** The first member name that occurs twice in one object. The text is valid JSON. */
function duplicateMember(text: string): string | null {
  const open: Set<string>[] = []
  let last = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|[{}:]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (token === ':') {
      const name: string = JSON.parse(last)
      const names = open.at(-1)!
      if (names.has(name)) return name
      names.add(name)
    } else last = token
  }
  return null
}
