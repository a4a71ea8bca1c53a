// Reverses orphans at their acquirers, again and again until an answer settles each.

import type { Accepted, Acquirer, AuthorisationStanding, SettleAnswer } from '../../acquirers/acquirer.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { chanceOf } from '../../kernel/world.ts'
import { askAcquirer, lookUpStanding, sendToAcquirer } from '../acquirer-operations/call-acquirer.ts'
import { deadline_ms, isOpen, sendableSince } from '../operation.ts'
import {
  isForgotten,
  isUnreversed,
  isWatched,
  nextReversalAt,
  type Orphan,
  orphanLine,
  type RecordedCharge,
  standsBehind,
  type Verdict,
  verdictOf,
} from '../orphan.ts'
import { workOff } from '../run-rows.ts'
import { lookUpReversal, type ReversalNotice, reverseAgainIfFailed } from './failed-reversals.ts'
import type { OrphanContext } from './orphan-context.ts'
import {
  claimOrphans,
  findCharges,
  findOrphanOfReversal,
  isStillClaimed,
  longest_wait_ms,
  type OrphanNames,
  postponeReversal,
  settleOrphan,
} from './orphan-store.ts'
import { watchDatabase } from './watch-database.ts'

/** Longer than the calls of two tries: a look-up or reversal, and a list. */
const lease_ms = 5 * deadline_ms

/** Reverses due orphans, a few hundred at most. Returns how many were tried. Several processes may do this at once. */
export async function reverseOrphans(context: OrphanContext): Promise<number> {
  const { sql, world } = context
  // A database that has gone back may have lost a person's decision about due orphans, so the brake must be pulled first.
  await watchDatabase(context)
  return workOff(
    (limit) => {
      const now = world.clock.now()
      const lease_until = new Date(now.getTime() + lease_ms)
      return claimOrphans(sql, { now, lease_until, limit })
    },
    (orphan) => reverse(context, orphan),
    context.stopping,
  )
}

async function reverse(context: OrphanContext, orphan: Orphan): Promise<void> {
  const { sql, world } = context
  const claimed_at = world.clock.now()
  // Since it was claimed, a person may have pulled the brake or left the orphan.
  if (!(await isStillClaimed(sql, orphan))) return
  const [charge] = await findCharges(sql, [orphan.reference])
  if (charge && standsBehind(charge)) return keepStanding(context, orphan, charge)
  await conclude(context, orphan, heedWatch(orphan, await askFor(context, orphan, claimed_at)))
}

/**
 * A notice says what came of an orphan's reversal. Null if no orphan has that reversal, or if the acquirer will be asked by the next
 * try. `later`: another process is about to try it. Throws if the acquirer could not be asked.
 */
export async function settleReversal(
  context: OrphanContext,
  { about, answer, authorisation_transaction_id: id, ...reversal }: ReversalNotice,
): Promise<'settled' | 'later' | 'taken_back' | 'nothing_new' | null> {
  const orphan = await findOrphanOfReversal(context.sql, reversal)
  const acquirer = orphan && (await acquirerOf(context, orphan))
  if (!acquirer) return null
  if (orphan.state === 'reversed') return reverseAgainIfFailed(context, acquirer, orphan, { about, answer })
  if (answer.result === 'suggested') return null
  const verdict = await judge(context, acquirer, orphan, answer)
  const names = { acquirer_transaction_id: id }
  const is_settled = await conclude(context, orphan, heedWatch(orphan, verdict), names)
  return is_settled ? 'settled' : 'later'
}

