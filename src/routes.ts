// Every route and event, in the order of the specification: the API's table of contents.

import { compatibleRoutes } from './compatible/routes.ts'
import { anyEventTypes } from './kernel/values.ts'
import { streamRequests } from './merchants/stream-requests.ts'
import { authenticate } from './payments/authentication/authenticate.ts'
import { receiveResult } from './payments/authentication/receive-result.ts'
import { resumeSession } from './payments/authentication/resume-session.ts'
import {
  challengeNotification,
  challengePage,
  methodNotification,
  methodPage,
} from './payments/authentication/three-ds-pages.ts'
import { referenceCard } from './payments/cards/reference-card.ts'
import { confirm } from './payments/charging/confirm.ts'
import { expireSession } from './payments/charging/expire-session.ts'
import { listDisputes, readDispute } from './payments/disputes/dispute-routes.ts'
import { eventSummaries, eventViews } from './payments/event-view.ts'
import { captureHold, escalateHeld, voidHold } from './payments/holds/hold-routes.ts'
import { createPaymentLink } from './payments/payment-links/create-link.ts'
import { disablePaymentLink, listPaymentLinks, readPaymentLink } from './payments/payment-links/link-routes.ts'
import { listEvents } from './payments/reading/list-events.ts'
import { listPayments } from './payments/reading/list-payments.ts'
import { listSessions } from './payments/reading/list-sessions.ts'
import { readConfig, readHostedConfig, readMethods } from './payments/reading/read-config.ts'
import { readPayment } from './payments/reading/read-payment.ts'
import { readSession } from './payments/reading/read-session.ts'
import { createRefund, listPaymentRefunds, readRefund } from './payments/refunds/refund-routes.ts'
import { createHostedSession, createPublicSession } from './payments/sessions/create-browser-session.ts'
import { createSession } from './payments/sessions/create-session.ts'
import { listPayouts } from './payouts/list-payouts.ts'
import { listDeliveries } from './webhooks/deliveries/list-deliveries.ts'
import { replayDelivery } from './webhooks/deliveries/replay.ts'
import { createEndpoint } from './webhooks/endpoints/create-endpoint.ts'
import { deleteEndpoint } from './webhooks/endpoints/delete-endpoint.ts'
import { listEndpoints } from './webhooks/endpoints/list-endpoints.ts'
import { streamEvents } from './webhooks/stream/stream-events.ts'

/** Streams, which last as long as the caller listens. */
export const streams = [streamEvents, streamRequests]

export const routes = [
  createSession,
  listSessions,
  readSession,
  expireSession,
  listPayments,
  listPayouts,
  readPayment,
  captureHold,
  voidHold,
  escalateHeld,
  createRefund,
  listPaymentRefunds,
  readRefund,
  listDisputes,
  readDispute,
  createPaymentLink,
  listPaymentLinks,
  readPaymentLink,
  disablePaymentLink,
  listEvents,
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
  ...compatibleRoutes,
]

/** Pages and notifications for browsers and Directory Servers. */
export const pages = [methodPage, methodNotification, challengePage, challengeNotification, receiveResult]

/** The events of webhooks. */
export const events = anyEventTypes.map((type) => ({
  type,
  summary: eventSummaries[type],
  schema: eventViews[type],
}))
