// A job: an acquirer's notice settles the operation that it concerns, or makes the search for the answer look at once. Notices
// come late, twice, out of order, and before the answer to the request itself.

import type { AuthoriseAnswer, SettleAnswer, Suggestion } from '../../acquirers/acquirer.ts'
import type { Metrics } from '../../http/metrics.ts'
import { acquirerName } from '../../merchants/account-connection.ts'
import { askIfContradicted, contradiction } from '../acquirer-operations/contradiction.ts'
import { noteOtherAmount } from '../acquirer-operations/differing-answer.ts'
import type { OperationWithAnswer } from '../acquirer-operations/operation-store.ts'
import { type BookedCase, settleOperation } from '../acquirer-operations/record-answer.ts'
import { nextTryAt } from '../backoff.ts'
import type { SettlementContext } from '../context.ts'
import { findDisputeNamed } from '../disputes/dispute-store.ts'
import { recordDispute } from '../disputes/record-dispute.ts'
import { isWaiting } from '../hold.ts'
import { isOpen } from '../operation.ts'
import type { OrphanContext } from '../orphans/orphan-context.ts'
import { settleReversal } from '../orphans/reverse-orphans.ts'
import type { Cause } from '../outcome.ts'
import { isTakenAtOnce, type PaymentKey } from '../payment.ts'
import { workOff } from '../run-rows.ts'
import type { WholePayment } from '../whole-payment.ts'
import { settleDoneElsewhere } from './done-elsewhere.ts'
import { endGivenBack } from './given-back.ts'
import { lookAtCharge } from './look-at-charge.ts'
import {
  askAtOnce,
  claimNotices,
  endNotice,
  giveUpNotice,
  hasUnansweredCharge,
  postponeNotice,
  purgeNotices,
  type StoredNotice,
} from './notice-store.ts'
import { findSubject, type Subject } from './notice-subject.ts'
import { approvalIn, holdBackLost, noteSecond } from './unknown-charge.ts'

/** Longer than two notices may take. */
const lease_ms = 60_000
const waits_seconds = [10, 60, 300, 1800, 3600]
/** Longer than the search for an answer, and than the days that a person then has to settle the operation. */
const given_up_after_ms = 7 * 24 * 3_600_000
/** How long a handled notice is kept, for people. */
const kept_ms = 90 * 24 * 3_600_000
/** The same of one that has turned out to be of another system. */
const kept_of_others_ms = 24 * 3_600_000

/** `later`: the outcome is not clear yet. `no_outcome`: the notice tells of none, and another one will. Every other value ends the notice, and is kept in its row for people. */
type Outcome =
  | 'contradicts'
  | 'settled'
  | 'asked_at_once'
  | 'nothing_new'
  | 'no_outcome'
  | 'unknown_here'
  | 'second_charge'
  | 'held_back'
  | 'disputed'
  | 'taken_back'
  | 'later'

type NoticeContext = SettlementContext & OrphanContext & { metrics: Pick<Metrics, 'noticeGivenUp'> }

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
  const before = (ms: number) => new Date(world.clock.now().getTime() - ms)
  return purgeNotices(sql, { ours: before(kept_ms), of_others: before(kept_of_others_ms) })
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
async function handleOrGiveUp(context: NoticeContext, notice: StoredNotice): Promise<Outcome | 'given_up'> {
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
  const subject = await findSubject(context.sql, notice)
  const has_ended = await endGivenBack(context, notice, subject?.whole.payment.amount ?? null)
  const reversal = has_ended ? null : await settleOrphan(context, notice)
  if (reversal !== null) return reversal
  if (!subject) {
    if (has_ended) return 'settled'
    const known = await knownDispute(context, notice)
    return known ? followDispute(context, known, notice) : unknownHere(context, notice)
  }
  const outcome = await followSubject(context, subject, notice)
  return has_ended && saysNothing.has(outcome) ? 'settled' : outcome
}

/** A notice may name the dispute alone, and not the payment. */
async function knownDispute({ sql }: NoticeContext, { dispute, ...notice }: StoredNotice) {
  if (!dispute) return undefined
  const { merchant_id } = notice
  return findDisputeNamed(sql, { merchant_id, acquirer: acquirerName(notice), vendor_id: dispute.vendor_id })
}

const saysNothing = new Set<Outcome>(['nothing_new', 'second_charge'])

async function followSubject(context: NoticeContext, subject: Subject, notice: StoredNotice): Promise<Outcome> {
  const { whole, charge, operation } = subject
  if (notice.about === 'dispute') return followDispute(context, whole.payment, notice)
  if (operation === 'not_named_yet') return 'later'
  const { learned_by } = context.acquirerOf(whole.payment.mode, charge.acquirer)
  if (subject.is_second_charge) return followSecond(context, subject, notice)
  const cause = causeOf(notice)
  return learned_by === 'notice'
    ? followTold(context, { whole, operation, cause }, notice)
    : followHint(context, { whole, charge, operation, cause }, notice)
}

type Followed = { whole: WholePayment; operation: OperationWithAnswer | undefined; cause: Cause }

/** The acquirer cannot be asked: what its notice says is so. */
async function followTold(
  context: NoticeContext,
  { whole, operation, cause }: Followed,
  notice: StoredNotice,
): Promise<Outcome> {
  const elsewhere = await settleDoneElsewhere(context, { whole, operation, cause }, notice)
  if (elsewhere !== null) return elsewhere
  const { answer } = notice
  if (answer === null) return 'no_outcome'
  if (!operation || answer.result === 'suggested') return 'nothing_new'
  return settle(context, { ...whole, operation, cause }, notice, answer)
}

