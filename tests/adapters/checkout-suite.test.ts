// The connector to Checkout.com keeps the port's promises, over HTTP, against books that carry things out later.

import { acquirerSuite } from './acquirer.ts'
import { checkoutTraits, openCheckoutUnderTest } from './fakes/checkout/under-test.ts'

acquirerSuite('checkout', () => openCheckoutUnderTest(), checkoutTraits)
