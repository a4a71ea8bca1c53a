// A checkout as the routes that a client secret opens find it.

import type { Sql } from '../database/open.ts'
import { Refusal } from '../errors.ts'
import type { SessionHolder } from '../http/access.ts'
import type { Attempt } from './attempt.ts'
import type { Session } from './session.ts'
import { findSessionAndAttempts } from './store.ts'

/** A client secret can be right by its shape and its proof, and the session yet not be there: answered as a wrong one. */
export async function checkoutOrRefuse(
  sql: Sql,
  key: SessionHolder,
): Promise<{ session: Session; attempts: Attempt[] }> {
  const found = await findSessionAndAttempts(sql, key)
  if (!found) throw new Refusal('unauthorized', 'The client secret is not one of this session.')
  return found
}
