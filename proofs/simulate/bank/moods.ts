// What a simulated bank does now and then, as the seed decides: it approves something else, answers twice, and lists what it likes.

import type { AuthoriseAnswer } from '../../../src/acquirers/acquirer.ts'
import type { Chance } from '../chance.ts'
import type { Faults } from '../faults.ts'
import { type Authorisation, answerOf, isLive } from './authorisation.ts'
import type { Traits } from './traits.ts'

export type Moods = {
  /** A new authorisation, before anybody hears of it. */
  approve(entry: Authorisation, traits: Traits): void
  /** What is answered to a request. A look-up tells the truth. */
  answer(entry: Authorisation, now_ms: number): AuthoriseAnswer
  /** Whether a capture, void or reversal that it might do is refused all the same. */
  refuses(): boolean
  /** What a list shows of those that were approved within its times. */
  list(entries: Authorisation[], now_ms: number): Authorisation[]
  note: Faults['note']
}

/** Nothing of that. */
export const honest: Moods = {
  approve() {},
  answer: answerOf,
  refuses: () => false,
  list: (entries, now_ms) => entries.filter((entry) => isLive(entry, now_ms)),
  note() {},
}

/** A list that is not up to date lags by so much. */
const lag_ms = 10_000
/** So young is what a list may miss. */
const recent_ms = 10 * 60_000

export function openMoods({ chance, faults }: { chance: Chance; faults: Faults }): Moods {
  function approve(entry: Authorisation, traits: Traits): void {
    if (entry.result !== 'approved') return
    const { amount, currency, authorised_ms } = entry
    const fate = faults.happens(
      'bank: approves a part',
      'bank: approves another amount',
      'bank: approves another currency',
      'bank: reserves what it was to capture',
    )
    if (fate !== null && fate !== 'bank: reserves what it was to capture') {
      entry.surprises.push({ what: 'other_money', at_ms: authorised_ms! })
    }
    if (fate === 'bank: approves a part') entry.amount = Math.ceil(amount / 2)
    if (fate === 'bank: approves another amount') entry.amount = amount + 1
    if (fate === 'bank: approves another currency') entry.currency = currency === 'EUR' ? 'USD' : 'EUR'
    if (fate === 'bank: reserves what it was to capture' && entry.capture) {
      entry.capture = false
      entry.captured_ms = null
    }
    if (traits.lists_after_ms > 0) {
      entry.listed_ms = authorised_ms! + chance.below(traits.lists_after_ms)
      faults.note('bank: lists late')
    }
    if (traits.lapses_after_ms !== null) entry.lapses_ms = authorised_ms! + traits.lapses_after_ms
  }

  function answer(entry: Authorisation, now_ms: number): AuthoriseAnswer {
    if (entry.result !== 'approved') return answerOf(entry)
    const fate = faults.happens('bank: declines what it approved')
    if (fate === null) return answerOf(entry)
    entry.surprises.push({ what: 'two_answers', at_ms: now_ms })
    const decline = { code: 'card_declined', category: 'soft', reason: 'Processed twice' } as const
    return { result: 'declined', decline, acquirer_transaction_id: null }
  }

  function list(entries: Authorisation[], now_ms: number): Authorisation[] {
    const fate = faults.happens('bank: lists what is gone', 'bank: a list misses one')
    const lags = fate === 'bank: lists what is gone'
    const shown = entries.filter((entry) => isLive(entry, now_ms) || (lags && isLive(entry, now_ms - lag_ms)))
    const recent = shown.filter(({ authorised_ms, missed_once }) => !missed_once && now_ms - authorised_ms! < recent_ms)
    if (fate !== 'bank: a list misses one' || recent.length === 0) return shown
    const missed = chance.pick(recent)
    missed.missed_once = true
    return shown.filter((entry) => entry !== missed)
  }

  const refuses = () => faults.happens('bank: refuses for the moment') !== null

  return { approve, answer, refuses, list, note: faults.note }
}