/** The acquirer is asked about the notice, so that its own books decide. */
async function followHint(
  context: NoticeContext,
  { whole, charge, operation, cause }: Followed & Pick<Subject, 'charge'>,
  notice: StoredNotice,
): Promise<Outcome> {
  // What happened to an open charge is part of its answer.
  const open = operation ? isOpen(operation) && operation : isOpen(charge) && charge
  if (open) {
    // The notice may concern what comes after the answer, which is still expected.
    const is_later = open.kind === 'refund' || open !== operation
    if (is_later && open.state === 'sent') return 'later'
    await askAtOnce(context.sql, open, context.world.clock.now())
    return 'asked_at_once'
  }
  if (operation) {
    const difference = await askIfContradicted(context, { ...whole, operation, cause }, notice)
    if (difference !== 'nothing_new' || !mayHaveChanged(operation, whole, notice)) return difference
  }
  return lookAtCharge(context, { whole, cause }, notice)
}

/** Whether a notice that seems to be about an ended operation of ours may be about something that was done elsewhere. */
function mayHaveChanged(
  operation: OperationWithAnswer,
  { hold }: WholePayment,
  { about, answer }: StoredNotice,
): boolean {
  if (operation.kind !== 'authorise') return false
  // The amount of the authorisation may be another now.
  if (about === 'authorise' && answer === null) return true
  // An acquirer that captures with the charge tells of it in the same way.
  if (about === 'capture') return hold !== null && isWaiting(hold)
  const is_refused = answer?.result === 'suggested' && answer.outcome === 'refused'
  return is_refused && operation.state === 'approved'
}

/** The payment stands, or may yet stand, on another charge than the notice's. */
async function followSecond(context: NoticeContext, subject: Subject, notice: StoredNotice): Promise<Outcome> {
  const approval = approvalIn(notice)
  if (approval === null) return 'second_charge'
  // The other one first: what comes of it decides about this one.
  if (isOpen(subject.charge)) return 'later'
  return noteSecond(context, subject, notice, approval)
}

/**
 * An acquirer that can be asked lists its charges, too: the sweep finds within minutes what nobody knows. Where nothing but notices
 * tells, a notice may have come before the name of the charge that it speaks of.
 */
async function unknownHere(context: NoticeContext, notice: StoredNotice): Promise<Outcome> {
  const approval = approvalIn(notice)
  if (approval === null) {
    const { merchant_id, received_at: sent_before } = notice
    const charge = { merchant_id, acquirer: acquirerName(notice), sent_before }
    return (await hasUnansweredCharge(context.sql, charge)) ? 'later' : 'unknown_here'
  }
  return (await holdBackLost(context, notice, approval)) ? 'held_back' : 'unknown_here'
}

/** Of a warning of fraud whoever reads the log hears; it is no dispute. */
async function followDispute(
  context: NoticeContext,
  { payment_id, merchant_id }: PaymentKey,
  notice: StoredNotice,
): Promise<Outcome> {
  const { notice_id, acquirer_transaction_id, dispute, occurred_at } = notice
  const acquirer = acquirerName(notice)
  if (!dispute) {
    const fields = { acquirer, merchant_id, payment_id, notice_id, acquirer_transaction_id }
    context.world.log.warn(fields, 'the acquirer says no more of a dispute, or suspects fraud')
    return 'no_outcome'
  }
  const news = { ...dispute, occurred_at }
  const recorded = await recordDispute(context, { merchant_id, payment_id }, { acquirer, news, cause: causeOf(notice) })
  if (recorded === 'later') return 'later'
  return recorded.told === 'nothing_new' ? 'nothing_new' : 'disputed'
}

/** An orphan's reversal is no operation of a payment. Null if the notice is not about one. */
async function settleOrphan(
  context: NoticeContext,
  { about, answer, ...notice }: StoredNotice,
): Promise<Outcome | null> {
  // A reversal of what was captured is a refund there, and fails as one.
  if ((about !== 'reverse' && about !== 'refund') || answer === null) return null
  const { reference, acquirer_transaction_id, authorisation_transaction_id } = notice
  const ids = { acquirer_transaction_id, authorisation_transaction_id }
  const names = { acquirer: acquirerName(notice), reference, ...ids }
  return settleReversal(context, { ...names, about, answer: answer as SettleAnswer | Suggestion })
}

async function settle(
  context: SettlementContext,
  subject: BookedCase,
  notice: StoredNotice,
  notified: AuthoriseAnswer | SettleAnswer,
): Promise<Outcome> {
  const { operation } = subject
  const answer = asAsked(subject, notified)
  if (!isOpen(operation)) return contradiction(context, subject, answer)
  // The charge is being reversed. The answer to the reversal shows whether the reversal comes too late.
  if (operation.state === 'reversing' && answer.result === 'approved') return 'later'
  // The charge itself has a notice of its own.
  if (operation.kind === 'authorise' && notice.about === 'capture') return 'later'
  const differs = await noteOtherAmount(context, subject, answer)
  if (differs !== null) return differs
  const is_settled = await settleOperation(context, subject, answer)
  return is_settled ? 'settled' : 'nothing_new'
}

/** A notice does not say whether the amount was captured with the charge. It was, if that was requested. */
function asAsked({ payment }: WholePayment, answer: AuthoriseAnswer | SettleAnswer): AuthoriseAnswer | SettleAnswer {
  return 'captured' in answer ? { ...answer, captured: isTakenAtOnce(payment) } : answer
}

function causeOf({ connection_id, notice_id }: StoredNotice): Cause {
  return { actor: 'reconciler', request_id: null, note: { connection_id, notice_id } }
}
