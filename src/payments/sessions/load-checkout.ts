// Loads a checkout for the routes that a client secret opens, and acts on it although other requests act at the same time.

import { isRetriable } from '../../database/failures.ts'
import type { Sql } from '../../database/open.ts'
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

/** How many races a request may lose. More than that means that something else is wrong. */
const tries_max = 5

/** Acts on the checkout in its present state. If `act` returns null, it lost a race, so the checkout is read again. */
export async function actOnCheckout<Result>(
  sql: Sql,
  key: CheckoutKey,
  act: (checkout: Checkout) => Promise<Result | null>,
): Promise<Result> {
  for (let tries = 0; tries < tries_max; tries++) {
    try {
      const result = await act(await checkoutOrRefuse(sql, key))
      if (result !== null) return result
    } catch (error) {
      if (!isRetriable(error)) throw error
    }
  }
  throw new Error('the checkout changed under every try to act on it')
}
