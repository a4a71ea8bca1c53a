// Escalates a hold: a person looks at it, and the merchant's rules leave it alone until the deadline.

import type { ReservedKey } from '../../http/idempotency.ts'
import { Refusal } from '../../kernel/errors.ts'
import { writeAs } from '../../merchants/write-as.ts'
import { saveEscalation } from '../acquirer-operations/hold-store.ts'
import type { SettlementContext } from '../context.ts'
import { escalate, heldOrRefuse, isWaiting } from '../hold.ts'
import { type Cause, lineOf } from '../outcome.ts'
import type { PaymentKey } from '../payment.ts'
import { findWholePayment } from '../reading/payment-store.ts'

/**
 * An escalated hold stays as it is. Throws `resource_not_found` for a payment that was never held,
 * `hold_already_decided`, or KeyTakenError.
 */
export async function escalateHold(
  { sql, ids, world }: Pick<SettlementContext, 'sql' | 'ids' | 'world'>,
  paymentKey: PaymentKey,
  { cause, key }: { cause: Cause; key: ReservedKey | null },
): Promise<void> {
  const { hold, payment } = heldOrRefuse(await findWholePayment(sql, paymentKey))
  const journal = lineOf(ids, payment, cause, {
    change: 'hold.escalated',
    detail: { deadline: hold.deadline },
    at: world.clock.now(),
  })
  const escalation = { hold: escalate(hold), key, journal }
  const is_saved = isWaiting(hold) && (await writeAs(sql, cause, (tx) => saveEscalation(tx, escalation)))
  if (is_saved) return
  throw new Refusal('hold_already_decided', 'The payment is not held any more.')
}
