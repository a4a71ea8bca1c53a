// The types of the SDK, made from the schemas that routes check bodies and replies by.

import { refusalsOf } from '../http/route.ts'
import { catalogue } from '../kernel/errors.ts'
import type { Schema } from '../kernel/json-schema.ts'
import { eventTypes } from '../kernel/values.ts'
import { events, routes } from '../routes.ts'
import { listDeliveries } from '../webhooks/deliveries/list-deliveries.ts'
import { namedSchemas } from './openapi/named-schemas.ts'
import { inlineDocument } from './openapi/openapi.ts'
import { schemaOf } from './openapi/refusals.ts'
import { type NamedSchema, typesOf } from './schema-types.ts'

/** The text of sdk/src/api-types.ts. */
export function sdkTypes(): string {
  const union = events.map(({ type }) => eventName(type)).join('\n  | ')
  return `// The API's bodies, replies and events as types. Made from the service's schemas by \`npm run docs\`.

/** ISO 8601 with an offset, such as \`2026-09-01T12:00:00.0000000+00:00\`. */
export type Timestamp = string

${typesOf(named())}
/** What a webhook brings: tell them apart by \`type\`. */
export type WebhookEvent =
  | ${union}
`
}

function named(): NamedSchema[] {
  return [
    {
      name: 'ErrorCode',
      note: 'Every code that a merchant’s server can be refused with; /docs of the service says when.',
      schema: { enum: errorCodes() },
    },
    {
      name: 'EventType',
      note: 'What merchants are told of: a closed list.',
      schema: { enum: [...eventTypes] },
    },
    ...apiTypes(),
  ]
}

/** Of the routes that take a secret key, the compatible ones apart, in order of precedence. */
function errorCodes(): string[] {
  const called = routes.filter(
    ({ door, dialect }) => door.kind === 'secret_key' && dialect !== 'compatible',
  )
  const possible = new Set<string>(called.flatMap(refusalsOf))
  return Object.keys(catalogue).filter((code) => possible.has(code))
}

/** Of the API's types those that merchants' servers meet, in this order, and the events. */
function apiTypes(): NamedSchema[] {
  const types = namedSchemas(inlineDocument(routes, events))
  return [...used, ...events.map(({ type }) => eventName(type))].map((name) => {
    if (name === listQuery.name) return listQuery
    return types.find((each) => each.name === name)!
  })
}

const used = [
  ...['ItemCreate', 'CustomerCreate', 'Item', 'Customer', 'Decline', 'Hold'],
  ...['CheckoutSessionCreate', 'CheckoutSessionCreated', 'CheckoutSession'],
  ...['Payment', 'HeldPayment'],
  ...['WebhookEndpointCreate', 'WebhookEndpoint', 'WebhookEndpointCreated', 'WebhookEndpointList'],
  ...['WebhookDelivery', 'WebhookDeliveryPage', 'WebhookDeliveryQuery', 'WebhookReplay'],
]

/** The description has the members of a query one by one. */
const listQuery: NamedSchema = {
  name: 'WebhookDeliveryQuery',
  note: 'Which attempts are listed; all without any.',
  schema: withoutRefused(schemaOf(listDeliveries.query!, 'input')),
}

/** `payment.captured` is a PaymentCapturedEvent. */
function eventName(type: string): string {
  const words = type.split('.').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

/** Parameters that are there only to be refused by their name are no part of a type. */
function withoutRefused(schema: Schema): Schema {
  const taken = Object.entries(schema.properties!).filter(([, each]) => !('not' in each))
  return { ...schema, properties: Object.fromEntries(taken) }
}
