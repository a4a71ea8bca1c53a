// A job: looks up unanswered operations by our reference until their outcome is known.

import { chargeNamed, type LookUpAnswer, type LookUpRequest, Unanswered } from '../../acquirers/acquirer.ts'
import { failed } from '../../acquirers/answers.ts'
import { chanceOf } from '../../kernel/world.ts'
import type { SettlementContext } from '../context.ts'
import { answerBy, newOperation, type UnansweredOperation } from '../operation.ts'
import { type Cause, lineOf } from '../outcome.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import { workOff } from '../run-rows.ts'
import { askAcquirer } from './call-acquirer.ts'
import { waitForPerson } from './differing-answer.ts'
import { type LookUpResult, laterOrNever, type ReconciliationStep, stepAfter } from './next-step.ts'
import { beginAgain, beginReversal, claimOperations, listOperations, lookAgain } from './operation-store.ts'
import { wasPulledAfter } from './orphan-rows-store.ts'
import type { SettleCase } from './outcome-by-kind.ts'
import { type BookedCase, followRefusal, noteUnanswered, settleOperation, withItsRows } from './record-answer.ts'
import { callToSettle, sendOperation } from './send.ts'

/** Longer than two looks and their consequences may take. */
const lease_ms = 90_000

const cause: Cause = { actor: 'reconciler', request_id: null }

/** Returns how many operations were looked at. */
export function reconcile(context: SettlementContext): Promise<number> {
  return workOff(
    (limit) => {
      const now = context.world.clock.now()
      const lease_until = new Date(now.getTime() + lease_ms)
      return claimOperations(context.sql, { now, lease_until, limit })
    },
    (operation) => follow(context, operation),
    context.stopping,
  )
}

async function follow(context: SettlementContext, operation: UnansweredOperation): Promise<void> {
  const { operation_id } = operation
  try {
    const whole = await findWholePayment(context.sql, operation)
    if (!whole) throw new Error('an operation without a payment')
    const subject: BookedCase = { ...whole, operation, cause }
    if (operation.state === 'sent') {
      // The process that sent it has died. From now on the answer counts as lost, and is looked for.
      await noteUnanswered(context, subject, new Unanswered('nobody noted an answer before it was due'))
      return
    }
    await (operation.state === 'reversing' ? endReversal(context, subject) : look(context, subject))
  } catch (error) {
    // The lease ends by itself, and the operation is looked at again.
    context.world.log.error({ operation_id, error: (error as Error).message }, 'look failed')
  }
}

async function look(context: SettlementContext, subject: BookedCase): Promise<void> {
  const { operation, payment } = subject
  const acquirer = context.acquirerOf(payment.mode, operation.acquirer)
  const answer = await lookUp(context, subject)
  const moment = { now: context.world.clock.now(), chance: chanceOf(context.world) }
  await take(context, subject, stepAfter(operation, answer, acquirer, moment))
}

/** What the acquirer knows of an operation. */
export async function lookUp(context: SettlementContext, subject: BookedCase): Promise<LookUpResult> {
  const { operation_id, acquirer: name } = subject.operation
  const acquirer = context.acquirerOf(subject.payment.mode, name)
  const request = requestOf(subject)
  try {
    return await askAcquirer<LookUpAnswer>(context.world.clock, () => acquirer.lookUp(request))
  } catch (error) {
    const fields = { operation_id, acquirer: name, error: (error as Error).message }
    context.world.log.warn(fields, 'acquirer could not be reached')
    return { result: 'no_answer' }
  }
}

/** A charge is looked up by its own names: the payment's authorisation may be that of its fallback. */
function requestOf({ operation, authorisation }: BookedCase): LookUpRequest {
  const { kind, operation_id: reference, handle, acquirer_transaction_id } = operation
  if (kind === 'authorise') return chargeNamed({ reference, handle, acquirer_transaction_id })
  return { kind, reference, acquirer_transaction_id, authorisation: authorisation! }
}

