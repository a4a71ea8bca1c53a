// Reads the disputes that an acquirer lists, and those that are open here once more: a notice may never have arrived.

import { type Acquirer, NotSent, Unanswered } from '../../acquirers/acquirer.ts'
import { inCell } from '../../database/cells/cells.ts'
import { askPatiently } from '../acquirer-operations/call-acquirer.ts'
import type { SettlementContext } from '../context.ts'
import type { DisputeNews } from '../dispute.ts'
import { recordDispute } from '../disputes/record-dispute.ts'
import { type DisputedPayment, findDisputed, listOpenOf } from './disputed-store.ts'

/** How many open disputes are looked up in one run, those first that were heard of longest ago. */
const looks_max = 200
/** A dispute may be listed a day late. */
const overlap_ms = 2 * 24 * 3_600_000

const cause = { actor: 'reconciler', request_id: null } as const

/**
 * Records what the acquirer says now as if its notice had come. What it does not show is left to notices: its key may lack the right.
 * `goOn` is called before each step.
 */
export async function lookAtDisputes(
  context: SettlementContext,
  acquirer: Acquirer,
  since: Date,
  goOn: () => Promise<void>,
): Promise<void> {
  const { world, stopping } = context
  if (!acquirer.listDisputes || !acquirer.lookUpDispute) return
  const { name } = acquirer
  try {
    await goOn()
    const from = new Date(since.getTime() - overlap_ms)
    const asked_at = world.clock.now()
    const listed = await askPatiently(world.clock, () => acquirer.listDisputes!({ since: from }), stopping)
    const ids = listed.flatMap(({ authorisation_transaction_id: id }) => id ?? [])
    const payments = new Map((await findDisputed(context.sql, name, ids)).map((each) => [each.transaction_id, each]))
    for (const { authorisation_transaction_id, ...told } of listed) {
      await goOn()
      const payment = payments.get(authorisation_transaction_id ?? '')
      if (payment) await record(context, name, payment, { ...told, occurred_at: asked_at })
    }
    const known = new Set(listed.map(({ vendor_id }) => vendor_id))
    const open = await listOpenOf(context.sql, name, looks_max)
    for (const { vendor_id, ...payment } of open) {
      if (known.has(vendor_id)) continue
      await goOn()
      const occurred_at = world.clock.now()
      const told = await askPatiently(world.clock, () => acquirer.lookUpDispute!(vendor_id), stopping)
      if (told) await record(context, name, payment, { ...told, occurred_at })
    }
  } catch (error) {
    const is_unanswered = error instanceof Unanswered || error instanceof NotSent
    if (!is_unanswered || stopping?.aborted) throw error
    world.log.warn({ acquirer: name, error: error.message }, 'the acquirer does not list its disputes')
  }
}

/** What it shows was so when it was asked, at the latest: news of a later change must count. */
async function record(
  common: SettlementContext,
  acquirer: string,
  payment: Omit<DisputedPayment, 'transaction_id'>,
  news: DisputeNews,
): Promise<void> {
  const context = await inCell(common, payment.merchant_id)
  await recordDispute(context, payment, { acquirer, news, cause })
}
