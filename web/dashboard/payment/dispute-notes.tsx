// What the shopper's bank wants back of a payment, with the way to where it is answered.

import type { Dispute } from '../client/answers.ts'
import { amountWords } from '../parts/amount.tsx'
import { exactWords } from '../parts/moment.tsx'
import { say, sayKnown } from '../words.ts'

export function DisputeNotes({ disputes }: { disputes: Dispute[] }) {
  return disputes.map((dispute) => (
    <span key={dispute.id} className={dispute.status === 'won' || dispute.status === 'closed' ? undefined : 'warning'}>
      {disputeWords(dispute)} <RespondLink dispute={dispute} />
    </span>
  ))
}

function disputeWords({ status, amount, currency, respond_by }: Dispute): string {
  const values = {
    amount: amountWords(amount, currency),
    when: respond_by === null ? '–' : exactWords(new Date(respond_by)),
  }
  return sayKnown('dispute', status, values) ?? status
}

/** Only while something may be answered. */
export function RespondLink({ dispute: { vendor_url, closed_at } }: { dispute: Dispute }) {
  if (vendor_url === null || closed_at !== null) return null
  return (
    <a href={vendor_url} target="_blank" rel="noreferrer">
      {say('dispute_respond')}
    </a>
  )
}
