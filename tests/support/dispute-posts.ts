// What each fake vendor posts of a dispute, with every member that the vendor's own pages show.

import type { NoticePost } from '../../src/acquirers/acquirer.ts'
import { posted, signed as signedByAdyen } from '../adapters/fakes/adyen/views.ts'
import { signed as signedByCheckout } from '../adapters/fakes/checkout/views.ts'
import { signed as signedByStripe } from '../adapters/fakes/stripe/views.ts'

/** What happens to a dispute, in the words of the vendors' own events. */
export const disputeSteps = {
  opened: { checkout: 'evidence_required', stripe: 'needs_response', adyen: 'CHARGEBACK' },
  answered: { checkout: 'evidence_submitted', stripe: 'under_review', adyen: null },
  won: { checkout: 'won', stripe: 'won', adyen: 'CHARGEBACK_REVERSED' },
  lost: { checkout: 'lost', stripe: 'lost', adyen: null },
  closed: { checkout: 'canceled', stripe: 'warning_closed', adyen: null },
  lost_again: { checkout: 'arbitration_lost', stripe: null, adyen: 'SECOND_CHARGEBACK' },
  won_at_last: { checkout: 'arbitration_won', stripe: null, adyen: 'PREARBITRATION_WON' },
  fraud_suspected: { checkout: null, stripe: 'radar.early_fraud_warning.created', adyen: 'NOTIFICATION_OF_FRAUD' },
} as const

export type DisputeStep = keyof typeof disputeSteps

export type DisputeFacts = {
  step: DisputeStep
  /** When it happened at the vendor. */
  at: Date
  vendor_id: string
  amount: number
  currency: string
  respond_by: Date
}

type Signing<Key extends string> = Record<Key | 'transaction_id' | 'reference', string>

export function checkoutDispute(
  { step, at, vendor_id, amount, currency, respond_by }: DisputeFacts,
  { transaction_id: payment_id, reference, signature_key }: Signing<'signature_key'>,
): NoticePost[] {
  const word = disputeSteps[step].checkout
  if (word === null) return []
  const timestamp = at.toISOString()
  const names = { payment_id, payment_action_id: `act_${vendor_id}`, payment_reference: reference }
  const rest = { payment_method: 'VISA', client_id: 'cli_1', processing_channel_id: 'pc_1', entity_id: 'ent_1' }
  const facts = { category: 'fraudulent', amount, currency, reason_code: '10.4', date: timestamp }
  const data = { id: vendor_id, ...facts, ...names, ...rest, evidence_required_by: respond_by.toISOString() }
  const event = { id: `evt_${vendor_id}_${word}_${at.getTime()}`, type: `dispute_${word}`, timestamp, version: '1.0.6' }
  return [signedByCheckout(signature_key, { ...event, data })]
}

export function stripeDispute(
  { step, at, vendor_id, amount, currency, respond_by }: DisputeFacts,
  { transaction_id: payment_intent, webhook_secret }: Signing<'webhook_secret'>,
  now: Date,
): NoticePost[] {
  const word = disputeSteps[step].stripe
  if (word === null) return []
  const created = Math.floor(at.getTime() / 1000)
  const is_warning = step === 'fraud_suspected'
  const types: Partial<Record<DisputeStep, string>> = { opened: 'created', answered: 'updated', fraud_suspected: '' }
  const type = is_warning ? word : `charge.dispute.${types[step] ?? 'closed'}`
  const own = is_warning
    ? { id: vendor_id, object: 'radar.early_fraud_warning', actionable: true, fraud_type: 'misc' }
    : { id: vendor_id, object: 'dispute', amount, currency: currency.toLowerCase(), reason: 'fraudulent', status: word }
  const evidence_details = {
    ...{ due_by: Math.floor(respond_by.getTime() / 1000), enhanced_eligibility: {}, has_evidence: false },
    ...{ past_due: false, submission_count: 0 },
  }
  const rest = is_warning ? {} : { balance_transactions: [], evidence: {}, evidence_details, metadata: {} }
  const object = { ...own, ...rest, charge: `ch_of_${payment_intent}`, created, livemode: false, payment_intent }
  const event = { id: `evt_${vendor_id}_${word}_${created}`, object: 'event', api_version: '2026-08-26', created }
  return [signedByStripe({ ...event, type, livemode: false, data: { object } }, webhook_secret, now)]
}

export function adyenDispute(
  { step, at, vendor_id, amount, currency, respond_by }: DisputeFacts,
  { transaction_id, reference, merchant_account, hmac_key }: Signing<'merchant_account' | 'hmac_key'>,
): NoticePost[] {
  const eventCode = disputeSteps[step].adyen
  if (eventCode === null) return []
  const item = {
    ...{ pspReference: vendor_id, originalReference: transaction_id, merchantReference: reference },
    ...{ merchantAccountCode: merchant_account, amount: { value: amount, currency } },
    ...{
      eventCode,
      success: 'true' as const,
      eventDate: at.toISOString(),
      reason: 'Other Fraud-Card Absent Environment',
    },
    additionalData: {
      ...{ chargebackReasonCode: '10.4', chargebackSchemeCode: 'visa', disputeStatus: 'Undefended' },
      ...{ defendable: 'true', autoDefended: 'false', defensePeriodEndsAt: respond_by.toISOString() },
    },
  }
  return [posted([signedByAdyen(hmac_key, item)])]
}

/** The body of an event as the vendor's list and its read by id have the dispute. */
export function listedOf(name: 'checkout' | 'stripe', { body }: NoticePost) {
  const { type, data } = JSON.parse(body)
  if (name === 'stripe') return data.object as { id: string; created: number }
  const { date: received_on, payment_id, payment_action_id: action_id, ...rest } = data
  const status = (type as string).slice('dispute_'.length)
  return { ...rest, status, received_on, payment_id, action_id, last_update: received_on } as {
    id: string
    received_on: string
  }
}
