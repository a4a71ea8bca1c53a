// Disputes as Checkout.com shows them: in events, by their id, and in a list.

import { z } from 'zod'
import type { DisputeStatus, DisputeTold } from '../acquirer.ts'
import { wordsOf } from '../words.ts'
import { moneyRead } from './currencies.ts'

/** The words of events and of statuses, by checkout.com/docs/disputes, 2026-11: `dispute_won` tells of the status `won`. */
const statuses: Record<string, { status: DisputeStatus; round?: 2 }> = {
  received: { status: 'needs_response' },
  evidence_required: { status: 'needs_response' },
  evidence_submitted: { status: 'under_review' },
  evidence_acknowledged_by_scheme: { status: 'under_review' },
  evidence_under_review: { status: 'under_review' },
  won: { status: 'won' },
  lost: { status: 'lost' },
  expired: { status: 'lost' },
  accepted: { status: 'lost' },
  canceled: { status: 'closed' },
  resolved: { status: 'closed' },
  arbitration_sent_to_scheme: { status: 'under_review' },
  arbitration_under_review: { status: 'under_review' },
  arbitration_won: { status: 'won', round: 2 },
  arbitration_lost: { status: 'lost', round: 2 },
}

const text = z.string().nullish()

/** An event has `payment_id` and `date`; a dispute by its id has `payment`, and as in a list `received_on`. */
const dispute = z.object({
  id: z.string().min(1).max(100),
  amount: z.int().nullish(),
  currency: text,
  category: text,
  reason_code: text,
  evidence_required_by: text,
  received_on: text,
  payment_id: text,
  payment: z.object({ id: z.string() }).nullish(),
})

/** With the id of the payment that it is about. Null for what is no dispute, or has a status of another version. */
export function disputeIn(
  json: unknown,
  { status: word, is_sandbox }: { status: string; is_sandbox: boolean },
): (DisputeTold & { their_payment_id: string | null }) | null {
  const theirs = dispute.safeParse(json).data
  const meaning = Object.hasOwn(statuses, word) ? statuses[word]! : null
  if (!theirs || meaning === null) return null
  const { id, amount, currency, category, reason_code, evidence_required_by, received_on, payment_id, payment } = theirs
  const their_payment_id = payment?.id ?? payment_id ?? null
  const host = is_sandbox ? 'dashboard.sandbox.checkout.com' : 'dashboard.checkout.com'
  return {
    vendor_id: id,
    status: meaning.status,
    round: meaning.round ?? 1,
    reason: wordsOf([category, reason_code].filter((word) => word).join(' ')),
    money: amount && currency ? moneyRead({ amount, currency: currency.toUpperCase() }) : null,
    respond_by: isoOf(evidence_required_by),
    opened_at: isoOf(received_on),
    url: their_payment_id && `https://${host}/payments/all-payments/payment/${encodeURIComponent(their_payment_id)}`,
    their_payment_id,
  }
}

/** Null for what is no time. */
function isoOf(time: string | null | undefined): string | null {
  const at = new Date(time ?? '')
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
