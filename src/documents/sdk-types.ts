// The types of the SDK, made from the schemas that routes check bodies and replies by.

import { z } from 'zod'
import { eventViews } from '../checkout/event-view.ts'
import { captureHold } from '../checkout/holds/hold-routes.ts'
import { readPayment } from '../checkout/reading/read-payment.ts'
import { readSession } from '../checkout/reading/read-session.ts'
import { createSession } from '../checkout/sessions/create-session.ts'
import { basketView, customerView, declineView, holdView } from '../checkout/views.ts'
import { refusalsOf } from '../http/route.ts'
import { catalogue } from '../kernel/errors.ts'
import type { Schema } from '../kernel/json-schema.ts'
import { eventTypes } from '../kernel/values.ts'
import { events, routes } from '../routes.ts'
import { listDeliveries } from '../webhooks/deliveries/list-deliveries.ts'
import { replayDelivery } from '../webhooks/deliveries/replay.ts'
import { attemptView } from '../webhooks/delivery.ts'
import { endpointCreated, endpointView } from '../webhooks/endpoint.ts'
import { createEndpoint } from '../webhooks/endpoints/create-endpoint.ts'
import { listEndpoints } from '../webhooks/endpoints/list-endpoints.ts'
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
    ...parts,
    ...bodies,
    ...events.map(({ type, summary }) => ({
      name: eventName(type),
      note: summary,
      schema: received(eventViews[type]),
    })),
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

const item = basketView.items.unwrap().element

const created = sent(createSession.body!).properties!
const sentItem = notNull(created.items!).items!

const parts: NamedSchema[] = [
  { name: 'ItemCreate', note: 'A line of a basket, as it is sent.', schema: sentItem },
  { name: 'CustomerCreate', note: 'The shopper, as sent.', schema: notNull(created.customer!) },
  { name: 'Item', note: 'A line of a basket.', schema: received(item) },
  { name: 'Customer', note: 'The shopper.', schema: received(customerView) },
  { name: 'Decline', note: 'Why nothing was taken.', schema: received(declineView) },
  {
    name: 'Hold',
    note: 'Why a payment waits for a decision, until when, and what was decided.',
    schema: received(holdView),
  },
]

const bodies: NamedSchema[] = [
  {
    name: 'CheckoutSessionCreate',
    note: 'The body that creates a checkout session.',
    schema: sent(createSession.body!),
  },
  {
    name: 'CheckoutSessionCreated',
    note: 'A session as it is created: this once with its client_secret.',
    schema: received(createSession.reply),
  },
  { name: 'CheckoutSession', note: 'How a session stands.', schema: received(readSession.reply) },
  {
    name: 'Payment',
    note: 'What became of one confirmed attempt.',
    schema: received(readPayment.reply),
  },
  {
    name: 'HeldPayment',
    note: 'A payment that is or was held, with its hold.',
    schema: received(captureHold.reply),
  },
  {
    name: 'WebhookEndpointCreate',
    note: 'The body that registers a webhook endpoint.',
    schema: sent(createEndpoint.body!),
  },
  {
    name: 'WebhookEndpoint',
    note: 'Where events are posted to.',
    schema: received(endpointView),
  },
  {
    name: 'WebhookEndpointCreated',
    note: 'An endpoint as it is created: this once with its signing_secret.',
    schema: received(endpointCreated),
  },
  {
    name: 'WebhookEndpointList',
    note: 'All active endpoints.',
    schema: received(listEndpoints.reply),
  },
  {
    name: 'WebhookDelivery',
    note: 'One attempt to deliver an event.',
    schema: received(attemptView),
  },
  {
    name: 'WebhookDeliveryPage',
    note: 'A page of attempts, newest first.',
    schema: received(listDeliveries.reply),
  },
  {
    name: 'WebhookDeliveryQuery',
    note: 'Which attempts are listed; all without any.',
    schema: sent(listDeliveries.query!),
  },
  {
    name: 'WebhookReplay',
    note: 'A replay: a new delivery of what was given up on.',
    schema: received(replayDelivery.reply),
  },
]

/** `payment.captured` is a PaymentCapturedEvent. */
function eventName(type: string): string {
  const words = type.split('.').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

/** What a field holds where it is not null. */
function notNull({ anyOf }: Schema): Schema {
  return anyOf!.find((each) => each.type !== 'null')!
}

function sent(schema: z.ZodType): Schema {
  return schemaOf(schema, 'input')
}

function received(schema: z.ZodType): Schema {
  return schemaOf(schema, 'output')
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return withoutRefused(rest as Schema)
}

/** Parameters that are there only to be refused by their name are no part of a type. */
function withoutRefused(schema: Schema): Schema {
  if (!schema.properties) return schema
  const taken = Object.entries(schema.properties).filter(([, each]) => !('not' in each))
  return { ...schema, properties: Object.fromEntries(taken) }
}
