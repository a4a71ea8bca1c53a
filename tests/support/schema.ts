// As much of JSON Schema as the API's description uses.

export type Schema = {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  title?: string
  note?: string
  description?: string
}

/** What is wrong with a value, with its path, or null. */
export function faultOf(schema: Schema, value: unknown, root: object, path = '$'): string | null {
  if (schema.$ref) return faultOf(resolve(schema.$ref, root), value, root, path)
  if (schema.anyOf) {
    const faults = schema.anyOf.map((each) => faultOf(each, value, root, path))
    return faults.includes(null) ? null : faults.join(' or ')
  }
  if (schema.type && ![schema.type].flat().some((type) => isOf(type, value))) {
    return `${path} is not of type ${schema.type}`
  }
  if (schema.enum && !schema.enum.includes(value)) return `${path} is none of ${schema.enum}`
  if ('const' in schema && schema.const !== value) return `${path} is not ${schema.const}`
  if (schema.format === 'date-time' && !isTimestamp(value)) return `${path} is no timestamp`
  if (schema.pattern && !new RegExp(schema.pattern, 'u').test(String(value))) return `${path}: pattern`
  const inner = [
    ...(schema.allOf ?? []).map((each) => faultOf(each, value, root, path)),
    ...(Array.isArray(value) && schema.items
      ? value.map((each, index) => faultOf(schema.items!, each, root, `${path}[${index}]`))
      : []),
    ...(value !== null && typeof value === 'object' && schema.properties
      ? memberFaults(schema, value as Record<string, unknown>, root, path)
      : []),
  ]
  return inner.find((fault) => fault !== null) ?? null
}

function memberFaults(
  { properties = {}, required = [], additionalProperties }: Schema,
  value: Record<string, unknown>,
  root: object,
  path: string,
): (string | null)[] {
  const names = Object.keys(value)
  return [
    ...required.filter((name) => !names.includes(name)).map((name) => `${path}.${name} is missing`),
    ...names.map((name) => {
      const schema = properties[name]
      if (schema) return faultOf(schema, value[name], root, `${path}.${name}`)
      return additionalProperties === false ? `${path}.${name} is not described` : null
    }),
  ]
}

/** What a reference such as `#/components/schemas/Hold` names. */
export function resolve(reference: string, root: object): Schema {
  const names = reference.slice(2).split('/')
  return names.reduce((node, name) => (node as Record<string, object>)[name]!, root) as Schema
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value)
  return typeof value === type
}

function isTimestamp(value: unknown): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}\+00:00$/.test(String(value))
}
