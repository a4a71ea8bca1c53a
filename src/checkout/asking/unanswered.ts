// Records that an acquirer gave no usable answer: from now on the reconciler asks for the outcome.

import type { Unanswered } from '../../acquirers/acquirer.ts'
import type { SettlementContext } from '../context.ts'
import { first_check_ms, type Operation } from '../operation.ts'
import { type Cause, lineOf } from '../outcome.ts'
import type { WholePayment } from '../whole-payment.ts'
import { saveSurely } from './ask-acquirer.ts'
import { saveUnanswered } from './operation-store.ts'

/** A request that was written down and sent. */
export type SentRequest = Pick<WholePayment, 'session' | 'payment'> & {
  attempt: WholePayment['attempt']
  operation: Operation
  cause: Cause
}

/** False where another process recorded an answer meanwhile. Throws SaveError. */
export async function noteUnanswered(
  context: SettlementContext,
  sent: SentRequest,
  error: Unanswered,
): Promise<boolean> {
  const { sql, ids, world } = context
  const { payment, attempt, operation, cause } = sent
  const { operation_id, acquirer, kind } = operation
  const at = world.clock.now()
  // Silence is expected now and then; any other cause is a defect that somebody has to look into.
  const level = error.cause ? 'error' : 'warn'
  const told = { request_id: cause.request_id, operation_id, acquirer, kind, error: error.message }
  world.log[level](told, 'acquirer gave no usable answer')
  const lost = {
    operation,
    session: awaitedBy(sent),
    attempt: kind === 'authorise' ? attempt : null,
    acquirer_transaction_id: null,
    at,
    next_check_at: new Date(at.getTime() + first_check_ms),
    journal: lineOf(ids, payment, cause, {
      change: `${kind === 'authorise' ? 'charge' : kind}.unanswered`,
      detail: { operation_id },
      at,
    }),
  }
  const none = { operation_id, result: 'unanswered', acquirer_transaction_id: null }
  return saveSurely(context, () => saveUnanswered(sql, lost), none)
}

/**
 * The session that has to show that an answer is missing. The shopper does not wait for a refund. A reversal follows a charge
 * whose own answer is missing, so its session shows that already, unless the charge has ended meanwhile.
 */
export function awaitedBy({
  session,
  operation,
}: Pick<SentRequest, 'session' | 'operation'>): WholePayment['session'] | null {
  const { kind } = operation
  return kind === 'refund' || kind === 'reverse' ? null : session
}
