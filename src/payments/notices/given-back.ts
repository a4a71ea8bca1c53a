// Ends an orphan whose money something else gave back: its payment was voided, a person in the acquirer's portal refunded it, or it
// lapsed. The acquirer refuses each later reversal, in words that need not say why.

import type { Acquirer } from '../../acquirers/acquirer.ts'
import { acquirerName } from '../../merchants/account-connection.ts'
import { lookUpStanding } from '../acquirer-operations/call-acquirer.ts'
import { findOrphansOfCharge } from '../acquirer-operations/orphan-rows-store.ts'
import { lapsed, type Orphan, type Verdict } from '../orphan.ts'
import type { OrphanContext } from '../orphans/orphan-context.ts'
import { acquirerOf, conclude, holdsMoney } from '../orphans/reverse-orphans.ts'
import { type StoredNotice, sumTold } from './notice-store.ts'

/**
 * Whether an orphan ends by what a notice tells of its charge. It ends only if nothing of the charge is held any more. An acquirer
 * that can be asked is asked. Throws if it gave no answer. `amount` is that of the charge's payment; null if none is known.
 */
export async function endGivenBack(
  context: OrphanContext,
  notice: StoredNotice,
  amount: number | null,
): Promise<boolean> {
  const { about, reference, authorisation_transaction_id, acquirer_transaction_id } = notice
  if (authorisation_transaction_id === null || about === 'capture' || about === 'dispute') {
    return false
  }
  const transaction_id = authorisation_transaction_id
  const names = { acquirer: acquirerName(notice), reference, transaction_id }
  // What a reversal has tried meanwhile gives the orphan another state, and is looked at again.
  for (let looks = 0; looks < looks_max; looks += 1) {
    const outcomes = []
    for (const orphan of await findOrphansOfCharge(context.sql, names)) {
      const of = { transaction_id, amount, orphan, reversal_id: acquirer_transaction_id }
      outcomes.push(await endOne(context, notice, of))
    }
    if (!outcomes.includes('changed')) return outcomes.includes('ended')
  }
  throw new Error('its orphan changed again and again')
}

const looks_max = 5

type Of = { transaction_id: string; amount: number | null; orphan: Orphan }

async function endOne(
  context: OrphanContext,
  notice: StoredNotice,
  { reversal_id, ...of }: Of & { reversal_id: string | null },
): Promise<'ended' | 'goes_on' | 'changed'> {
  const { orphan, transaction_id } = of
  const acquirer = await acquirerOf(context, orphan)
  if (!acquirer) return 'goes_on'
  const verdict =
    acquirer.learned_by === 'notice'
      ? await verdictTold(context, notice, of)
      : await verdictOfBooks(context, acquirer, orphan)
  if (verdict === null) return 'goes_on'
  const names = {
    acquirer_transaction_id: transaction_id,
    // What was given back may come back: then a notice bears this id.
    ...(verdict.verdict === 'reversed' && { reversal_transaction_id: reversal_id }),
  }
  return (await conclude(context, orphan, verdict, names)) ? 'ended' : 'changed'
}

type Ending = Exclude<Verdict, { verdict: 'try_again' }>

/** A part that was given back ends nothing, but the parts of all notices may come to the whole. */
async function verdictTold({ sql }: OrphanContext, notice: StoredNotice, of: Of): Promise<Ending | null> {
  const { about, answer } = notice
  const is_named = (of.orphan.handle ?? of.orphan.acquirer_transaction_id) !== null
  if (about === 'authorise') {
    const was_declined = answer?.result === 'declined' || answer?.result === 'failed'
    // By our reference alone it may be another charge of the same request.
    return was_declined && is_named ? { verdict: 'nothing_to_reverse', reason: 'it was declined' } : null
  }
  if (about !== 'expiry' && answer?.result !== 'approved') return null
  if (answer?.result === 'approved' && 'money' in answer && answer.money) {
    const { authorised, given_back } = await sumTold(sql, notice, of.transaction_id)
    // Of the orphan's own amount a part may be gone already.
    if (given_back < Math.max(authorised, of.amount ?? 0, of.orphan.amount)) return null
  }
  if (about === 'expiry') return { verdict: 'nothing_to_reverse', reason: lapsed }
  return { verdict: 'reversed' }
}

/** Null while the acquirer holds money of it, or does not say. */
async function verdictOfBooks(
  { world: { clock } }: OrphanContext,
  acquirer: Acquirer,
  orphan: Orphan,
): Promise<Ending | null> {
  const standing = await lookUpStanding(clock, acquirer, orphan)
  if (standing === null || standing === 'not_found' || holdsMoney(standing)) return null
  if (standing.state === 'reversed') return { verdict: 'reversed' }
  return { verdict: 'nothing_to_reverse', reason: 'the acquirer holds nothing of it any more' }
}
