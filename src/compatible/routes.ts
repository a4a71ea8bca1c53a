// The compatible routes, in the order of the description.

import type { Route } from '../http/route.ts'
import type { Context } from '../payments/context.ts'
import {
  chargeAddresses,
  checkoutAddresses,
  endpointAddresses,
  eventAddresses,
  intentAddresses,
  priceAddresses,
  productAddresses,
  refundAddresses,
} from './addresses.ts'
import { listChargesAt } from './charges/list-charges.ts'
import { readChargeAt } from './charges/read-charge.ts'
import { createCheckoutAt } from './checkout-sessions/create-checkout-session.ts'
import { expireCheckoutAt } from './checkout-sessions/expire-checkout-session.ts'
import { listCheckoutsAt, readCheckoutAt, readLinesAt } from './checkout-sessions/read-checkout-session.ts'
import {
  createEndpointAt,
  deleteEndpointAt,
  listEndpointsAt,
  readEndpointAt,
  updateEndpointAt,
} from './endpoints/endpoint-routes.ts'
import { listEventsAt, readEventAt } from './events/read-events.ts'
import { cancelIntentAt } from './intents/cancel-intent.ts'
import { captureIntentAt } from './intents/capture-intent.ts'
import { createIntentAt } from './intents/create-intent.ts'
import { listIntentsAt } from './intents/list-intents.ts'
import { readIntentAt } from './intents/read-intent.ts'
import { listPricesAt, listProductsAt, readPriceAt, readProductAt } from './prices/price-routes.ts'
import { createRefundAt } from './refunds/create-refund.ts'
import { listRefundsAt } from './refunds/list-refunds.ts'
import { readRefundAt } from './refunds/read-refund.ts'

export const compatibleRoutes: Route<Context>[] = [
  ...checkoutAddresses.flatMap((address) => [
    createCheckoutAt(address),
    listCheckoutsAt(address),
    readCheckoutAt(address),
    readLinesAt(address),
    expireCheckoutAt(address),
  ]),
  ...intentAddresses.flatMap((address) => [
    createIntentAt(address),
    listIntentsAt(address),
    readIntentAt(address),
    captureIntentAt(address),
    cancelIntentAt(address),
  ]),
  ...refundAddresses.flatMap((address) => [createRefundAt(address), listRefundsAt(address), readRefundAt(address)]),
  ...chargeAddresses.flatMap((address) => [listChargesAt(address), readChargeAt(address)]),
  ...priceAddresses.flatMap((address) => [listPricesAt(address), readPriceAt(address)]),
  ...productAddresses.flatMap((address) => [listProductsAt(address), readProductAt(address)]),
  ...eventAddresses.flatMap((address) => [listEventsAt(address), readEventAt(address)]),
  ...endpointAddresses.flatMap((address) => [
    ...[createEndpointAt(address), listEndpointsAt(address), readEndpointAt(address)],
    ...[updateEndpointAt(address), deleteEndpointAt(address)],
  ]),
]
