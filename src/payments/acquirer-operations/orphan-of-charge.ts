// The authorisation that a charge may have at its acquirer though the charge ended otherwise here: it is reversed.

import type { AuthorisationName } from '../../acquirers/acquirer.ts'
import type { SettlementContext } from '../context.ts'
import type { Operation } from '../operation.ts'
import { newOrphan, type Orphan } from '../orphan.ts'
import type { Payment } from '../payment.ts'

export type UnwantedCharge = {
  authorisation: AuthorisationName
  acquirer: string
  /** As the acquirer reports it, else as it was requested. */
  money: Pick<Operation, 'amount' | 'currency'>
  payment: Pick<Payment, 'merchant_id' | 'payment_id' | 'mode'>
}

/**
 * Due at once. The acquirer need not have listed it, nor even have received it. Where its reversals fence nothing, the
 * orphan is looked up again for as long as something may still come.
 */
export function orphanOfCharge(
  { ids, world, acquirerOf }: Pick<SettlementContext, 'ids' | 'world' | 'acquirerOf'>,
  { authorisation, acquirer, money, payment }: UnwantedCharge,
): Orphan {
  const now = world.clock.now()
  const { merchant_id, payment_id, mode } = payment
  const { amount, currency } = money
  const facts = { ...authorisation, acquirer, mode, amount, currency, merchant_id, payment_id }
  const { late_approval_ms } = acquirerOf(mode, acquirer)
  return {
    ...newOrphan({ ...facts, authorised_at: null }, { operation_id: ids.operation(now), now }),
    watched_until: late_approval_ms > 0 ? new Date(now.getTime() + late_approval_ms) : null,
  }
}
