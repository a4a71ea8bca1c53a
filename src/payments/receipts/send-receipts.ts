// A job: mails receipts to shoppers, over few connections and for a short time in each run. A receipt that a server may have
// taken is never sent again: to a shopper a missing receipt is better than the impression of having paid twice.

import type { Sql } from '../../database/open.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { PaymentId } from '../../kernel/values.ts'
import { chanceOf, type World } from '../../kernel/world.ts'
import { MailFailure, type MailLine, type MailMessage } from '../../outgoing/mail/mailer.ts'
import { nextTryAt } from '../backoff.ts'
import { type Cause, lineOf } from '../outcome.ts'
import type { ReceiptMailer } from './mailer.ts'
import { paidOf } from './paid-of.ts'
import { receiptOf } from './receipt.ts'
import {
  type ClaimedReceipt,
  claimReceipt,
  countReceipts,
  type DueReceipt,
  endReceipt,
  listDueReceipts,
  noteSenders,
  postponeReceipt,
  type ReceiptKey,
} from './receipt-store.ts'

export type ReceiptContext = {
  sql: Sql
  ids: Ids
  world: Pick<World, 'clock' | 'random' | 'log'>
  metrics: Pick<Metrics, 'receiptEnded' | 'receiptsWaiting'>
  /** Left out if this process sends no receipts. */
  post?: ReceiptMailer
  /** See JobContext. */
  stopping?: AbortSignal
}

const hour_ms = 3_600_000
/** Older receipts are given up. */
export const receipt_life_ms = 24 * hour_ms
/** Much longer than one sending takes. */
const lease_ms = 5 * 60_000
const lines_max = 2
const batch = 200
/** After this time in a run, no further receipt is begun. */
const run_ms = 30_000
/** How many failures one connection may have in one run. */
const failures_max = 5
const waits_seconds = [60, 300, 900, 3600]

/** Returns how many receipts were finished. */
export async function sendReceipts(context: ReceiptContext): Promise<number> {
  const { sql, world, metrics, post } = context
  const now = world.clock.now()
  const modes = post?.modes ?? []
  if (modes.length > 0) {
    const until = new Date(now.getTime() + receipt_life_ms)
    await noteSenders(sql, modes, { until, unless_after: new Date(until.getTime() - hour_ms) })
  }
  const old_before = new Date(now.getTime() - receipt_life_ms)
  const receipts = await listDueReceipts(sql, { modes, now, old_before, limit: batch })
  const isOver = (each: DueReceipt) => each.claimed_at !== null || each.created_at <= old_before
  let count = 0
  for (const each of receipts.filter(isOver)) {
    if (context.stopping?.aborted) break
    // The process that was to send it has died, and may have sent it.
    const change = each.claimed_at ? 'receipt.unknown' : 'receipt.given_up'
    if (await end(context, each, change, { reason: each.claimed_at ? 'no_note' : 'too_old' })) count++
  }
  if (post)
    count += await sendAll(
      { ...context, post },
      receipts.filter((each) => !isOver(each)),
    )
  const { waiting, oldest } = await countReceipts(sql)
  metrics.receiptsWaiting(waiting, oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0)
  return count
}

type SendContext = ReceiptContext & { post: ReceiptMailer }

async function sendAll(context: SendContext, receipts: DueReceipt[]): Promise<number> {
  const { world, post, stopping } = context
  const run_until = new Date(world.clock.now().getTime() + run_ms)
  const rest = receipts.values()
  let count = 0
  const work = async () => {
    let line: MailLine | null = null
    let failures = 0
    try {
      for (const each of rest) {
        const now = world.clock.now()
        if (stopping?.aborted || now >= run_until || post.isResting(now)) break
        line ??= await openLine(context)
        if (line === null) break
        const came = await send(context, line, each)
        if (came === 'ended') count++
        if (came !== 'failed') continue
        line = null
        if (++failures === failures_max) break
      }
    } finally {
      line?.close()
    }
  }
  const lines = Array.from({ length: Math.min(lines_max, receipts.length) }, work)
  for (const ended of await Promise.allSettled(lines)) {
    if (ended.status === 'rejected') throw ended.reason
  }
  return count
}

async function openLine({ world, post }: SendContext): Promise<MailLine | null> {
  try {
    const line = await post.mailer.open()
    post.reached()
    return line
  } catch (error) {
    post.missed({ now: world.clock.now(), chance: chanceOf(world) })
    world.log.warn({ error: (error as Error).message }, 'mail server cannot be used')
    return null
  }
}

/** `failed`: the connection can no longer be used. `passed`: another process has the receipt. */
async function send(context: SendContext, line: MailLine, key: ReceiptKey): Promise<'ended' | 'passed' | 'failed'> {
  const { sql, world, post } = context
  const now = world.clock.now()
  const lease_until = new Date(now.getTime() + lease_ms)
  const receipt = await claimReceipt(sql, key, { now, lease_until })
  if (!receipt) return 'passed'
  const message = write(receipt, { from: post.from, now })
  if (message === null) {
    await end(context, receipt, 'receipt.given_up', { reason: 'unwritable' })
    return 'ended'
  }
  try {
    await line.send(message)
  } catch (error) {
    await heed(context, receipt, error as Error)
    return 'failed'
  }
  await end(context, receipt, 'receipt.sent', {})
  return 'ended'
}

/** Null if the letter cannot be written, which will not change later. */
function write(receipt: ClaimedReceipt, by: Parameters<typeof receiptOf>[1]): MailMessage | null {
  try {
    return receiptOf(paidOf(receipt), by)
  } catch {
    return null
  }
}

async function heed(context: SendContext, receipt: ClaimedReceipt, error: Error): Promise<void> {
  const { sql, world } = context
  const { payment_id, tries } = receipt
  // After any other error nobody can know whether the server has the letter.
  const { verdict, code } = error instanceof MailFailure ? error : { verdict: 'unknown' as const, code: null }
  const fields = { payment_id, tries, verdict, code, error: error.message }
  if (verdict === 'not_taken') {
    world.log.warn(fields, 'receipt not sent yet')
    const moment = { tries, now: world.clock.now(), chance: chanceOf(world) }
    await postponeReceipt(sql, receipt, nextTryAt(waits_seconds, moment))
    return
  }
  world.log.warn(fields, 'receipt not sent')
  const change = verdict === 'unknown' ? 'receipt.unknown' : 'receipt.given_up'
  const reason = verdict === 'unknown' ? 'no_answer' : 'refused'
  await end(context, receipt, change, { reason, ...(code !== null && { code }) })
}

const cause: Cause = { actor: 'service', request_id: null }

type ReceiptEnding = 'receipt.sent' | 'receipt.given_up' | 'receipt.unknown'

async function end(
  { sql, ids, world, metrics }: ReceiptContext,
  receipt: DueReceipt | ClaimedReceipt,
  change: ReceiptEnding,
  detail: object,
): Promise<boolean> {
  const whose = { ...receipt, payment_id: receipt.payment_id as PaymentId }
  const line = lineOf(ids, whose, cause, { change, detail, at: world.clock.now() })
  const ended = await endReceipt(sql, receipt, line)
  if (ended) metrics.receiptEnded(change.slice('receipt.'.length))
  return ended
}