/** `names`: what a notice has named. False if another process was faster. */
export async function conclude(
  { sql, world, ids }: OrphanContext,
  orphan: Orphan,
  verdict: Verdict,
  names: OrphanNames = {},
): Promise<boolean> {
  const now = world.clock.now()
  const { acquirer, mode, reference, amount, currency, merchant_id, payment_id, tries } = orphan
  const acquirer_transaction_id = orphan.handle ?? orphan.acquirer_transaction_id
  const charge = { acquirer, mode, reference, acquirer_transaction_id, merchant_id, payment_id }
  const fields = { ...charge, amount, currency, tries }
  if (verdict.verdict === 'try_again') {
    const operation_id = verdict.as === 'same' ? orphan.operation_id : ids.operation(now)
    const at = nextReversalAt(orphan, { now, chance: chanceOf(world) })
    const { failure, money = { amount, currency } } = verdict
    // A reversal that the acquirer has accepted stays accepted, even if a later look got no answer.
    const before = verdict.as === 'same' ? orphan.reversal_transaction_id : null
    const { reversal_transaction_id = before } = verdict
    const next = { operation_id, reversal_transaction_id, at, failure, ...money }
    const is_postponed = await postponeReversal(sql, orphan, next)
    const level = isUnreversed(orphan, now) ? 'error' : 'warn'
    if (is_postponed) {
      world.log[level]({ ...fields, failure }, 'orphaned authorisation not reversed')
    }
    return is_postponed
  }
  const state = verdict.verdict
  const reason = state === 'reversed' ? null : verdict.reason
  const line = orphanLine(ids, reference, {
    change: `orphan.${state}`,
    detail: { acquirer, operation_id: orphan.operation_id, amount, currency },
    actor: 'reconciler',
    at: now,
  })
  if (!(await settleOrphan(sql, orphan, { state, reason, at: now, line, names }))) return false
  if (state === 'reversed') world.log.info(fields, 'orphaned authorisation reversed')
  else world.log.info({ ...fields, reason }, 'orphaned authorisation held nothing')
  return true
}

/**
 * A charge that was given up as lost turned out to exist, and is a payment now. While its outcome is open, its lease ends by
 * itself, and it is looked at again.
 */
async function keepStanding({ sql, world, ids }: OrphanContext, orphan: Orphan, charge: RecordedCharge): Promise<void> {
  if (isOpen(charge) || charge.is_being_reversed) return
  const { acquirer, reference, payment_id, operation_id } = orphan
  const at = world.clock.now()
  const state = 'nothing_to_reverse'
  const reason = 'a payment stands behind it'
  const line = orphanLine(ids, reference, {
    change: `orphan.${state}`,
    detail: { acquirer, operation_id },
    actor: 'reconciler',
    at,
  })
  await settleOrphan(sql, orphan, { state, reason, at, line })
  world.log.warn({ acquirer, reference, payment_id }, 'orphaned authorisation is a payment after all')
}

/**
 * While the charge may still arrive, "nothing to reverse" is not final. The next try gets a new reference: the old one may have
 * been answered already, and would always get the same answer.
 */
function heedWatch(orphan: Orphan, verdict: Verdict): Verdict {
  return isWatched(orphan) && verdict.verdict === 'nothing_to_reverse' ? tryAgain(verdict.reason, 'another') : verdict
}

async function askFor(context: OrphanContext, orphan: Orphan, claimed_at: Date): Promise<Verdict> {
  const acquirer = await acquirerOf(context, orphan)
  if (!acquirer) return tryAgain('no acquirer of that name')
  try {
    const answer = await answerTo(context, acquirer, { ...orphan, claimed_at })
    if ('verdict' in answer) return answer
    if (answer.result === 'accepted') return acceptedAs(answer.acquirer_transaction_id)
    return await judge(context, acquirer, orphan, answer)
  } catch (error) {
    // The reversal may have happened in spite of the error. The same reference shows it, or does it.
    return tryAgain((error as Error).message)
  }
}

export async function acquirerOf(
  { listAcquirers }: OrphanContext,
  { acquirer: name, mode }: Orphan,
): Promise<Acquirer | undefined> {
  const acquirers = await listAcquirers()
  return acquirers.find((each) => each.acquirer.name === name && each.mode === mode)?.acquirer
}

async function judge(
  context: OrphanContext,
  acquirer: Acquirer,
  orphan: Orphan,
  answer: SettleAnswer,
): Promise<Verdict> {
  const rest = answer.result === 'approved' ? restOf(orphan, answer.money) : null
  if (rest !== null) return tryAgain('only a part was given back', 'another', rest)
  const verdict = verdictOf(answer)
  if (verdict) return verdict
  const reason = answer.result === 'refused' ? answer.reason : answer.result
  const look = await lookUpStanding(context.world.clock, acquirer, orphan)
  const standing = look === 'not_found' ? null : look
  const is_live = standing ? holdsMoney(standing) : await isListed(context, acquirer, orphan)
  if (!is_live) return { verdict: 'nothing_to_reverse', reason }
  // The acquirer may hold another amount than the one requested.
  return tryAgain(reason, 'another', standing ?? undefined)
}

