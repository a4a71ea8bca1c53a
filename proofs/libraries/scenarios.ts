// The table: what a shop's server does by its library, and what that has to give in every language.

import type { Scenario } from './play.ts'
import { checkouts } from './scenarios/checkout.ts'
import { events } from './scenarios/events.ts'
import { lists } from './scenarios/lists.ts'
import { intents, refunds } from './scenarios/payments.ts'
import { errors, idempotency } from './scenarios/refusals.ts'

export const scenarios: Scenario[] = [
  ...intents,
  ...refunds,
  ...checkouts,
  ...events,
  ...idempotency,
  ...errors,
  ...lists,
]
