// Checks credentials for Checkout.com with requests that move nothing.

import type { CheckAnswer } from '../connector.ts'
import { isGood, notShown, type Wire } from '../wire.ts'
import type { CheckoutCredentials } from './credentials.ts'
import { pageIn } from './payments.ts'
import { byReference, searchRequest } from './requests.ts'

/** A reference that nobody has ever used, so the search for it finds nothing. */
const nobodys = '0'.repeat(32)

/** Never throws. */
export async function checkCheckout({
  credentials,
  wire,
}: {
  credentials: CheckoutCredentials
  wire: Wire
}): Promise<CheckAnswer> {
  try {
    const listed = await wire.send(byReference(nobodys, credentials))
    if (!isGood(listed)) return { result: 'fails', reason: notShown('Checkout.com', listed) }
    pageIn(listed)
    const moment = { since: new Date(0), until: new Date(1) }
    const found = await wire.send(searchRequest(moment, credentials))
    return { result: 'works', notes: isGood(found) ? [] : [`${no_search} (${found.status})`] }
  } catch (error) {
    return { result: 'fails', reason: `Checkout.com: ${(error as Error).message}` }
  }
}

const no_search =
  'the key may not search payments, so that orphaned authorisations are not found: it needs the scope payments:search'
