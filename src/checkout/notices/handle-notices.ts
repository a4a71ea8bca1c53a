// A job: an acquirer's notice settles the operation that it concerns, or makes the search for the answer look at once. Notices
// come late, twice, out of order, and before the answer to the request itself.

import type { AuthoriseAnswer, SettleAnswer } from '../../acquirers/acquirer.ts'
import type { Metrics } from '../../http/metrics.ts'
import { acquirerName } from '../../merchants/account-connection.ts'
import { listOperations, type OperationWithAnswer } from '../asking/operation-store.ts'
import { noteOtherAmount } from '../asking/other-amount.ts'
import { workOff } from '../asking/work-off.ts'
import { nextTryAt } from '../backoff.ts'
import type { SettlementContext } from '../context.ts'
import { isWaiting } from '../hold.ts'
import { settleFoundHold } from '../holds/settle-found-hold.ts'
import { isOpen } from '../operation.ts'
import type { OrphanContext } from '../orphans/orphan-context.ts'
import { settleReversal } from '../orphans/reverse-orphans.ts'
import type { Cause } from '../outcome.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import { askIfContradicted, contradiction } from '../reconciling/contradiction.ts'
import { type OperationCase, settleOperation } from '../reconciling/settle-operation.ts'
import type { WholePayment } from '../whole-payment.ts'
import { settleDoneElsewhere } from './done-elsewhere.ts'
import {
  askAtOnce,
  claimNotices,
  endNotice,
  findPaymentOfReference,
  giveUpNotice,
  postponeNotice,
  purgeNotices,
  type StoredNotice,
} from './notice-store.ts'

/** Longer than two notices may take. */
const lease_ms = 60_000
const waits_seconds = [10, 60, 300, 1800, 3600]
/** Longer than the search for an answer, and than the days that a person then has to settle the operation. */
const given_up_after_ms = 7 * 24 * 3_600_000
/** How long a handled notice is kept, for people. */
const kept_ms = 90 * 24 * 3_600_000

/** `later`: the outcome is not clear yet. Every other value ends the notice, and is kept in its row for people. */
type Outcome =
  | 'contradicts'
  | 'settled'
  | 'asked_at_once'
  | 'nothing_new'
  | 'unknown_here'
  | 'taken_back'
  | 'later'

type NoticeContext = SettlementContext &
  Pick<OrphanContext, 'listAcquirers' | 'installation'> & {
    metrics: Pick<Metrics, 'noticeGivenUp'>
  }

/** Returns how many notices were looked at. */
export function handleNotices(context: NoticeContext): Promise<number> {
  const { sql, world } = context
  return workOff(
    (limit) => {
      const now = world.clock.now()
      return claimNotices(sql, { now, lease_until: new Date(now.getTime() + lease_ms), limit })
    },
    (notice) => follow(context, notice),
    context.stopping,
  )
}

/** Returns how many notices were deleted. */
export function forgetOldNotices({ sql, world }: Pick<SettlementContext, 'sql' | 'world'>) {
  return purgeNotices(sql, new Date(world.clock.now().getTime() - kept_ms))
}

async function follow(context: NoticeContext, notice: StoredNotice): Promise<void> {
  const { sql, world } = context
  const { connection_id, notice_id, about } = notice
  try {
    const outcome = await handleOrGiveUp(context, notice)
    const at = world.clock.now()
    if (outcome === 'given_up') return
    if (outcome !== 'later') return await endNotice(sql, notice, { outcome, at })
    const tries = { tries: notice.tries, now: at, chance: 0 }
    await postponeNotice(sql, notice, nextTryAt(waits_seconds, tries))
  } catch (error) {
    // The lease ends by itself, and the notice is looked at again.
    const fields = { connection_id, notice_id, about, error: (error as Error).message }
    world.log.error(fields, 'notice not handled')
  }
}

/** A notice that is still not clear days after it came, or cannot be handled, is left to people. */
async function handleOrGiveUp(
  context: NoticeContext,
  notice: StoredNotice,
): Promise<Outcome | 'given_up'> {
  const { sql, world, metrics } = context
  const { connection_id, notice_id, about, reference } = notice
  const is_last = world.clock.now().getTime() - notice.received_at.getTime() >= given_up_after_ms
  let failure: string | null = null
  try {
    const outcome = await handle(context, notice)
    if (outcome !== 'later' || !is_last) return outcome
  } catch (error) {
    if (!is_last) throw error
    failure = (error as Error).message
  }
  if (await giveUpNotice(sql, notice, world.clock.now())) {
    metrics.noticeGivenUp(about)
    const fields = { connection_id, notice_id, about, reference, error: failure }
    world.log.error(fields, 'notice given up')
  }
  return 'given_up'
}

