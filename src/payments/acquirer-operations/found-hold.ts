// Settles a hold by the state of its authorisation at the acquirer, where something else than the service changed it: a
// person in the acquirer's portal, or time.

import type { AuthorisationStanding } from '../../acquirers/acquirer.ts'
import type { ReservedKey } from '../../http/idempotency.ts'
import { isPartOf } from '../bound-money.ts'
import { findingElsewhere } from '../comparison.ts'
import { widelyAround } from '../comparison-windows.ts'
import type { SettlementContext } from '../context.ts'
import { isWaiting } from '../hold.ts'
import { newOperation, type OperationKind } from '../operation.ts'
import type { Cause } from '../outcome.ts'
import type { Payment, PaymentKey } from '../payment.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import type { HeldPayment } from '../whole-payment.ts'
import { lookUpStanding } from './call-acquirer.ts'
import { noteFinding } from './finding-store.ts'
import { saveFoundDecision } from './hold-store.ts'
import { listAuthorisations } from './list-authorisations.ts'
import { decisionDone } from './outcome-by-kind.ts'

export type FoundHoldRequest = {
  /** In whose name the hold is decided. */
  asked_by: 'merchant' | 'rules'
  cause: Cause
  /** The idempotency key of the request that succeeds by it. */
  key: ReservedKey | null
  /** What a person or a notice reports, for an acquirer that cannot be asked; null to go by the acquirer alone. */
  as: HoldEnding | null
  /** How much they report as captured, where the acquirer cannot be asked; left out: all that was authorised. */
  captured_amount?: number | undefined
}

export type HoldEnding = 'captured' | 'voided'

/**
 * `ends` is how the hold was settled; null where it stays open: the acquirer still reserves the amount, captured
 * another amount, or does not say (`standing` null), or another request decided meanwhile (`decided_elsewhere`).
 */
export type FoundHoldResult = {
  ends: HoldEnding | null
  standing: AuthorisationStanding | null
  decided_elsewhere: boolean
}

/**
 * The hold must be open, with nothing under way. A person's report counts where the acquirer does not contradict it.
 * Throws where only the acquirer can say and it cannot be reached.
 */
export async function settleFoundHold(
  context: SettlementContext,
  payment: HeldPayment,
  request: FoundHoldRequest,
): Promise<FoundHoldResult> {
  const standing = await standingOf(context, payment).catch((error: unknown) => {
    if (request.as === null) throw error
    return null
  })
  const ends = request.as === null ? endOf(payment, standing) : agreed(request.as, payment, standing)
  if (ends === null) return { ends, standing, decided_elsewhere: false }
  const is_saved = await save(context, payment, { ...request, ends, standing })
  return { ends: is_saved ? ends : null, standing, decided_elsewhere: !is_saved }
}

/**
 * Runs after a refusal which says that the amount was captured already: it was captured in the acquirer's portal, and
 * is captured here now. Null where the refusal says something else, the hold is settled, or the acquirer does not
 * confirm it: the next decision asks again.
 */
export async function settleIfCaptured(
  context: SettlementContext,
  key: PaymentKey,
  refused: { decline_code: string | null },
  request: Omit<FoundHoldRequest, 'as'> & { kind: OperationKind },
): Promise<HoldEnding | null> {
  if (refused.decline_code !== 'already_captured') return null
  const payment = await findWholePayment(context.sql, key)
  if (!payment?.hold || !isWaiting(payment.hold) || payment.hold.operation_id !== null) return null
  try {
    const { hold } = payment
    // A void is refused by this, and its key is free again.
    const reserved = request.kind === 'capture' ? request.key : null
    const by = { ...request, key: reserved, as: null }
    const result = await settleFoundHold(context, { ...payment, hold }, by)
    return result.ends
  } catch (error) {
    const { payment_id } = key
    context.world.log.warn({ payment_id, error: (error as Error).message }, 'hold not looked up')
    return null
  }
}

/**
 * Null where the acquirer does not know the authorisation, or never approved it. One that it no longer finds by
 * reference may still be listed.
 */
