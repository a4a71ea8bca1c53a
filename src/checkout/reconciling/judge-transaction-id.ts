// Judges the acquirer's id that a person gives for an operation. Captures and refunds later go to the id of a charge as it stands,
// so the id of another payment would move another shopper's money.

import { Refusal } from '../../kernel/errors.ts'
import { askAcquirer } from '../asking/ask-acquirer.ts'
import type { OperationWithAnswer } from '../asking/operation-store.ts'
import type { SettlementContext } from '../context.ts'
import type { WholePayment } from '../whole-payment.ts'
import { isBorneElsewhere } from './bearer-store.ts'

/**
 * Throws `invalid_request` that names `acquirer_transaction_id`. An acquirer that shows payments by their id must show that it is
 * ours. If such an acquirer cannot be reached, nothing is settled by the id: it could neither be captured nor refunded meanwhile.
 */
export async function refuseForeignId(
  context: SettlementContext,
  { payment, operation, operations }: WholePayment & Operations,
  id: string,
): Promise<void> {
  const { kind, handle, operation_id, acquirer: name } = operation
  const known = handle ?? operation.acquirer_transaction_id
  const is_charge = kind === 'authorise'
  if (known !== null && id !== known) {
    throw wrong(`must be ${known}: that is what the acquirer called the ${kind}.`)
  }
  const isOtherCharge = (each: OperationWithAnswer) => each.kind === 'authorise' && each.operation_id !== operation_id
  const bears = (each: OperationWithAnswer) => [each.acquirer_transaction_id, each.handle].includes(id)
  const is_of_payment = is_charge && operations.filter(isOtherCharge).some(bears)
  if (is_of_payment || (await isBorneElsewhere(context.sql, operation, id))) {
    throw wrong("is the acquirer's id of another payment or charge.")
  }
  const { bearsReference } = context.acquirerOf(payment.mode, name)
  if (!is_charge || known !== null || !bearsReference) return
  const bears_ours = await askAcquirer(context.world.clock, () => bearsReference(id, operation_id)).catch(
    (error: Error) => {
      throw wrong(`cannot be compared with the acquirer's payment now: ${error.message}. Try again later.`)
    },
  )
  if (bears_ours) return
  throw wrong(`names no payment at the acquirer that has our reference, ${operation_id}.`)
}

type Operations = { operation: OperationWithAnswer; operations: OperationWithAnswer[] }

function wrong(words: string): Refusal {
  return new Refusal('invalid_request', words, { field: 'acquirer_transaction_id' })
}
