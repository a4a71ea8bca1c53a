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
import { cancelIntentAt } from './cancel-intent.ts'
import { captureIntentAt } from './capture-intent.ts'
import { createCheckoutAt } from './create-checkout-session.ts'
import { createIntentAt } from './create-intent.ts'
import { createRefundAt } from './create-refund.ts'
import { createEndpointAt, deleteEndpointAt, listEndpointsAt, readEndpointAt, updateEndpointAt } from './endpoints.ts'
import { expireCheckoutAt } from './expire-checkout-session.ts'
import { listChargesAt } from './list-charges.ts'
import { listIntentsAt } from './list-intents.ts'
import { listRefundsAt } from './list-refunds.ts'
import { listPricesAt, listProductsAt, readPriceAt, readProductAt } from './price-routes.ts'
import { readChargeAt } from './read-charge.ts'
import { listCheckoutsAt, readCheckoutAt, readLinesAt } from './read-checkout-session.ts'
import { listEventsAt, readEventAt } from './read-events.ts'
import { readIntentAt } from './read-intent.ts'
import { readRefundAt } from './read-refund.ts'

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
