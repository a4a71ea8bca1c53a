// The shapes of what operators see of orphans, brakes and comparisons.

import { z } from 'zod'

const time = z.string()
const timeOrNull = z.string().nullable()
const textOrNull = z.string().nullable()
const mode = z.enum(['test', 'live'])

export const orphanView = z.object({
  acquirer: z.string(),
  reference: z.string(),
  acquirer_transaction_id: textOrNull,
  mode,
  amount: z.int(),
  currency: z.string(),
  merchant_id: textOrNull,
  payment_id: textOrNull,
  authorised_at: timeOrNull,
  found_at: time,
  state: z.enum(['due', 'unreversed', 'found', 'held_back', 'reversed', 'nothing_to_reverse', 'left']),
  tries: z.int(),
  next_try_at: timeOrNull,
  last_failure: textOrNull,
  settled_at: timeOrNull,
  left_by: textOrNull,
  left_reason: textOrNull,
  released_by: textOrNull,
  released_at: timeOrNull,
})

export const brakeView = z.object({
  acquirer: z.string(),
  pulled_at: time,
  pulled_by: z.string(),
  reason: z.string(),
  released_at: timeOrNull,
  released_by: textOrNull,
})

const sideView = z.looseObject({
  state: z.string(),
  amount: z.int().nullable(),
  currency: textOrNull,
  /** Only where the refunds are what differs. */
  refunded_amount: z.int().optional(),
})

/** What an acquirer records otherwise. */
export const differenceView = z.object({ kind: z.string(), ours: sideView, theirs: sideView })

export const findingView = differenceView.extend({
  acquirer: z.string(),
  reference: z.string(),
  mode,
  merchant_id: z.string(),
  payment_id: z.string(),
  found_at: time,
  seen_at: time,
  cleared_at: timeOrNull,
  resolved_at: timeOrNull,
  resolved_by: textOrNull,
  resolved_reason: textOrNull,
})

export const comparisonView = z.object({
  acquirer: z.string(),
  due_at: time,
  ended_at: timeOrNull,
  compared_since: timeOrNull,
  compared_until: timeOrNull,
  ours: z.int().nullable(),
  theirs: z.int().nullable(),
  failure: textOrNull,
})
