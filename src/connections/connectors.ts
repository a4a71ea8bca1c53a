// The connectors that this release knows, one line each.

import { checkout } from '../acquirers/checkout/checkout.ts'
import { builtIn, type KnownConnector } from './connector.ts'
import {
  adyenCredentials,
  checkoutCredentials,
  stripeCredentials,
  threeDsecureIoCredentials,
} from './credentials.ts'

export const connectors: readonly KnownConnector[] = [
  builtIn(checkout),
  { name: 'stripe', kind: 'acquirer', credentials: stripeCredentials },
  { name: 'adyen', kind: 'acquirer', credentials: adyenCredentials },
  { name: '3dsecureio', kind: 'three_ds', credentials: threeDsecureIoCredentials },
  { name: 'checkout-sessions', kind: 'three_ds', credentials: checkoutCredentials },
]
