// Records that an acquirer has accepted a request or has it under way: the reconciler asks for the outcome.

import type { Accepted, UnderWay } from '../../acquirers/acquirer.ts'
import type { SettlementContext } from '../context.ts'
import { accepted_check_ms, under_way_check_ms } from '../operation.ts'
import { lineOf } from '../outcome.ts'
import { saveSurely } from './ask-acquirer.ts'
import { saveAccepted, saveUnanswered } from './operation-store.ts'
import { awaitedBy, type SentRequest } from './unanswered.ts'

/** For a charge. False where another process recorded an answer meanwhile. Throws SaveError. */
export async function noteUnderWay(
  context: SettlementContext,
  sent: SentRequest,
  { acquirer_transaction_id }: UnderWay,
): Promise<boolean> {
  const { sql, ids, world } = context
  const { session, payment, attempt, operation, cause } = sent
  const { operation_id, acquirer } = operation
  const at = world.clock.now()
  const fields = { operation_id, acquirer, acquirer_transaction_id }
  world.log.info(fields, 'the acquirer has the charge under way')
  const journal = lineOf(ids, payment, cause, {
    change: 'charge.under_way',
    detail: { operation_id, acquirer_transaction_id },
    at,
  })
  const next_check_at = new Date(at.getTime() + under_way_check_ms)
  const known = { operation, session, attempt, acquirer_transaction_id, at, next_check_at, journal }
  const told = { operation_id, result: 'under_way', acquirer_transaction_id }
  return saveSurely(context, () => saveUnanswered(sql, known), told)
}

/**
 * For a capture, void, reversal or refund. False where another process recorded an answer meanwhile. Throws SaveError.
 */
export async function noteAccepted(
  context: SettlementContext,
  sent: SentRequest,
  { acquirer_transaction_id }: Accepted,
): Promise<boolean> {
  const { sql, ids, world } = context
  const { payment, operation, cause } = sent
  const { operation_id, kind } = operation
  const at = world.clock.now()
  const journal = lineOf(ids, payment, cause, {
    change: `${kind}.accepted`,
    detail: { operation_id, acquirer_transaction_id },
    at,
  })
  const next_check_at = new Date(at.getTime() + accepted_check_ms)
  const session = awaitedBy(sent)
  const accepted = { operation, session, acquirer_transaction_id, next_check_at, journal }
  const told = { operation_id, result: 'accepted', acquirer_transaction_id }
  return saveSurely(context, () => saveAccepted(sql, accepted), told)
}
