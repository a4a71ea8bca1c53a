// Makes the types of the four packages from the schemas with which routes check bodies and replies.

import { type Route, refusalsOf } from '../http/route.ts'
import { catalogue } from '../kernel/errors.ts'
import type { Schema } from '../kernel/json-schema.ts'
import { compatibleEventTypes, eventTypes, extensionEventTypes } from '../kernel/values.ts'
import { listDisputes } from '../payments/disputes/dispute-routes.ts'
import { listPaymentLinks } from '../payments/payment-links/link-routes.ts'
import { listEvents } from '../payments/reading/list-events.ts'
import { listPayments } from '../payments/reading/list-payments.ts'
import { listSessions } from '../payments/reading/list-sessions.ts'
import { listPayouts } from '../payouts/list-payouts.ts'
import { events, routes } from '../routes.ts'
import { listDeliveries } from '../webhooks/deliveries/list-deliveries.ts'
import { namedSchemas } from './openapi/named-schemas.ts'
import { inlineDocument } from './openapi/openapi.ts'
import { schemaOf } from './openapi/refusals.ts'
import { goTypes } from './types/go.ts'
import { phpTypes } from './types/php.ts'
import { pythonTypes } from './types/python.ts'
import { merged, type NamedSchema, type NamedShape, shapesOf } from './types/shapes.ts'
import { typesOf } from './types/typescript.ts'

/** The text of sdk/src/api-types.ts. */
export function sdkTypes(): string {
  const union = eventNames.join('\n  | ')
  return `// The API's bodies, replies and events as types. Made from the service's schemas by \`npm run docs\`.

/** ISO 8601 with an offset, such as \`2026-09-01T12:00:00.0000000+00:00\`. */
export type Timestamp = string

${typesOf(named())}
/** The event of a webhook. Tell events apart by \`type\`. */
export type WebhookEvent =
  | ${union}
`
}

/** The texts of the other packages' types, by their paths. */
export function packageTypes(): Record<string, string> {
  // Each of them has a type of its own for all pages.
  const types = shapesOf(named()).filter(({ name }) => !name.endsWith('Page'))
  const event = 'The event of a webhook. Tell events apart by `type`.'
  const union: NamedShape = {
    name: 'WebhookEvent',
    note: event,
    of: eventNames.map((name) => ({ kind: 'name', name })),
  }
  const isEvent = ({ name }: NamedShape) => eventNames.includes(name)
  const whole = merged('WebhookEvent', `${event} It has the members of all of them.`, types.filter(isEvent))
  const classes = [...types.filter((each) => !isEvent(each)), whole]
  const sent = types.map(({ name }) => name).filter((name) => /(Create|Query)$/.test(name))
  return {
    'sdk/python/ripper_checkout/api_types.py': pythonTypes([...types, union]),
    'sdk/php/src/types.php': phpTypes(classes, new Set(sent)),
    'sdk/go/types.go': goTypes(classes),
  }
}

function named(): NamedSchema[] {
  return [
    {
      name: 'ErrorCode',
      note: 'Every code with which the service may refuse a merchant’s server. /docs of the service says when.',
      schema: { enum: errorCodes() },
    },
    {
      name: 'EventType',
      note: 'The events of payments that merchants get: a closed list.',
      schema: { enum: [...eventTypes] },
    },
    {
      name: 'ExtensionEventType',
      note: 'Events that only endpoints get that name them in `extension_events`.',
      schema: { enum: [...extensionEventTypes] },
    },
    {
      name: 'CompatibleEventType',
      note: 'The events of an endpoint with `event_format: "stripe"`.',
      schema: { enum: [...compatibleEventTypes] },
    },
    ...apiTypes(),
  ]
}

/** The codes of the routes that take a secret key, without the compatible routes, in order of precedence. */
function errorCodes(): string[] {
  const called = routes.filter(({ access, dialect }) => access.kind === 'secret_key' && dialect !== 'compatible')
  const possible = new Set<string>(called.flatMap(refusalsOf))
  return Object.keys(catalogue).filter((code) => possible.has(code))
}

/** Those of the API's types that merchants' servers use, in this order, and the events. */
function apiTypes(): NamedSchema[] {
  const types = namedSchemas(inlineDocument(routes, events))
  return [...used, ...eventNames].map((name) => {
    return [...queries, ...types].find((each) => each.name === name)!
  })
}

const eventNames = events.map(({ schema }) => String(schema.meta()!.title))

const used = [
  ...['ItemCreate', 'CustomerCreate', 'Item', 'Customer', 'Card', 'Decline', 'Hold'],
  ...['CheckoutSessionCreate', 'CheckoutSessionCreated', 'CheckoutSession'],
  ...['ListedCheckoutSession', 'CheckoutSessionPage', 'CheckoutSessionQuery'],
  ...['Payment', 'ListedPayment', 'PaymentPage', 'PaymentQuery', 'EventQuery', 'HeldPayment'],
  ...['RefundFailure', 'RefundCreate', 'Refund', 'RefundList', 'Dispute', 'DisputePage', 'DisputeQuery'],
  ...['PaymentLinkCreate', 'PaymentLink', 'PaymentLinkPage', 'PaymentLinkQuery'],
  ...['PaidOut', 'Payout', 'PayoutPage', 'PayoutQuery'],
  ...['WebhookEndpointCreate', 'WebhookEndpoint', 'WebhookEndpointCreated', 'WebhookEndpointList'],
  ...['WebhookDelivery', 'WebhookDeliveryPage', 'WebhookDeliveryQuery', 'WebhookReplay'],
]

/** Queries as one type each: the API's description lists their parameters one by one. */
const queries: NamedSchema[] = [
  queryOf('CheckoutSessionQuery', 'Which sessions are listed', listSessions),
  queryOf('PaymentQuery', 'Which payments are listed', listPayments),
  queryOf('PaymentLinkQuery', 'Which payment links are listed', listPaymentLinks),
  queryOf('PayoutQuery', 'Which payouts are listed', listPayouts),
  queryOf('EventQuery', 'Which events are listed', listEvents),
  queryOf('DisputeQuery', 'Which disputes are listed', listDisputes),
  queryOf('WebhookDeliveryQuery', 'Which attempts are listed', listDeliveries),
]

function queryOf(name: string, what: string, { query }: Route<never>): NamedSchema {
  const schema = withoutRefused(schemaOf(query!, 'input'))
  return { name, note: `${what}; all without any.`, schema }
}

/** Leaves out parameters that exist only so that the service can refuse them by name. */
function withoutRefused(schema: Schema): Schema {
  const entries = Object.entries(schema.properties!).filter(([, each]) => !('not' in each))
  return { ...schema, properties: Object.fromEntries(entries) }
}
