// The connectors that this release knows, one line each.

import { checkout } from '../acquirers/checkout/checkout.ts'
import { stripe } from '../acquirers/stripe/stripe.ts'
import { builtIn, type KnownConnector } from './connector.ts'
import { adyenCredentials, threeDsecureIoCredentials } from './credentials.ts'

export const connectors: readonly KnownConnector[] = [
  builtIn(checkout),
  builtIn(stripe),
  { name: 'adyen', kind: 'acquirer', credentials: adyenCredentials },
  { name: '3dsecureio', kind: 'three_ds', credentials: threeDsecureIoCredentials },
  { name: 'checkout-sessions', kind: 'three_ds', credentials: checkout.credentials },
]