async function standingOf(
  { acquirerOf, world }: SettlementContext,
  { payment, authorisation }: HeldPayment,
): Promise<AuthorisationStanding | null> {
  const acquirer = acquirerOf(payment.mode, payment.acquirer)
  const standing = await lookUpStanding(world.clock, acquirer, authorisation!)
  if (standing !== 'not_found') return standing
  const { reference } = authorisation!
  const window = widelyAround(reference)
  const charges = await listAuthorisations(world.clock, acquirer, window)
  const live = charges.find((each) => each.reference === reference)
  if (!live) return null
  const { amount, currency, captured } = live
  return { state: captured ? 'captured' : 'reserved', amount, currency }
}

/**
 * A person's report, unless the acquirer contradicts it. Where another amount was captured, the person has to judge.
 */
function agreed(as: HoldEnding, payment: HeldPayment, standing: AuthorisationStanding | null): HoldEnding | null {
  if (standing === null || endOf(payment, standing) === as) return as
  return standing.state === 'captured' && as === 'captured' ? as : null
}

function endOf({ payment }: HeldPayment, standing: AuthorisationStanding | null): HoldEnding | null {
  switch (standing?.state) {
    case 'voided':
    case 'reversed':
    case 'expired':
      return 'voided'
    case 'captured': {
      return takenThere(payment, standing) === null ? null : 'captured'
    }
    default:
      return null
  }
}

/** What the acquirer took of a payment, the whole or a part. Null where that is no capture of what was authorised. */
function takenThere(payment: Payment, standing: AuthorisationStanding | null): number | null {
  return standing?.state === 'captured' && isPartOf(payment, standing) ? standing.amount : null
}

/** The acquirer took a part that nobody asked for here. What was taken is recorded, and a person is told. */
async function tellOfPart(
  { sql, world }: Pick<SettlementContext, 'sql' | 'world'>,
  { payment, authorisation }: HeldPayment,
  amount: number,
): Promise<void> {
  const { reference } = authorisation!
  const { payment_id, acquirer, currency } = payment
  const theirs = { state: 'captured' as const, amount, currency }
  const finding = findingElsewhere({ payment, reference, theirs, at: world.clock.now() })
  if (!(await noteFinding({ sql }, { ...finding, kind: 'amount_differs' }))) return
  const fields = { acquirer, reference, payment_id, amount }
  world.log.error(fields, 'the acquirer has captured a part that was not asked for: ripper reconcile findings shows it')
}

async function save(
  context: SettlementContext,
  held: HeldPayment,
  ending: FoundHoldRequest & Pick<FoundHoldResult, 'standing'> & { ends: HoldEnding },
): Promise<boolean> {
  const { sql, ids, world, wakeDeliveries } = context
  const { payment, hold } = held
  const { ends, standing, asked_by, cause, key, captured_amount } = ending
  const at = world.clock.now()
  const kind = ends === 'captured' ? ('capture' as const) : ('void' as const)
  const taken =
    kind === 'capture' ? (takenThere(payment, standing) ?? captured_amount ?? payment.amount) : payment.amount
  // Before the decision, so that it is told in any case.
  if (taken !== payment.amount) await tellOfPart(context, held, taken)
  const sequence = hold.operation_count + 1
  const operation = newOperation(payment, {
    operation_id: ids.operation(at),
    kind,
    amount: taken,
    sequence,
    asked_by,
    key,
    at,
  })
  const { by_person } = cause
  const found = standing?.state ?? (by_person ? 'told by a person' : 'told by a notice')
  const answer = { result: 'approved', found, ...(by_person && { by_person }) }
  const decision = { ...held, operation: { ...operation, kind }, cause }
  const change = decisionDone(context, decision, { at, found, holds_nothing: kind === 'void' })
  const is_saved = await saveFoundDecision(sql, {
    ...change,
    before: hold,
    key,
    hold: { ...change.hold, operation_count: sequence },
    // The operation was never sent: its effect is there already.
    operation: { ...operation, state: 'approved', next_check_at: null, answer, answered_at: at },
  })
  if (is_saved) wakeDeliveries('event', payment.merchant_id)
  return is_saved
}
