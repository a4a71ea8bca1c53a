// Disputes as Adyen's notices tell of them. All notices of one have its own pspReference. A suspicion of fraud is none.

import type { DisputeStatus, DisputeTold } from '../acquirer.ts'
import { wordsOf } from '../words.ts'
import { moneyRead } from './currencies.ts'

/**
 * By docs.adyen.com/risk-management/disputes-api/dispute-notifications, 2026-11. What comes after a successful defence counts as a second
 * round. Pre-arbitration that begins leaves what was.
 */
const statuses: Record<string, { status: DisputeStatus; round: 1 | 2 }> = {
  NOTIFICATION_OF_CHARGEBACK: { status: 'needs_response', round: 1 },
  REQUEST_FOR_INFORMATION: { status: 'needs_response', round: 1 },
  CHARGEBACK: { status: 'needs_response', round: 1 },
  CHARGEBACK_REVERSED: { status: 'won', round: 1 },
  SECOND_CHARGEBACK: { status: 'lost', round: 2 },
  PREARBITRATION_WON: { status: 'won', round: 2 },
  PREARBITRATION_LOST: { status: 'lost', round: 2 },
}

/** Null where the event leaves the dispute as it was. Only id, amount and code are signed: the rest gives words and times. */
export function disputeOf({
  eventCode,
  pspReference,
  originalReference,
  merchantAccountCode,
  amount,
  reason,
  additionalData,
  is_live,
}: {
  eventCode: string
  pspReference: string
  originalReference: string | null
  merchantAccountCode: string
  amount: { value: number; currency: string }
  reason: string | null
  additionalData: Record<string, unknown>
  is_live: boolean
}): DisputeTold | null {
  const meaning = Object.hasOwn(statuses, eventCode) ? statuses[eventCode]! : null
  if (meaning === null) return null
  const { defensePeriodEndsAt: ends_at, chargebackReasonCode: code } = additionalData
  const respond_by = new Date(typeof ends_at === 'string' ? ends_at : '')
  const words = [reason, typeof code === 'string' ? code : null].filter((word) => word).join(' ')
  const of = new URLSearchParams({
    txType: 'Payment',
    pspReference: originalReference ?? pspReference,
    accountKey: `MerchantAccount.${merchantAccountCode}`,
  })
  return {
    vendor_id: pspReference,
    ...meaning,
    reason: wordsOf(words),
    money: amount.value > 0 ? moneyRead(amount) : null,
    respond_by: Number.isNaN(respond_by.getTime()) ? null : respond_by.toISOString(),
    opened_at: null,
    url: `https://ca-${is_live ? 'live' : 'test'}.adyen.com/ca/ca/accounts/showTx.shtml?${of}`,
  }
}
