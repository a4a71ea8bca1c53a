// A person settles an unanswered operation. Their knowledge from the acquirer counts as the acquirer's answer.

import type { AuthoriseAnswer, SettleAnswer } from '../../acquirers/acquirer.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/values.ts'
import type { SettlementContext } from '../context.ts'
import { isOpen, isUnanswered, type UnansweredOperation } from '../operation.ts'
import type { Cause } from '../outcome.ts'
import { isTakenAtOnce, type PaymentKey } from '../payment.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import type { WholePayment } from '../whole-payment.ts'
import { refuseForeignId } from './judge-transaction-id.ts'
import { windowEndsAt } from './next-step.ts'
import { listOperations, type OperationWithAnswer } from './operation-store.ts'
import { settleOperation } from './record-answer.ts'

/** `declined` and `failed` apply to charges, `refused` to captures, voids and refunds. */
export const resolutions = ['approved', 'declined', 'failed', 'refused'] as const
export type Resolution = (typeof resolutions)[number]

export type ResolutionRequest = {
  /** Which operation; needed where `mustBeNamed`. */
  operation_id?: string | null
  outcome: Resolution
  /** The acquirer's id of the approved operation. */
  acquirer_transaction_id: string | null
  /** In the words of the acquirer or of the person. */
  reason: string
  by: string
  /** Whom the journal names; an operator at the command line, where it is left out. */
  author?: Cause
}

const allowed: Record<UnansweredOperation['kind'], Resolution[]> = {
  authorise: ['approved', 'declined', 'failed'],
  capture: ['approved', 'refused'],
  void: ['approved', 'refused'],
  reverse: ['approved'],
  refund: ['approved', 'refused'],
}

/** The outcomes with which an operation may be resolved. */
export function outcomesOf({ kind, state }: Pick<UnansweredOperation, 'kind' | 'state'>): Resolution[] {
  return state === 'reversing' ? ['failed'] : allowed[kind]
}

/**
 * Throws `resource_not_found` if no operation of the payment is unanswered, or if the named one was answered meanwhile. Throws
 * `invalid_request` with the name of the wrong member of `request`.
 */
export async function resolveOperation(
  context: SettlementContext,
  key: PaymentKey,
  request: ResolutionRequest,
): Promise<UnansweredOperation> {
  const whole = await findWholePayment(context.sql, key)
  const operations = whole ? await listOperations(context.sql, key) : []
  const operation = whole && meant(operations, request)
  if (!operation) {
    throw new Refusal('resource_not_found', 'No operation of this payment waits for an answer.')
  }
  refuseUnlessFit(context, operation, whole.payment.mode, request)
  const { acquirer_transaction_id: id } = request
  if (id !== null) await refuseForeignId(context, { ...whole, operation, operations }, id)
  const note = { resolved_as: request.outcome, reason: request.reason, by: request.by }
  const author = request.author ?? { actor: 'operator' as const, request_id: null }
  const cause: Cause = { ...author, note, by_person: true }
  const answer = answerOf(request, operation, whole)
  if (await settleOperation(context, { ...whole, operation, cause }, answer)) return operation
  throw new Refusal('resource_not_found', 'The operation was answered meanwhile.')
}

function meant(
  operations: OperationWithAnswer[],
  { operation_id }: ResolutionRequest,
): OperationWithAnswer | undefined {
  if (operation_id) {
    const operation = operations.find((each) => each.operation_id === operation_id)
    if (!operation) throw wrong('operation_id', 'names no operation of this payment.')
    if (isOpen(operation)) return operation
    const words = `The ${operation.kind} ${operation_id} was answered meanwhile: it is ${operation.state}.`
    throw new Refusal('resource_not_found', words)
  }
  if (mustBeNamed(operations)) {
    throw wrong('operation_id', 'must name the operation: ripper reconcile show lists them.')
  }
  return unansweredOf(operations)
}

/**
 * Whether a payment's id is too little to say which operation is meant. It is for a refund: the one that a person looked at may
 * be answered while another waits.
 */
export function mustBeNamed(operations: Pick<UnansweredOperation, 'kind' | 'state'>[]): boolean {
  const open = operations.filter(isOpen)
  return open.length > 1 || open.some(({ kind }) => kind === 'refund')
}

/**
 * The reversal of a charge comes before the charge, because it decides the charge. It may still be under way. Of several refunds
 * the one comes first that waits for a person, and then the oldest.
 */
export function unansweredOf<Each extends UnansweredOperation>(operations: Each[]): Each | undefined {
  const open = operations.filter(isOpen)
  const refunds = open.filter(({ kind }) => kind === 'refund')
  return (
    open.find(({ kind }) => kind === 'reverse') ??
    refunds.find(({ waits_for_person_since }) => waits_for_person_since !== null) ??
    refunds[0] ??
    open.at(-1)
  )
}

function refuseUnlessFit(
  { world, acquirerOf }: SettlementContext,
  operation: UnansweredOperation,
  mode: Mode,
  { outcome, acquirer_transaction_id }: ResolutionRequest,
): void {
  const { kind, answer_by } = operation
  const now = world.clock.now()
  if (!isUnanswered(operation, now)) {
    const due_at = answer_by.toISOString()
    throw new Refusal('invalid_request', `The ${kind} is under way: its answer is due by ${due_at}.`)
  }
  const outcomes = outcomesOf(operation)
  if (!outcomes.includes(outcome)) {
    const words = `must be one of ${outcomes.join(', ')} for an operation of the kind ${kind}.`
    throw wrong('outcome', words)
  }
  // Otherwise a hold would be open again, or money left to refund, while the operation may still happen.
  const window_ends_at = windowEndsAt(operation, acquirerOf(mode, operation.acquirer))
  if (outcome === 'refused' && now < window_ends_at) {
    const until = window_ends_at.toISOString()
    const words = `may only be refused after ${until}: until then the ${kind} may still arrive at the acquirer.`
    throw wrong('outcome', words)
  }
  const needs_id = kind === 'authorise' && outcome === 'approved'
  if (needs_id && acquirer_transaction_id === null) {
    const words = "must be given for an approved charge: the acquirer's own id of it."
    throw new Refusal('invalid_request', words, { field: 'acquirer_transaction_id', fault: 'required' })
  }
}

function wrong(field: keyof ResolutionRequest, words: string): Refusal {
  return new Refusal('invalid_request', words, { field })
}

function answerOf(
  { outcome, acquirer_transaction_id, reason }: ResolutionRequest,
  { operation_id, amount, currency }: UnansweredOperation,
  { payment }: WholePayment,
): AuthoriseAnswer | SettleAnswer {
  switch (outcome) {
    case 'approved':
      return {
        result: 'approved',
        amount,
        currency,
        acquirer_transaction_id: acquirer_transaction_id ?? operation_id,
        // As requested.
        captured: isTakenAtOnce(payment),
      }
    case 'declined':
      return {
        result: 'declined',
        decline: { code: 'card_declined', category: 'soft', reason },
        acquirer_transaction_id,
      }
    case 'failed':
      return {
        result: 'failed',
        decline: { code: 'processing_error', category: 'provider_error', reason },
        acquirer_transaction_id,
      }
    case 'refused':
      return { result: 'refused', reason, decline_code: null, authorisation_known: true }
  }
}