async function take(context: SettlementContext, subject: BookedCase, step: ReconciliationStep): Promise<void> {
  const { operation } = subject
  switch (step.step) {
    case 'settle_charge':
    case 'settle':
      await settleOperation(context, subject, step.answer)
      return
    case 'look_again':
      return lookAgain(context.sql, operation, step)
    case 'reverse':
      return (await mayBeForgotten(context, subject)) ? waitForPerson(context, subject) : reverse(context, subject)
    case 'send_again':
      return sendAgain(context, subject)
    case 'wait_for_person':
      return waitForPerson(context, subject)
  }
}

/**
 * Whether the acquirer may have made the charge and forgotten its reference, while our books went back to before its answer. A
 * reversal might then refund a paid order, so only a person can settle it. Whoever released the brake decided about what had been
 * found by then, and not about this charge.
 */
async function mayBeForgotten(
  { sql, world, acquirerOf }: SettlementContext,
  { operation: { acquirer, sent_at }, payment }: BookedCase,
): Promise<boolean> {
  const { reference_life_ms } = acquirerOf(payment.mode, acquirer)
  if (world.clock.now().getTime() < sent_at.getTime() + reference_life_ms) return false
  return wasPulledAfter(sql, acquirer, sent_at)
}

/** The charge was not found where it would have to be. It is reversed so that it can never arrive, and then fails. */
async function reverse(context: SettlementContext, subject: BookedCase): Promise<void> {
  const { sql, ids, world } = context
  const { operation, payment } = subject
  const at = world.clock.now()
  const before = await listOperations(sql, operation)
  const sequence = before.filter(({ kind }) => kind === 'reverse').length + 1
  const operation_id = ids.operation(at)
  const reversal = newOperation(payment, { operation_id, kind: 'reverse', sequence, at })
  const journal = lineOf(ids, payment, cause, {
    change: 'reverse.begun',
    detail: { operation_id, sequence, authorisation: operation.operation_id },
    at,
  })
  if (!(await beginReversal(sql, operation, { reversal, journal }))) return
  const reversalCase = { ...subject, kind: 'reversal' as const, operation: reversal }
  await sendOperation(context, reversalCase, callToSettle(context, reversalCase))
}

async function sendAgain(context: SettlementContext, booked: BookedCase): Promise<void> {
  const { sql, ids, world } = context
  const { operation, payment } = booked
  const { operation_id, kind, sequence } = operation
  const at = world.clock.now()
  const journal = lineOf(ids, payment, cause, {
    change: `${kind}.sent_again`,
    detail: { operation_id, sequence },
    at,
  })
  const sending = { last_sent_at: at, answer_by: answerBy(at) }
  // Read before it is sent: a failure here must not lose the answer.
  const subject = await withItsRows(context, booked)
  if (!(await beginAgain(sql, operation, { ...sending, journal }))) return
  const repeat = { ...subject, operation: { ...subject.operation, ...sending } } as SettleCase
  await followRefusal(context, repeat, await sendOperation(context, repeat, callToSettle(context, repeat)))
}

/** A charge that is being reversed fails once the outcome of its reversal is known. */
async function endReversal(context: SettlementContext, subject: BookedCase): Promise<void> {
  const { operation } = subject
  const operations = await listOperations(context.sql, operation)
  const reversal = operations.filter(({ kind }) => kind === 'reverse').at(-1)
  if (reversal?.state === 'approved' || reversal?.state === 'refused') {
    const words =
      reversal.state === 'approved'
        ? 'No answer came from the acquirer; the authorisation was taken back'
        : 'The acquirer holds nothing of the authorisation'
    await settleOperation(context, subject, failed(words))
    return
  }
  const moment = { now: context.world.clock.now(), chance: chanceOf(context.world) }
  const at = laterOrNever(operation, moment)
  if (at === null) return waitForPerson(context, subject)
  await lookAgain(context.sql, operation, { at, not_found_count: 0 })
}
