// The types of the API's description: the part of OpenAPI 3.1 that it uses.

export type OpenApiDocument = {
  openapi: string
  info: { title: string; version: string; description: string }
  servers: Server[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Webhook }>
  components: { securitySchemes: object; headers: object; schemas: Record<string, object> }
}

/** Where the paths begin. Generated clients take the first one, with its defaults. */
export type Server = {
  url: string
  description: string
  variables: Record<string, { default: string; description: string }>
}

/** A request that the service makes. Its signature is a parameter. */
export type Webhook = Operation & { security: [] }

export type Operation = {
  tags: string[]
  summary: string
  description?: string
  operationId: string
  security: object[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response>
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: object
  description?: string
}

/** A body, by its media type. */
export type Content = {
  'application/json': { schema: object }
  'application/x-www-form-urlencoded'?: { schema: object; encoding: object }
}

export type Response = {
  description: string
  headers?: object
  content?: Content
  links?: Record<string, Link>
}

/** What of an answer is a parameter of which other operation. */
export type Link = { operationId: string; parameters: Record<string, string>; description: string }
