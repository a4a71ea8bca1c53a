// A hold: an authorised payment that waits for a decision because its amount could not be verified.

import { isGone } from '../acquirers/acquirer.ts'
import { Refusal } from '../kernel/errors.ts'
import { timestamp, timestampOrNull } from '../kernel/values.ts'
import type { HoldRules } from '../merchants/integration.ts'
import { nextTryAt } from './backoff.ts'
import { answer_ms, type Operation } from './operation.ts'
import type { Payment } from './payment.ts'
import type { Session } from './session.ts'

export type OperationRefusal = {
  kind: string
  sequence: number
  reason: string
  decline_code: string | null
  at: string
}

export type Hold = {
  merchant_id: string
  payment_id: string
  status: 'pending_review' | 'escalated' | 'captured' | 'voided'
  reason: 'no_price_list' | 'mismatch' | 'manual_capture'
  detail: string | null
  deadline: Date
  decided_by: 'merchant' | 'rules' | null
  decided_at: Date | null
  operation_refusal: OperationRefusal | null
  /** The capture or void that is under way or unanswered. No other decision may begin until it ends. */
  operation_id: string | null
  /** Captures and voids sent so far. */
  operation_count: number
  // The rules of the integration at the time of the hold.
  at_deadline: 'void' | 'capture'
  escalate_at: Date | null
  is_below_limit: boolean
  /** When the rules act next; null once the hold is decided. */
  rules_at: Date | null
  /** How many of the rules' captures and voids were refused. */
  rule_refusals: number
}

/** How long before the end of an authorisation the rules capture it. */
const capture_lead_ms = 3_600_000

export function newHold(
  session: Pick<Session, 'amount_verified' | 'amount_verification_source' | 'amount_verification_detail'>,
  payment: Pick<Payment, 'merchant_id' | 'payment_id' | 'amount' | 'capture_method' | 'created_at'>,
  rules: HoldRules,
  now: Date,
  /** When the acquirer lets the reservation go by itself. */
  expires_at: Date | null = null,
): Hold {
  // If the acquirer's answer was found hours later, the whole window still follows.
  const is_late = now.getTime() - payment.created_at.getTime() > answer_ms
  const is_manual = payment.capture_method === 'manual'
  // The payment was to be captured at once, but the acquirer only reserved it. The rules capture it now.
  const is_unasked = session.amount_verified && !is_manual
  const opened_at = is_late ? now : payment.created_at
  const after = (seconds: number) => new Date(opened_at.getTime() + seconds * 1000)
  const { escalate_after_seconds, capture_below } = rules
  const window_ends_at = after(rules.review_window_seconds)
  // Rules that capture must do it while the acquirer still holds the money.
  const lead_ms = rules.at_deadline === 'capture' ? capture_lead_ms : 0
  const lapse_at = expires_at && new Date(expires_at.getTime() - lead_ms)
  const hold: Hold = {
    merchant_id: payment.merchant_id,
    payment_id: payment.payment_id,
    status: 'pending_review',
    reason: reasonOf(session, is_manual),
    detail: is_unasked
      ? 'The amount is verified, and the acquirer has reserved it instead of taking it'
      : session.amount_verification_detail,
    deadline: lapse_at !== null && lapse_at < window_ends_at ? lapse_at : window_ends_at,
    decided_by: null,
    decided_at: null,
    operation_refusal: null,
    operation_id: null,
    operation_count: 0,
    at_deadline: rules.at_deadline,
    escalate_at: escalate_after_seconds === null ? null : after(escalate_after_seconds),
    is_below_limit: is_unasked || (!is_manual && capture_below !== null && payment.amount < capture_below),
    rules_at: null,
    rule_refusals: 0,
  }
  return { ...hold, rules_at: hold.is_below_limit ? opened_at : nextRuleAt(hold) }
}

function reasonOf(
  { amount_verified, amount_verification_source }: Pick<Session, 'amount_verified' | 'amount_verification_source'>,
  is_manual: boolean,
): Hold['reason'] {
  if (amount_verified && is_manual) return 'manual_capture'
  return amount_verification_source === 'mismatch' ? 'mismatch' : 'no_price_list'
}

