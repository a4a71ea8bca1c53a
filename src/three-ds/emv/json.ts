// Reads JSON objects from the network, and detects a repeated member, which JSON.parse would hide.

export type JsonObject = Record<string, unknown>

type ReadJson = { object: JsonObject } | { duplicate: string } | { not_json: true }

export function readJson(text: string): ReadJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { not_json: true }
  }
  if (!isObject(value)) return { not_json: true }
  const duplicate = duplicateMember(text)
  return duplicate === null ? { object: value } : { duplicate }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
