// A checkout as the routes that a client secret opens find it, and how they act on it though others act at once.

import { isRetriable } from '../../database/failures.ts'
import type { Sql } from '../../database/open.ts'
import type { SessionHolder } from '../../http/access.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Attempt } from '../attempt.ts'
import type { Session } from '../session.ts'
import { findSessionAndAttempts } from './session-store.ts'

export type Checkout = { session: Session; attempts: Attempt[] }

/** A client secret can be right by its shape and its proof, and the session yet not be there: answered as a wrong one. */
export async function checkoutOrRefuse(sql: Sql, key: SessionHolder): Promise<Checkout> {
  const found = await findSessionAndAttempts(sql, key)
  if (!found) throw new Refusal('unauthorized', 'The client secret is not one of this session.')
  return found
}

/** Races that a request may lose before something else must be wrong. */
const tries_max = 5

/** Acts on the checkout as it stands. Whoever loses a race, `act` returning null, reads again what the winner wrote. */
export async function actOnCheckout<Result>(
  sql: Sql,
  key: SessionHolder,
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
