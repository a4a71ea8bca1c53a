// A job: carries out merchants' rules on their holds, by the same way as merchants' own decisions.

import { Refusal } from '../../kernel/errors.ts'
import { claimHoldsForRules, restRules } from '../acquirer-operations/hold-store.ts'
import type { SettlementContext } from '../context.ts'
import { heldOrRefuse, nextRuleAt, ruleAt } from '../hold.ts'
import type { Cause } from '../outcome.ts'
import type { PaymentKey } from '../payment.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import { workOff } from '../run-rows.ts'
import { decideHold } from './decide-hold.ts'
import { escalateHold } from './escalate-hold.ts'

/** Longer than two captures or voids may take, with the time to save them. */
const lease_ms = 60_000

const cause: Cause = { actor: 'rules', request_id: null }

/** Returns how many holds it examined. */
export function applyHoldRules(context: SettlementContext): Promise<number> {
  return workOff(
    (limit) => {
      const now = context.world.clock.now()
      const lease_until = new Date(now.getTime() + lease_ms)
      return claimHoldsForRules(context.sql, { now, lease_until, limit })
    },
    (key) => applyTo(context, key),
    context.stopping,
  )
}

async function applyTo(context: SettlementContext, key: PaymentKey): Promise<void> {
  try {
    const { hold } = heldOrRefuse(await findWholePayment(context.sql, key))
    const rule = ruleAt(hold, context.world.clock.now())
    if (rule === null) await restRules(context.sql, hold, nextRuleAt(hold))
    else if (rule === 'escalate') await escalateHold(context, key, { cause, key: null })
    else await decideHold(context, key, { kind: rule, asked_by: 'rules', cause, key: null })
  } catch (error) {
    // The merchant decided meanwhile, or the acquirer refused: the refusal is recorded, and the rules try again.
    if (error instanceof Refusal && error.code !== 'resource_not_found') return
    const { payment_id } = key
    context.world.log.error({ payment_id, error: (error as Error).message }, 'hold rules not applied')
  }
}
