// The connector to Stripe keeps the port's promises, over HTTP, against books that stand as Stripe's do.

import { acquirerSuite } from './acquirer.ts'
import { openStripeUnderTest, stripeTraits } from './fakes/stripe/under-test.ts'

acquirerSuite('stripe', () => openStripeUnderTest(), stripeTraits)
