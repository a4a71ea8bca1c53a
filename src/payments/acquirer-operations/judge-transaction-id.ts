// Judges the acquirer's id that a person gives for an operation. Captures and refunds later go to the id of a charge as it stands,
// so the id of another payment would move another shopper's money.

import { fromCells, wholeOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Fault } from '../../kernel/field-rules.ts'
import type { SettlementContext } from '../context.ts'
import type { Operation } from '../operation.ts'
import type { WholePayment } from '../whole-payment.ts'
import { askAcquirer } from './call-acquirer.ts'
import type { OperationWithAnswer } from './operation-store.ts'

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
  const ours = handle ?? operation.acquirer_transaction_id
  const is_charge = kind === 'authorise'
  if (ours !== null && id !== ours) {
    const words = `must be ${ours}: that is what the acquirer called the ${kind}.`
    throw wrong('other_than_known', words, { known_id: ours })
  }
  const isOtherCharge = (each: OperationWithAnswer) => each.kind === 'authorise' && each.operation_id !== operation_id
  const bears = (each: OperationWithAnswer) => [each.acquirer_transaction_id, each.handle].includes(id)
  const is_of_payment = is_charge && operations.filter(isOtherCharge).some(bears)
  const elsewhere = is_of_payment ? null : await bearerElsewhere(context.sql, operation, id)
  if (is_of_payment || elsewhere) {
    // The id of another merchant's payment is not for this one's people.
    const is_shown = elsewhere?.merchant_id === payment.merchant_id && elsewhere.payment_id !== null
    const members = is_shown ? { payment_id: elsewhere.payment_id } : {}
    throw wrong('other_payments_id', "is the acquirer's id of another payment or charge.", members)
  }
  const { bearsReference } = context.acquirerOf(payment.mode, name)
  if (!is_charge || ours !== null || !bearsReference) return
  const bears_ours = await askAcquirer(context.world.clock, () => bearsReference(id, operation_id)).catch(
    (error: Error) => {
      const words = `cannot be compared with the acquirer's payment now: ${error.message}. Try again later.`
      throw wrong('not_comparable', words)
    },
  )
  if (bears_ours) return
  const words = `names no payment at the acquirer that has our reference, ${operation_id}.`
  throw wrong('without_our_reference', words)
}

type Operations = { operation: OperationWithAnswer; operations: OperationWithAnswer[] }

function wrong(fault: Fault, words: string, members: Record<string, unknown> = {}): Refusal {
  return new Refusal('invalid_request', words, { field: 'acquirer_transaction_id', fault, members })
}

/** Where money is that bears an acquirer's id; an orphan may be of no payment. */
type Bearer = { merchant_id: string | null; payment_id: string | null }

/**
 * The other payment, the payment of another operation that is still open, or the orphan that has the id. Connections of several
 * merchants may lead to one account of an acquirer, so all merchants' rows at that kind of acquirer are looked at.
 */
async function bearerElsewhere(
  own: Sql,
  { operation_id, payment_id, acquirer }: Pick<Operation, 'operation_id' | 'payment_id' | 'acquirer'>,
  transaction_id: string,
): Promise<Bearer | null> {
  const whole = wholeOf(own)
  const [connector] = acquirer.split(':')
  const payments = await fromCells(
    whole,
    (sql) => sql<Bearer[]>`
      select m.merchant_id, found.payment_id from merchants m cross join lateral (
        select payment_id, acquirer from payments
        where merchant_id = m.merchant_id and acquirer_transaction_id = ${transaction_id} offset 0) found
      where found.payment_id <> ${payment_id} and split_part(found.acquirer, ':', 1) = ${connector!}
      union all
      select merchant_id, payment_id from acquirer_operations
      where state in ('sent', 'unknown', 'reversing', 'accepted') and payment_id <> ${payment_id}
        and ${transaction_id} in (acquirer_transaction_id, handle) and split_part(acquirer, ':', 1) = ${connector!}
      limit 1`,
  )
  if (payments[0]) return payments[0]
  const orphans = await whole<Bearer[]>`
    select merchant_id, payment_id from orphan_authorisations
    where reference <> ${operation_id} and (payment_id is null or payment_id <> ${payment_id})
      and ${transaction_id} in (acquirer_transaction_id, handle) and split_part(acquirer, ':', 1) = ${connector!}
    limit 1`
  return orphans[0] ?? null
}
