// The connectors that this release knows, one line each.

import type { KnownConnector } from './connector.ts'
import {
  adyenCredentials,
  checkoutCredentials,
  stripeCredentials,
  threeDsecureIoCredentials,
} from './credentials.ts'

export const connectors: readonly KnownConnector[] = [
  { name: 'checkout', kind: 'acquirer', credentials: checkoutCredentials },
  { name: 'stripe', kind: 'acquirer', credentials: stripeCredentials },
  { name: 'adyen', kind: 'acquirer', credentials: adyenCredentials },
  { name: '3dsecureio', kind: 'three_ds', credentials: threeDsecureIoCredentials },
  { name: 'checkout-sessions', kind: 'three_ds', credentials: checkoutCredentials },
]
