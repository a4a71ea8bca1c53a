// Reversals that were carried out and come to nothing later: the orphan is reversed again.

import type { Acquirer, LookUpAnswer, SettleAnswer, Suggestion } from '../../acquirers/acquirer.ts'
import { suggests } from '../../acquirers/answers.ts'
import type { Clock } from '../../kernel/world.ts'
import { askAcquirer } from '../acquirer-operations/call-acquirer.ts'
import { type Orphan, orphanLine } from '../orphan.ts'
import type { OrphanContext } from './orphan-context.ts'
import { type findOrphanOfReversal, listReversed, reviveOrphan } from './orphan-store.ts'

/** A reversal by its names, and what a notice says of it. `about`: a reversal that was carried out as a refund fails as one. */
export type ReversalNotice = Parameters<typeof findOrphanOfReversal>[1] & {
  /** The acquirer's id of the charge. */
  authorisation_transaction_id: string | null
  about: 'reverse' | 'refund'
  answer: SettleAnswer | Suggestion
}

/**
 * A reversal of what was captured is a refund, and a bank may send it back days later. The acquirer's own books decide if they can
 * be asked.
 */
export async function reverseAgainIfFailed(
  context: OrphanContext,
  acquirer: Acquirer,
  orphan: Orphan,
  { about, answer }: Pick<ReversalNotice, 'about' | 'answer'>,
): Promise<'later' | 'taken_back' | 'nothing_new'> {
  const outcome = answer.result === 'suggested' ? answer.outcome : answer.result
  if (outcome === 'approved') return 'nothing_new'
  // A reversal that was refused is another request than the one that was carried out.
  if (about === 'reverse' && answer.result === 'refused') return 'nothing_new'
  let failure = answer.result === 'refused' ? answer.reason : outcome
  if (acquirer.learned_by !== 'notice') {
    const look = await lookUpReversal(context.world.clock, acquirer, orphan)
    if (look.result === 'in_progress') return 'later'
    if (look.result !== 'found' || look.kind !== 'reverse' || look.answer.result !== 'refused') {
      return 'nothing_new'
    }
    failure = look.answer.reason
  }
  return (await reverseAgain(context, orphan, failure)) ? 'taken_back' : 'nothing_new'
}

async function reverseAgain({ sql, world, ids }: OrphanContext, orphan: Orphan, failure: string): Promise<boolean> {
  const at = world.clock.now()
  const { acquirer, mode, reference, amount, currency, merchant_id, payment_id } = orphan
  const line = orphanLine(ids, reference, {
    change: 'orphan.found',
    detail: { acquirer, amount, currency, failed: orphan.operation_id },
    actor: 'reconciler',
    at,
  })
  const next = { operation_id: ids.operation(at), at, failure, line }
  if (!(await reviveOrphan(sql, orphan, next))) return false
  const fields = { acquirer, mode, reference, amount, currency, merchant_id, payment_id, failure }
  world.log.error(fields, 'the reversal of an orphaned authorisation has failed since, it is reversed again')
  return true
}

/**
 * Asks after reversals that were carried out, with references in the range: not every acquirer's notice of a failure arrives.
 * `goOn` is called before each.
 */
export async function lookAtReversals(
  context: OrphanContext,
  acquirer: Acquirer,
  range: { from: string; below: string },
  goOn: () => Promise<void>,
): Promise<void> {
  for (const orphan of await listReversed(context.sql, { acquirer: acquirer.name, ...range })) {
    await goOn()
    try {
      await reverseAgainIfFailed(context, acquirer, orphan, {
        about: 'refund',
        answer: suggests('refused'),
      })
    } catch (error) {
      const fields = { acquirer: acquirer.name, reference: orphan.reference }
      context.world.log.warn({ ...fields, error: (error as Error).message }, 'reversal not looked up')
    }
  }
}

/** What the acquirer knows of an orphan's last reversal. */
export function lookUpReversal(
  clock: Clock,
  acquirer: Acquirer,
  { operation_id, reversal_transaction_id, ...orphan }: Orphan,
): Promise<LookUpAnswer> {
  const { reference, handle, acquirer_transaction_id } = orphan
  return askAcquirer(clock, () =>
    acquirer.lookUp({
      kind: 'reverse',
      reference: operation_id,
      acquirer_transaction_id: reversal_transaction_id,
      authorisation: { reference, handle, acquirer_transaction_id },
    }),
  )
}
