// Replays dead letters batch by batch, for a command and for the dashboard. A batch leaves out dead letters that were
// replayed since, so a repeated batch replays each delivery once.

import type { Context } from '../../context.ts'
import type { AnySql } from '../../database/open.ts'
import { Refusal, type RefusalCode } from '../../kernel/errors.ts'
import type { LineWriter } from '../../merchants/account-lines.ts'
import { writeAs } from '../../merchants/write-as.ts'
import { type DeadLetters, listDeadLetters } from './operator-store.ts'
import { replayIn } from './replay.ts'

export type ReplayedBatch = {
  found: number
  already_replayed: number
  /** One for each requested replay: null if it was accepted. */
  refusals: (RefusalCode | null)[]
  /** Where the next batch begins; null after the last one. */
  next_after: string | null
}

/**
 * `which.below` must not lie after the start of the first batch. Otherwise the batches would find replays that fail
 * meanwhile.
 */
export async function replayDeadLetters(
  context: Pick<Context, 'sql' | 'ids' | 'wakeDeliveries'>,
  which: DeadLetters,
  { limit, writer, now }: { limit: number; writer: LineWriter; now: Date },
): Promise<ReplayedBatch> {
  const letters = await listDeadLetters(context.sql, which, limit)
  const fresh = letters.filter(({ was_replayed }) => !was_replayed)
  const { merchant_id } = which
  const replayAll = (sql: AnySql) =>
    Promise.all(
      fresh.map(({ delivery_id }) => {
        const request = { which: { merchant_id, delivery_id }, writer, now }
        return refusalOf(replayIn(sql, context, { ...request, recordReply: () => null }))
      }),
    )
  // A person is judged once for the whole batch: without the right they get that refusal, and nothing is replayed.
  const refusals = await writeAs(context.sql, writer, replayAll)
  if (refusals.includes(null)) context.wakeDeliveries('replay', merchant_id)
  return {
    found: letters.length,
    already_replayed: letters.length - fresh.length,
    refusals,
    next_after: letters.length < limit ? null : letters.at(-1)!.last_attempt_id,
  }
}

async function refusalOf(replaying: Promise<unknown>): Promise<RefusalCode | null> {
  try {
    await replaying
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
