// The connectors that this release knows, one line each.

import { adyen } from '../acquirers/adyen/adyen.ts'
import { checkout } from '../acquirers/checkout/checkout.ts'
import { stripe } from '../acquirers/stripe/stripe.ts'
import { builtIn, type KnownConnector } from './connector.ts'
import { threeDsecureIoCredentials } from './credentials.ts'

export const connectors: readonly KnownConnector[] = [
  builtIn(checkout),
  builtIn(stripe),
  builtIn(adyen),
  { name: '3dsecureio', kind: 'three_ds', credentials: threeDsecureIoCredentials },
  { name: 'checkout-sessions', kind: 'three_ds', credentials: checkout.credentials },
]
