// The connectors that this release knows, one line each.

import { adyen } from '../acquirers/adyen/adyen.ts'
import { checkout } from '../acquirers/checkout/checkout.ts'
import { stripe } from '../acquirers/stripe/stripe.ts'
import { threeDsecureIo } from '../three-ds/3dsecureio/3dsecureio.ts'
import { checkoutSessions } from '../three-ds/checkout-sessions/checkout-sessions.ts'
import { builtIn, builtInThreeDs, type KnownConnector } from './known-connector.ts'

export const connectors: readonly KnownConnector[] = [
  builtIn(checkout),
  builtIn(stripe),
  builtIn(adyen),
  builtInThreeDs(threeDsecureIo),
  builtInThreeDs(checkoutSessions),
]
