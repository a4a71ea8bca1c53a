// The part of JSON Schema that the API's description uses.

export type Schema = {
  /** The name of the API's type, if the schema has one. */
  title?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  pattern?: string
  format?: string
  description?: string
}