export function isWaiting({ status }: Pick<Hold, 'status'>): boolean {
  return status === 'pending_review' || status === 'escalated'
}

/** What the rules do with a waiting hold now, or null. They end a hold that can no longer be captured as voided. */
export function ruleAt(hold: Hold, now: Date): 'capture' | 'void' | 'escalate' | null {
  const rule = wantedAt(hold, now)
  const { operation_refusal: last } = hold
  return rule === 'capture' && last?.kind === 'capture' && isGone(last) ? 'void' : rule
}

/** The deadline applies to an escalated hold, too. */
function wantedAt(hold: Hold, now: Date): ReturnType<typeof ruleAt> {
  if (hold.deadline <= now) return hold.at_deadline
  if (hold.status !== 'pending_review') return null
  if (hold.escalate_at && hold.escalate_at <= now) return 'escalate'
  return hold.is_below_limit ? 'capture' : null
}

/** Marks the hold for a person's attention: the rules leave it alone until the deadline. */
export function escalate(hold: Hold): Hold {
  return { ...hold, status: 'escalated', rules_at: hold.deadline }
}

/** What ends a hold. */
export type Decision = 'capture' | 'void'

/** How a hold and its payment end by each decision. */
export const endOfDecision = { capture: 'captured', void: 'voided' } as const satisfies Record<Decision, Hold['status']>

/** A capture or void was approved. */
export function decideHold(
  hold: Hold,
  { kind, asked_by }: Pick<Operation, 'asked_by'> & { kind: Decision },
  now: Date,
): Hold {
  return {
    ...hold,
    status: endOfDecision[kind],
    decided_by: asked_by,
    decided_at: now,
    operation_id: null,
    rules_at: null,
  }
}

const rule_waits_seconds = [60, 300, 1800, 2 * 3600, 6 * 3600, 12 * 3600]

/** A capture or void was refused, and the hold stays open. The rules repeat theirs after growing waits. */
export function refuseDecision(
  hold: Hold,
  { kind, sequence, asked_by }: Pick<Operation, 'kind' | 'sequence' | 'asked_by'>,
  { reason, decline_code }: Pick<OperationRefusal, 'reason' | 'decline_code'>,
  { now, chance }: { now: Date; chance: number },
): Hold {
  const refusal = { kind, sequence, reason, decline_code, at: timestamp(now) }
  const open: Hold = { ...hold, operation_id: null, operation_refusal: refusal }
  if (asked_by !== 'rules') return open
  const rule_refusals = hold.rule_refusals + 1
  const again = nextTryAt(rule_waits_seconds, { tries: rule_refusals, now, chance })
  const next = nextRuleAt(hold)
  const rules_at = hold.deadline > now && next < again ? next : again
  return { ...open, rule_refusals, rules_at }
}

/** When the rules would act next if they did not have to wait after a refusal. */
export function nextRuleAt({ status, escalate_at, deadline }: Hold): Date {
  const escalates = status === 'pending_review' && escalate_at !== null && escalate_at < deadline
  return escalates ? escalate_at : deadline
}

/** Throws `resource_not_found` where there is no hold. */
export function heldOrRefuse<ReadResult extends { hold: Hold | null }>(
  row: ReadResult | undefined,
): ReadResult & { hold: Hold } {
  if (row?.hold) return { ...row, hold: row.hold }
  throw notHeld()
}

export function notHeld(): Refusal {
  return new Refusal('resource_not_found', 'There is no held payment with this id.')
}

/** The hold object of sessions, payments and events. */
export function viewHold(hold: Hold) {
  return {
    status: hold.status,
    reason: hold.reason,
    detail: hold.detail,
    deadline: timestamp(hold.deadline),
    decided_by: hold.decided_by,
    decided_at: timestampOrNull(hold.decided_at),
    operation_refusal: hold.operation_refusal,
  }
}
