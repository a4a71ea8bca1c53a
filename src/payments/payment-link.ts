// A payment link: an address that a merchant sends to shoppers, for one amount. Whoever opens it gets a session of its own, as long as
// the link is active.

import { z } from 'zod'
import { column, type Row } from '../database/driver/columns.ts'
import { Refusal } from '../kernel/errors.ts'
import { type MerchantId, type Mode, type PaymentLinkId, timestamp, timestampOrNull } from '../kernel/values.ts'
import type { Item } from './purchase.ts'
import { itemView, mode, time } from './views.ts'

export const paymentLinkColumns = {
  merchant_id: column<MerchantId>('text'),
  payment_link_id: column<PaymentLinkId>('text'),
  proof: column<string>('text'),
  mode: column<Mode>('text'),
  amount: column<number>('bigint'),
  currency: column<string>('text'),
  items: column<Item[] | null>('json'),
  order_reference: column<string | null>('text'),
  description: column<string | null>('text'),
  max_payments: column<number | null>('integer'),
  created_at: column<Date>('timestamptz'),
  expires_at: column<Date | null>('timestamptz'),
  disabled_at: column<Date | null>('timestamptz'),
}

export type PaymentLink = Row<typeof paymentLinkColumns>

export type PaymentLinkKey = { merchant_id: string; payment_link_id: string }

/** `payments_count`: payments that are captured, held or being charged. */
export type StandingLink = PaymentLink & { payments_count: number }

export const linkStatuses = ['active', 'completed', 'expired', 'disabled'] as const
export type LinkStatus = (typeof linkStatuses)[number]

/** More would take long to count each time that one is begun. */
export const max_payments_max = 10_000

/** A void or a failure gives its place back, so that a completed link may be active again. */
export function linkStatusAt(link: StandingLink, now: Date): LinkStatus {
  const { disabled_at, expires_at, max_payments, payments_count } = link
  if (disabled_at !== null) return 'disabled'
  if (max_payments !== null && payments_count >= max_payments) return 'completed'
  return expires_at !== null && expires_at <= now ? 'expired' : 'active'
}

const endWords: Record<Exclude<LinkStatus, 'active'>, string> = {
  completed: 'has taken as many payments as it may',
  expired: 'has ended',
  disabled: 'was withdrawn',
}

/** Throws `session_expired`, for the shopper who would pay, if no payment may be begun by the link. */
export function refuseUnlessActive(link: StandingLink, now: Date): void {
  const status = linkStatusAt(link, now)
  if (status !== 'active') throw new Refusal('session_expired', `The payment link ${endWords[status]}.`)
}

export const paymentLinkView = z
  .object({
    id: z.string(),
    url: z.string().meta({ description: 'the address of its page' }),
    status: z.enum(linkStatuses),
    mode,
    amount: z.int().meta({ description: 'in minor units' }),
    currency: z.string(),
    items: z.array(itemView).nullable(),
    order_reference: z.string().nullable(),
    description: z.string().nullable(),
    max_payments: z.int().nullable().meta({ description: 'null for any number' }),
    payments_count: z.int().meta({ description: 'payments that are captured, held or being charged' }),
    created_at: time,
    expires_at: time.nullable(),
  })
  .meta({ title: 'PaymentLink', note: 'An address by which shoppers pay one amount.' })

export function viewLink(link: StandingLink, url: string, now: Date): z.input<typeof paymentLinkView> {
  return {
    id: link.payment_link_id,
    url,
    status: linkStatusAt(link, now),
    mode: link.mode,
    amount: link.amount,
    currency: link.currency,
    items: link.items,
    order_reference: link.order_reference,
    description: link.description,
    max_payments: link.max_payments,
    payments_count: link.payments_count,
    created_at: timestamp(link.created_at),
    expires_at: timestampOrNull(link.expires_at),
  }
}

export function noLink(): Refusal {
  return new Refusal('resource_not_found', 'There is no payment link with this id.')
}
