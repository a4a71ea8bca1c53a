// Loads a checkout for the routes that a client secret opens, and acts on it although other requests act at the same time.

import type { Sql } from '../../database/open.ts'
import { retryRaces } from '../../database/retry-races.ts'
import type { SessionHolder } from '../../http/access.ts'
import { Refusal } from '../../kernel/errors.ts'
import { type Checkout, findCheckout } from './session-store.ts'

/** Which checkout, and perhaps which of its cards is needed, too. */
type CheckoutKey = SessionHolder & { card_reference?: string }

/** A client secret can be valid although its session does not exist. The answer is then the same as for a wrong secret. */
export async function checkoutOrRefuse(sql: Sql, key: CheckoutKey): Promise<Checkout> {
  const checkout = await findCheckout(sql, key)
  if (!checkout) throw new Refusal('unauthorized', 'The client secret is not one of this session.')
  return checkout
}

/** Acts on the checkout in its present state. If `act` returns null, it lost a race, so the checkout is read again. */
export async function actOnCheckout<Result>(
  sql: Sql,
  key: CheckoutKey,
  act: (checkout: Checkout) => Promise<Result | null>,
): Promise<Result> {
  return retryRaces('the checkout', async () => act(await checkoutOrRefuse(sql, key)))
}
