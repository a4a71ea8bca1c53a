// The connector to Adyen keeps the port's promises, over HTTP, against books whose outcomes only notices report.

import { acquirerSuite } from './acquirer.ts'
import { adyenTraits, openRememberingAdyen } from './fakes/adyen/under-test.ts'

acquirerSuite('adyen', openRememberingAdyen, adyenTraits)
