// What a notice speaks of: a payment of ours, and which of its operations. Only this file decides that, for every acquirer. A notice
// names an operation or a charge, by our reference or by the acquirer's ids; what people do in a portal has no reference of ours.

import type { Sql } from '../../database/open.ts'
import { acquirerName } from '../../merchants/account-connection.ts'
import { listOperations, type OperationWithAnswer } from '../acquirer-operations/operation-store.ts'
import { isOpen } from '../operation.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import type { WholePayment } from '../whole-payment.ts'
import { findOperationsNamed, isNamed, type NamedOperation, type StoredNotice } from './notice-store.ts'

export type Subject = {
  whole: WholePayment
  /** The payment's charge at the notice's acquirer. */
  charge: OperationWithAnswer
  /**
   * Undefined if the notice is about something that we have not requested. `not_named_yet`: it may be a refund of ours whose
   * answer will bring its name.
   */
  operation: OperationWithAnswer | 'not_named_yet' | undefined
  /** The notice is about another charge that bears the reference of ours: the acquirer has made two of one. */
  is_second_charge: boolean
}

/** Null if nothing here has one of the notice's names. */
export async function findSubject(sql: Sql, notice: StoredNotice): Promise<Subject | null> {
  const { merchant_id } = notice
  const acquirer = acquirerName(notice)
  const candidates = await findOperationsNamed(sql, { merchant_id, acquirer, names: [notice] })
  const payment_id = paymentMeant(candidates, notice)
  const whole = payment_id && (await findWholePayment(sql, { merchant_id, payment_id }))
  if (!whole) return null
  const all = await listOperations(sql, whole.payment)
  const operations = all.filter((each) => each.acquirer === acquirer)
  const charge = operations.find(({ kind }) => kind === 'authorise')
  if (!charge) return null
  const is_second_charge = isOfAnotherCharge(charge, operations, notice)
  return { whole, charge, operation: meant(operations, notice), is_second_charge }
}

/** The acquirer acts by its own ids. A reference is a text that people may enter in its portal, so it alone comes last. */
function paymentMeant(candidates: readonly NamedOperation[], notice: StoredNotice): string | null {
  const ids = { ...notice, reference: null }
  const ranks = [...Map.groupBy(candidates, ({ payment_id }) => payment_id)].map(([payment_id, own]) => {
    const by_id = own.some((each) => isNamed(each, ids))
    const by_reference = own.some(({ operation_id }) => operation_id === notice.reference)
    return { payment_id, rank: (by_id ? 2 : 0) + (by_reference ? 1 : 0) }
  })
  return ranks.toSorted((one, other) => other.rank - one.rank)[0]?.payment_id ?? null
}

/**
 * The operation with our reference or the acquirer's id, else the newest of its kind that no answer has named: a notice may name
 * only the charge. If we never asked for a capture, the acquirer captured with the charge. A refund needs a name, since a payment
 * may have several, and others made at the acquirer. A success is not that of an operation that has ended otherwise.
 */
function meant(operations: readonly OperationWithAnswer[], notice: StoredNotice): Subject['operation'] {
  const { about, answer } = notice
  const alike = operations.filter(({ kind }) => kind === about)
  if (about === 'capture' && alike.length === 0) {
    return operations.find(({ kind }) => kind === 'authorise')
  }
  // A reversal of what was captured is a refund there.
  const kinds = about === 'refund' ? ['refund', 'reverse'] : [about]
  const own = operations.find((each) => kinds.includes(each.kind) && isOwn(each, notice))
  if (own) return own
  const nameless = alike.filter(({ acquirer_transaction_id }) => acquirer_transaction_id === null)
  if (about === 'refund') return nameless.some(isOpen) ? 'not_named_yet' : undefined
  if (about === 'authorise') return alike[0]
  const may_be_ended = answer?.result === 'refused'
  return nameless.findLast((each) => may_be_ended || isOpen(each))
}

function isOwn(
  { operation_id, acquirer_transaction_id }: OperationWithAnswer,
  { reference, acquirer_transaction_id: theirs }: StoredNotice,
): boolean {
  if (operation_id === reference) return true
  return theirs !== null && acquirer_transaction_id === theirs
}

/** A notice that names a request of ours is about our charge, whatever id a person gave that charge. */
function isOfAnotherCharge(
  charge: OperationWithAnswer,
  operations: readonly OperationWithAnswer[],
  notice: StoredNotice,
): boolean {
  const { authorisation_transaction_id: theirs } = notice
  const ours = charge.handle ?? charge.acquirer_transaction_id
  if (theirs === null || ours === null || theirs === ours) return false
  return !operations.some((each) => each !== charge && isOwn(each, notice))
}
