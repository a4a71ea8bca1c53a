// Looks refunds of the last days up again: a bank may send one back, and not every acquirer's notice of that arrives.

import type { Acquirer } from '../../acquirers/acquirer.ts'
import { inCell } from '../../database/cells/cells.ts'
import { askIfContradicted } from '../acquirer-operations/contradiction.ts'
import { listOperations } from '../acquirer-operations/operation-store.ts'
import { lookUp } from '../acquirer-operations/reconcile.ts'
import { type BookedCase, settleOperation } from '../acquirer-operations/record-answer.ts'
import type { SettlementContext } from '../context.ts'
import { isOpen } from '../operation.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import { runEach } from '../run-rows.ts'
import { type BookedRefund, pageRefunds } from './comparison-store.ts'

const page = 100

/**
 * Refunds that succeeded, and those that wait for a person, with references in the range. What the acquirer says now is recorded
 * as if its notice had come. `goOn` is called before each page. Returns the references of the charges.
 */
export async function lookAtRefunds(
  context: SettlementContext,
  acquirer: Pick<Acquirer, 'name'>,
  range: { from: string; below: string },
  goOn: () => Promise<void>,
): Promise<Set<string>> {
  const charges = new Set<string>()
  let after: BookedRefund | null = null
  for (;;) {
    await goOn()
    const query = { acquirer: acquirer.name, ...range, after, limit: page }
    const some: BookedRefund[] = await pageRefunds(context.sql, query)
    await runEach(some, async (booked) => {
      for (const charge of await look(context, booked)) charges.add(charge)
    })
    if (some.length < page) return charges
    after = some.at(-1)!
  }
}

/** Returns the reference of the charge. */
async function look(common: SettlementContext, booked: BookedRefund): Promise<string[]> {
  const context = await inCell(common, booked.merchant_id)
  const operations = await listOperations(context.sql, booked)
  const whole = await findWholePayment(context.sql, booked)
  const operation = operations.find(({ operation_id }) => operation_id === booked.operation_id)
  if (whole && operation) {
    const subject = { ...whole, operation, cause: { actor: 'reconciler', request_id: null } } as const
    if (isOpen(operation)) await settleIfKnown(context, subject)
    else await askIfContradicted(context, subject, { about: 'refund', answer: null })
  }
  const charges = operations.filter(({ kind, state }) => kind === 'authorise' && state === 'approved')
  return charges.map(({ operation_id }) => operation_id)
}

async function settleIfKnown(context: SettlementContext, subject: BookedCase): Promise<void> {
  const answer = await lookUp(context, subject)
  if (answer.result === 'found' && answer.kind === 'refund') {
    await settleOperation(context, subject, answer.answer)
  }
}