/**
 * What a reversal has left of an orphan; null if nothing. The acquirer gives back in the currency that it has charged, whatever an answer
 * said before.
 */
function restOf(
  { amount }: Orphan,
  refund: Pick<Orphan, 'amount' | 'currency'> | undefined,
): Pick<Orphan, 'amount' | 'currency'> | null {
  if (!refund || refund.amount >= amount) return null
  return { amount: amount - refund.amount, currency: refund.currency }
}

/** A reference that the acquirer may have forgotten is looked up before it is sent again. */
async function answerTo(
  { world: { clock } }: OrphanContext,
  acquirer: Acquirer,
  orphan: Orphan & { claimed_at: Date },
): Promise<SettleAnswer | Accepted | Verdict> {
  const { operation_id, reversal_transaction_id, amount, currency, claimed_at } = orphan
  const { reference, handle, acquirer_transaction_id } = orphan
  const authorisation = { reference, handle, acquirer_transaction_id }
  const known_since = new Date(clock.now().getTime() - acquirer.reference_life_ms)
  const is_known = operation_id >= idsFrom(known_since)
  if (is_known && reversal_transaction_id === null) {
    const sendable = sendableSince(claimed_at)
    const is_repeat = wasTried(orphan, clock.now())
    const reversal = { reference: operation_id, authorisation, is_repeat }
    const request = { ...reversal, amount, currency, sendable }
    return sendToAcquirer(clock, claimed_at, () => acquirer.reverse(request))
  }
  const look = await lookUpReversal(clock, acquirer, orphan)
  if (look.result === 'found' && look.kind === 'reverse') return look.answer
  if (look.result === 'not_found') return tryAgain('the reversal never arrived', 'another')
  if (look.result === 'only_notices_tell' && isOverdue(acquirer, operation_id, clock.now())) {
    return tryAgain('no notice said what came of the reversal', 'another')
  }
  return reversal_transaction_id === null
    ? tryAgain('the reversal is still under way')
    : acceptedAs(reversal_transaction_id)
}

/** Whether the notice about a reversal that was accepted must have come by now. */
function isOverdue({ safe_window_ms }: Acquirer, operation_id: string, now: Date): boolean {
  return operation_id < idsFrom(new Date(now.getTime() - 2 * safe_window_ms))
}

/** Whether the reversal was surely begun before: no wait for the first try is so long. */
function wasTried({ tries, operation_id }: Orphan, now: Date): boolean {
  return tries > 1 && operation_id < idsFrom(new Date(now.getTime() - longest_wait_ms))
}

function acceptedAs(reversal_transaction_id: string): Verdict {
  const failure = 'the acquirer has accepted the reversal, and not said yet what came of it'
  return { verdict: 'try_again', as: 'same', failure, reversal_transaction_id }
}

/** A refund in the acquirer's portal may have given back all of a capture. */
export function holdsMoney({ state, amount, refunded_amount = 0 }: AuthorisationStanding): boolean {
  return state === 'reserved' || (state === 'captured' && refunded_amount < amount)
}

/** Whether the authorisation must be assumed live. */
async function isListed({ world: { clock } }: OrphanContext, acquirer: Acquirer, orphan: Orphan): Promise<boolean> {
  const { authorised_at, reference } = orphan
  const { lists } = acquirer
  if (!lists || !authorised_at) return !isForgotten(orphan, { lists, now: clock.now() })
  const within = { since: authorised_at, until: authorised_at }
  const charges = await askAcquirer(clock, () => acquirer.listAuthorisations(within))
  return charges.some((each) => each.reference === reference)
}

function tryAgain(
  failure: string,
  as: 'same' | 'another' = 'same',
  money?: Pick<Orphan, 'amount' | 'currency'>,
): Verdict {
  return { verdict: 'try_again', as, failure, ...(money && { money }) }
}
