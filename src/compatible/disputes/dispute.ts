// A dispute in the other platform's words, as its events show it. What a merchant answers stays at the acquirer, so no evidence is here.

import type { Dispute, DisputeStatus, viewDispute } from '../../payments/dispute.ts'
import { isStanding } from '../../payments/dispute.ts'
import { absentMembers, chargeIdOf, unixSeconds } from '../members.ts'

const statuses: Record<DisputeStatus, string> = {
  needs_response: 'needs_response',
  under_review: 'under_review',
  won: 'won',
  lost: 'lost',
  closed: 'warning_closed',
}

/** Its list of reasons is closed. Acquirers' words, which `ripper.reason` has, may begin with one of them. */
const reasons = [
  'bank_cannot_process',
  'credit_not_processed',
  'customer_initiated',
  'debit_not_authorized',
  'duplicate',
  'fraudulent',
  'incorrect_account_details',
  'insufficient_funds',
  'noncompliant',
  'product_not_received',
  'product_unacceptable',
  'subscription_canceled',
  'unrecognized',
]

function reasonOf(words: string | null): string {
  const [first] = words?.split(' ') ?? []
  return reasons.find((reason) => reason === first) ?? 'general'
}

const evidence = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_communication',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'customer_signature',
  'duplicate_charge_documentation',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'receipt',
  'refund_policy',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'service_documentation',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_documentation',
  'shipping_tracking_number',
  'uncategorized_file',
  'uncategorized_text',
]

/** `dispute` is as an event froze it. */
export function viewCompatibleDispute(
  dispute: ReturnType<typeof viewDispute>,
  { session_id, now }: { session_id: string; now: Date },
): object {
  const { id, payment_id, status, reason, amount, currency, mode, respond_by, opened_at, vendor_url } = dispute
  const due_by = respond_by === null ? null : unixSeconds(new Date(respond_by))
  const seconds = unixSeconds(now)
  return {
    id,
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: chargeIdOf({ payment_id }),
    created: unixSeconds(new Date(opened_at)),
    currency: currency.toLowerCase(),
    enhanced_eligibility_types: [],
    evidence: { ...absentMembers(evidence), enhanced_evidence: {} },
    evidence_details: {
      due_by,
      enhanced_eligibility: {},
      has_evidence: status === 'under_review',
      past_due: status === 'needs_response' && due_by !== null && due_by < seconds,
      submission_count: 0,
    },
    is_charge_refundable: !isStanding({ status } as Pick<Dispute, 'status'>),
    livemode: mode === 'live',
    metadata: {},
    payment_intent: session_id,
    reason: reasonOf(reason),
    status: statuses[status],
    ripper: { payment_id, reason, vendor_url },
  }
}
