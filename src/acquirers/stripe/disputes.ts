// Disputes as Stripe shows them: in events, by their id, and in a list. Its early fraud warnings are none.

import { z } from 'zod'
import type { DisputeStatus, DisputeTold } from '../acquirer.ts'
import { wordsOf } from '../words.ts'
import { moneyRead } from './currencies.ts'

const idOrObject = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])

const dispute = z.object({
  id: z.string().min(1).max(255),
  object: z.literal('dispute'),
  amount: z.int(),
  currency: z.string(),
  created: z.int().nonnegative(),
  evidence_details: z.object({ due_by: z.int().nonnegative().nullish() }).nullish(),
  livemode: z.boolean(),
  payment_intent: idOrObject.nullish(),
  reason: z.string().nullish(),
  status: z.string(),
})

/** By docs.stripe.com/api/disputes/object, 2026-11. One that was prevented took no money. */
const statuses: Record<string, DisputeStatus> = {
  needs_response: 'needs_response',
  warning_needs_response: 'needs_response',
  under_review: 'under_review',
  warning_under_review: 'under_review',
  won: 'won',
  lost: 'lost',
  warning_closed: 'closed',
  prevented: 'closed',
}

/** With the id of the intent that it is about. Null for what is no dispute, or has a status of another version. */
export function disputeIn(json: unknown): (DisputeTold & { intent_id: string | null }) | null {
  const theirs = dispute.safeParse(json).data
  const status = theirs && Object.hasOwn(statuses, theirs.status) ? statuses[theirs.status]! : null
  if (!theirs || status === null) return null
  const { id, amount, currency, created, evidence_details, livemode, payment_intent, reason } = theirs
  const due_by = evidence_details?.due_by ?? null
  return {
    vendor_id: id,
    status,
    round: 1,
    reason: wordsOf(reason ?? null),
    money: moneyRead({ amount, currency }),
    respond_by: due_by === null ? null : isoOf(due_by),
    opened_at: isoOf(created),
    url: `https://dashboard.stripe.com/${livemode ? '' : 'test/'}disputes/${encodeURIComponent(id)}`,
    intent_id: payment_intent ?? null,
  }
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
