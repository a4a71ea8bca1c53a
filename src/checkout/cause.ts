// The author of a change that somebody makes by a request: the holder of a key, or a person at the dashboard.

import { actorOf } from '../http/access.ts'
import type { Holder } from '../merchants/account-lines.ts'
import type { Cause } from './outcome.ts'

export function causeBy(holder: Holder, request_id: string): Cause {
  const { judge } = holder
  return { actor: actorOf(holder), request_id, ...(judge && { judge }) }
}
