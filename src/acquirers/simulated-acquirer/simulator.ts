// The acquirer of test mode: keeps its own books, answers by the card's number, and loses answers for certain cards.

import { testCardOf } from '../../cards/test-cards.ts'
import type { World } from '../../kernel/world.ts'
import {
  type Accepted,
  type Acquirer,
  type AuthoriseAnswer,
  type AuthoriseRequest,
  type LiveAuthorisation,
  type LookUpAnswer,
  type LookUpRequest,
  type SettleAnswer,
  type SettleKind,
  type SettleRequest,
  Unanswered,
} from '../acquirer.ts'
import {
  authorisation,
  authoriseAnswer,
  entryStanding,
  fence,
  isFence,
  overtaken,
  reusedReference,
  safe_window_ms,
  slow_ms,
} from './authorisation.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'
import { reusedOperation, settleAnswer, settlement } from './settlement.ts'

/** After this time a lost answer is given up. */
const lost_after_ms = 2_000

// The books are kept for ever, but a real bank would promise only this.
const reference_life_ms = 24 * 3_600_000

// An authorisation changes at most three times, so a call cannot lose the race more often.
const races_max = 4

export type SimulatorTraits = {
  name: string
  /** How long the bank withholds the result of a capture, void, reversal or refund; 0 if it answers at once. */
  settles_after_ms: number
}

const plain: SimulatorTraits = { name: 'simulator', settles_after_ms: 0 }

export function openSimulator(
  { clock, random }: Pick<World, 'clock' | 'random'>,
  ledger: Ledger,
  { name, settles_after_ms: later_ms }: SimulatorTraits = plain,
): Acquirer {
  const mintTransactionId = () => `sim_${random.bytes(12).toString('hex')}`

  async function authorise(request: AuthoriseRequest): Promise<AuthoriseAnswer> {
    const now = clock.now()
    const behaviour = testCardOf(request.card.number)?.acquirer ?? null
    // This request never reached the acquirer, so the books do not contain it.
    if (behaviour === 'lost_then_not_found') return loseAnswer()
    const entry = authorisation(request, behaviour, { transaction_id: mintTransactionId(), now })
    const storedEntry = await ledger.insert(entry)
    if (isFence(storedEntry)) return overtaken
    if (!sameRequest(storedEntry, entry)) return reusedReference
    if (isKnown(storedEntry, now)) return authoriseAnswer(storedEntry)
    if (storedEntry.behaviour !== 'approve_slowly') return loseAnswer()
    await clock.sleep(slow_ms)
    return authoriseAnswer(storedEntry)
  }

  /** A repeated reference gets the same answer as before. A reference that belongs to another request is refused. */
  function answerOf(storedEntry: LedgerEntry, operation: LedgerEntry): SettleAnswer | Accepted {
    if (!sameRequest(storedEntry, operation)) return reusedOperation
    if (isKnown(storedEntry, clock.now())) return settleAnswer(storedEntry)
    return { result: 'accepted', acquirer_transaction_id: storedEntry.transaction_id }
  }

  async function loseAnswer(): Promise<never> {
    await clock.sleep(lost_after_ms)
    throw new Unanswered('the simulated acquirer did not answer')
  }

  async function settle(kind: SettleKind, request: SettleRequest): Promise<SettleAnswer | Accepted> {
    const transaction_id = mintTransactionId()
    for (let race = 0; race < races_max; race++) {
      const entry = await findOrFence(kind, request, transaction_id)
      const { operation, authorisation } = settlement(kind, request, entry, {
        transaction_id,
        now: clock.now(),
        later_ms,
      })
      if (!authorisation) return answerOf(await ledger.insert(operation), operation)
      if (await ledger.settle(operation, authorisation)) return answerOf(operation, operation)
      const storedEntry = await ledger.find(request.reference)
      if (storedEntry) return answerOf(storedEntry, operation)
    }
    throw new Unanswered('the simulated acquirer lost every race for the authorisation')
  }

  /** Finds the authorisation. If it does not exist, a reversal leaves a fence, so that it never will. */
  async function findOrFence(
    kind: SettleKind,
    request: SettleRequest,
    transaction_id: string,
  ): Promise<LedgerEntry | null> {
    const entry = await ledger.find(request.authorisation.reference)
    if (entry || kind !== 'reverse') return entry
    return ledger.insert(fence(request, { transaction_id, now: clock.now() }))
  }

  async function lookUp({ reference }: LookUpRequest): Promise<LookUpAnswer> {
    const entry = await ledger.find(reference)
    if (!entry || isFence(entry)) return { result: 'not_found' }
    if (!isKnown(entry, clock.now())) return { result: 'in_progress' }
    if (entry.kind === 'authorise') {
      const answer = authoriseAnswer(entry)
      return { result: 'found', kind: entry.kind, answer, standing: entryStanding(entry) }
    }
    return { result: 'found', kind: entry.kind, answer: settleAnswer(entry) }
  }

  async function listAuthorisations(within: { since: Date; until: Date }) {
    // The books also contain outcomes that happen later.
    const until = new Date(Math.min(within.until.getTime(), clock.now().getTime()))
    return (await ledger.listLive({ since: within.since, until })).map(shownInList)
  }

  return {
    name,
    learned_by: 'reference',
    lists: true,
    safe_window_ms,
    reference_life_ms,
    late_approval_ms: 0,
    authorise,
    capture: (request) => settle('capture', request),
    void: (request) => settle('void', request),
    reverse: (request) => settle('reverse', request),
    refund: (request) => settle('refund', request),
    lookUp,
    listAuthorisations,
  }
}

/** An authorisation that is only reserved has no refunds. */
function shownInList({ refunded_amount, ...entry }: LiveAuthorisation): LiveAuthorisation {
  return entry.captured && refunded_amount !== undefined ? { ...entry, refunded_amount } : entry
}

function sameRequest(storedEntry: LedgerEntry, operation: LedgerEntry): boolean {
  return (
    storedEntry.kind === operation.kind &&
    storedEntry.authorisation_reference === operation.authorisation_reference &&
    storedEntry.amount === operation.amount &&
    storedEntry.currency === operation.currency &&
    storedEntry.capture === operation.capture &&
    storedEntry.brand === operation.brand &&
    storedEntry.last4 === operation.last4 &&
    storedEntry.behaviour === operation.behaviour
  )
}

function isKnown(entry: LedgerEntry, now: Date): boolean {
  return entry.known_at !== null && entry.known_at <= now
}