async function handle(context: NoticeContext, notice: StoredNotice): Promise<Outcome> {
  const { merchant_id, reference } = notice
  const acquirer = acquirerName(notice)
  if (reference === null) return 'unknown_here'
  const is_settled = await settleOrphan(context, notice, reference)
  if (is_settled !== null) return is_settled ? 'settled' : 'later'
  const asked = { merchant_id, acquirer, reference }
  const payment_id = await findPaymentOfReference(context.sql, asked)
  const whole = payment_id && (await findWholePayment(context.sql, { merchant_id, payment_id }))
  if (!whole) return 'unknown_here'
  if (notice.about === 'expiry') return expire(context, whole, notice)
  const operations = await listOperations(context.sql, whole.payment)
  const operation = meant(operations, notice)
  if (operation === 'not_named_yet') return 'later'
  const { learned_by } = context.acquirerOf(whole.payment.mode, acquirer)
  const cause = causeOf(notice)
  if (learned_by === 'notice') {
    const done = await settleDoneElsewhere(context, { whole, operation, cause }, notice)
    if (done !== null) return done
  }
  if (!operation) return 'nothing_new'
  const { answer } = notice
  const found = { ...whole, operation, cause }
  if (learned_by === 'notice' && answer !== null && answer.result !== 'suggested') {
    return settle(context, found, notice, answer)
  }
  // The acquirer is asked about the notice, so that its own books decide.
  if (!isOpen(operation)) return askIfContradicted(context, found, notice)
  // The notice may concern what comes after the answer, which is still expected.
  if (operation.kind === 'refund' && operation.state === 'sent') return 'later'
  await askAtOnce(context.sql, operation, context.world.clock.now())
  return 'asked_at_once'
}

/** An orphan's reversal is no operation of a payment. Null if the notice is not about one. */
async function settleOrphan(
  context: NoticeContext,
  { about, answer, acquirer_transaction_id, ...notice }: StoredNotice,
  reference: string,
): Promise<boolean | null> {
  if (about !== 'reverse' || answer === null || answer.result === 'suggested') return null
  const named = { acquirer: acquirerName(notice), reference, acquirer_transaction_id }
  return settleReversal(context, named, answer as SettleAnswer)
}

/**
 * The operation with our reference or the acquirer's id, else the newest of its kind: a notice may name only the charge. If we
 * never asked for a capture, the acquirer captured with the charge. A refund needs a name, since a payment may have several, and
 * others made at the acquirer. `not_named_yet`: it may be a refund of ours whose answer will bring its name.
 */
function meant(
  operations: readonly OperationWithAnswer[],
  notice: StoredNotice,
): OperationWithAnswer | 'not_named_yet' | undefined {
  const { about, reference, acquirer_transaction_id: theirs } = notice
  const name = acquirerName(notice)
  const here = operations.filter(({ acquirer }) => acquirer === name)
  const alike = here.filter(({ kind }) => kind === about)
  if (about === 'capture' && alike.length === 0) {
    return here.find(({ kind }) => kind === 'authorise')
  }
  const named =
    alike.find(({ operation_id }) => operation_id === reference) ??
    alike.find((each) => theirs !== null && each.acquirer_transaction_id === theirs)
  if (named) return named
  const nameless = alike.filter(({ acquirer_transaction_id }) => acquirer_transaction_id === null)
  if (about !== 'refund') return nameless.at(-1)
  return nameless.some(isOpen) ? 'not_named_yet' : undefined
}

async function settle(
  context: SettlementContext,
  found: OperationCase,
  notice: StoredNotice,
  said: AuthoriseAnswer | SettleAnswer,
): Promise<Outcome> {
  const { operation } = found
  const answer = asAsked(found, said)
  if (!isOpen(operation)) return contradiction(context, found, answer)
  // The charge is being reversed. The answer to the reversal shows whether the reversal comes too late.
  if (operation.state === 'reversing' && answer.result === 'approved') return 'later'
  // The charge itself has a notice of its own.
  if (operation.kind === 'authorise' && notice.about === 'capture') return 'later'
  const differs = await noteOtherAmount(context, found, answer)
  if (differs !== null) return differs
  const settled = await settleOperation(context, found, answer)
  return settled ? 'settled' : 'nothing_new'
}

/** A notice does not say whether the amount was captured with the charge. It was, if that was requested. */
function asAsked(
  { session }: WholePayment,
  answer: AuthoriseAnswer | SettleAnswer,
): AuthoriseAnswer | SettleAnswer {
  return 'captured' in answer ? { ...answer, captured: session.amount_verified } : answer
}

/** The reservation has lapsed: a hold that still waits ends as voided. */
async function expire(
  context: SettlementContext,
  whole: WholePayment,
  notice: StoredNotice,
): Promise<Outcome> {
  const { hold } = whole
  if (!hold || !isWaiting(hold) || whole.payment.acquirer !== acquirerName(notice)) {
    return 'nothing_new'
  }
  // A capture or void under way must be answered first.
  if (hold.operation_id !== null) return 'later'
  const { learned_by } = context.acquirerOf(whole.payment.mode, whole.payment.acquirer)
  // If the acquirer can be asked, its books decide.
  const as = learned_by === 'notice' ? ('voided' as const) : null
  const asked = { asked_by: 'rules' as const, cause: causeOf(notice), key: null, as }
  const { ends } = await settleFoundHold(context, { ...whole, hold }, asked)
  return ends === null ? 'nothing_new' : 'settled'
}

function causeOf({ connection_id, notice_id }: StoredNotice): Cause {
  return { actor: 'reconciler', request_id: null, note: { connection_id, notice_id } }
}
