// Every route and event, in the order of the specification: the API's table of contents.

import { authenticate } from './checkout/authenticate.ts'
import { confirm } from './checkout/confirm.ts'
import { createHostedSession, createPublicSession } from './checkout/create-browser-session.ts'
import { createSession } from './checkout/create-session.ts'
import { eventSummaries, eventViews } from './checkout/event-view.ts'
import { captureHold, escalateHeld, voidHold } from './checkout/holds/hold-routes.ts'
import { readConfig, readHostedConfig, readMethods } from './checkout/read-config.ts'
import { readPayment } from './checkout/read-payment.ts'
import { readSession } from './checkout/read-session.ts'
import { receiveResult } from './checkout/receive-result.ts'
import { referenceCard } from './checkout/reference-card.ts'
import { resumeSession } from './checkout/resume-session.ts'
import {
  challengeNotification,
  challengePage,
  methodNotification,
  methodPage,
} from './checkout/three-ds-pages.ts'
import { addresses } from './compatible/addresses.ts'
import { createIntentAt } from './compatible/create-intent.ts'
import { readIntentAt } from './compatible/read-intent.ts'
import { eventTypes } from './kernel/values.ts'
import { streamRequests } from './merchants/stream-requests.ts'
import { createEndpoint } from './webhooks/create-endpoint.ts'
import { deleteEndpoint } from './webhooks/delete-endpoint.ts'
import { listDeliveries } from './webhooks/list-deliveries.ts'
import { listEndpoints } from './webhooks/list-endpoints.ts'
import { replayDelivery } from './webhooks/replay.ts'
import { streamEvents } from './webhooks/stream-events.ts'

/** What is told for as long as the caller listens. */
export const streams = [streamEvents, streamRequests]

export const routes = [
  createSession,
  readSession,
  readPayment,
  captureHold,
  voidHold,
  escalateHeld,
  createEndpoint,
  listEndpoints,
  deleteEndpoint,
  listDeliveries,
  replayDelivery,
  readConfig,
  readMethods,
  readHostedConfig,
  createPublicSession,
  createHostedSession,
  resumeSession,
  referenceCard,
  authenticate,
  confirm,
  ...addresses.flatMap((address) => [createIntentAt(address), readIntentAt(address)]),
]

/** What browsers and Directory Servers open besides the API. */
export const pages = [
  methodPage,
  methodNotification,
  challengePage,
  challengeNotification,
  receiveResult,
]

/** What merchants are told of by webhooks. */
export const events = eventTypes.map((type) => ({
  type,
  summary: eventSummaries[type],
  schema: eventViews[type],
}))
