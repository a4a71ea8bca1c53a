// A dispute: the shopper's bank wants money of a payment back. What an acquirer tells of it comes late, twice and out of turn, and only
// what is new counts.

import { type DisputeStatus, type DisputeTold, disputeStatuses } from '../acquirers/acquirer.ts'
import { api_version, type DisputeId, type Mode, timestamp, timestampOrNull } from '../kernel/values.ts'
import type { Event } from './event.ts'
import { type Payment, takenOf } from './payment.ts'

export { type DisputeStatus, disputeStatuses }

export type Dispute = {
  merchant_id: string
  dispute_id: DisputeId
  payment_id: string
  session_id: string
  mode: Mode
  /** The acquirer that tells of it, and its own id there. */
  acquirer: string
  vendor_id: string
  status: DisputeStatus
  round: 1 | 2
  /** The acquirer's words. */
  reason: string | null
  amount: number
  currency: string
  respond_by: Date | null
  opened_at: Date
  closed_at: Date | null
  vendor_url: string | null
  /** The acquirer's time of the newest news that counted. */
  told_at: Date
  event_count: number
}

/** What an acquirer told, and when. */
export type DisputeNews = DisputeTold & { occurred_at: Date }

export function isOpen({ status }: Pick<Dispute, 'status'>): boolean {
  return status === 'needs_response' || status === 'under_review'
}

/** A refund of such a payment gives the money back a second time: the bank has taken it, or may. */
export function isStanding({ status }: Pick<Dispute, 'status'>): boolean {
  return isOpen({ status }) || status === 'lost'
}

export type DisputeChange = { dispute: Dispute; told: 'opened' | 'closed' | 'updated' }

export function newDispute(
  payment: Pick<
    Payment,
    'merchant_id' | 'payment_id' | 'session_id' | 'mode' | 'amount' | 'captured_amount' | 'currency'
  >,
  news: DisputeNews,
  names: Pick<Dispute, 'dispute_id' | 'acquirer'>,
): DisputeChange {
  const { merchant_id, payment_id, session_id, mode } = payment
  const { vendor_id, status, round, reason, url, occurred_at } = news
  const { amount, currency } = moneyOf(news) ?? { amount: takenOf(payment), currency: payment.currency }
  const is_open = isOpen(news)
  return {
    dispute: {
      ...{ merchant_id, dispute_id: names.dispute_id, payment_id, session_id, mode },
      ...{ acquirer: names.acquirer, vendor_id, status, round, reason, amount, currency },
      respond_by: dateOf(news.respond_by),
      opened_at: dateOf(news.opened_at) ?? occurred_at,
      closed_at: is_open ? null : occurred_at,
      vendor_url: url,
      told_at: occurred_at,
      event_count: 1,
    },
    // Of one that is over when it is first heard of, nobody is told that it begins.
    told: is_open ? 'opened' : 'closed',
  }
}

/**
 * What the news make of a dispute; null if nothing. One that is closed is never opened again, but by a second round; another outcome of
 * it counts if it is newer.
 */
export function followed(dispute: Dispute, news: DisputeNews): DisputeChange | null {
  const { round, occurred_at } = news
  if (round < dispute.round) return null
  if (round === dispute.round && !isNews(dispute, news)) return null
  const is_over = !isOpen(news)
  const status_differs = news.status !== dispute.status || round !== dispute.round
  const { amount, currency } = moneyOf(news) ?? dispute
  const next: Dispute = {
    ...dispute,
    ...{ status: news.status, round, amount, currency },
    reason: news.reason ?? dispute.reason,
    respond_by: dateOf(news.respond_by) ?? dispute.respond_by,
    closed_at: is_over ? (status_differs ? occurred_at : dispute.closed_at) : null,
    vendor_url: news.url ?? dispute.vendor_url,
    told_at: new Date(Math.max(occurred_at.getTime(), dispute.told_at.getTime())),
  }
  const reopens = !is_over && !isOpen(dispute)
  const told = is_over && status_differs ? 'closed' : reopens ? 'opened' : 'updated'
  if (told === 'updated') return isSame(dispute, next) ? null : { dispute: next, told }
  return { dispute: { ...next, event_count: dispute.event_count + 1 }, told }
}

/** Within one round. */
function isNews(dispute: Dispute, news: DisputeNews): boolean {
  const is_newer = news.occurred_at > dispute.told_at
  if (!isOpen(dispute)) return !isOpen(news) && is_newer && news.status !== dispute.status
  // An end that comes late is an end.
  if (!isOpen(news)) return true
  if (news.status === dispute.status) return is_newer
  // Vendors' times may have whole seconds: of two that are equal the later step counts.
  const is_later_step = news.status === 'under_review' && news.occurred_at >= dispute.told_at
  return is_newer || is_later_step
}

function isSame(one: Dispute, other: Dispute): boolean {
  const shown = (each: Dispute) => JSON.stringify(viewDispute(each))
  return shown(one) === shown(other)
}

function moneyOf({ money }: DisputeNews) {
  return money !== null && money.amount > 0 ? money : null
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time)
}

export function viewDispute(dispute: Dispute) {
  return {
    id: dispute.dispute_id,
    payment_id: dispute.payment_id,
    status: dispute.status,
    reason: dispute.reason,
    amount: dispute.amount,
    currency: dispute.currency,
    mode: dispute.mode,
    respond_by: timestampOrNull(dispute.respond_by),
    opened_at: timestamp(dispute.opened_at),
    closed_at: timestampOrNull(dispute.closed_at),
    vendor_url: dispute.vendor_url,
  }
}

/** Its data is the dispute as it is read. The sequence counts the dispute's own events. */
export function disputeEventOf(
  { dispute, told }: { dispute: Dispute; told: 'opened' | 'closed' },
  { event_id, at }: { event_id: string; at: Date },
): Event {
  const type = `dispute.${told}` as const
  const { dispute_id, event_count: sequence } = dispute
  const merchant_id = dispute.merchant_id as Event['merchant_id']
  const envelope = {
    ...{ id: event_id, type, created: timestamp(at), api_version, merchant_id, sequence },
    data: viewDispute(dispute),
  }
  return {
    ...{ merchant_id, payment_id: dispute_id, sequence, event_id, type },
    body: JSON.stringify(envelope),
    created_at: at,
  }
}
