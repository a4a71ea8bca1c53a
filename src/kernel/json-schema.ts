// The part of JSON Schema that the API's description uses.

export type Schema = {
  /** The name of a type of the API, where the schema is one, and what is said of it. */
  title?: string
  note?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  pattern?: string
  format?: string
  description?: string
}
