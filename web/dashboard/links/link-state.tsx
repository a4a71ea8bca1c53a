// What a payment link is, and how often it was paid.

import type { PaymentLink } from '../client/answers.ts'
import { Status } from '../parts/status.tsx'
import { formatNumber, say } from '../words.ts'

export function LinkStatus({ status }: Pick<PaymentLink, 'status'>) {
  return status === 'disabled' ? <Status status={status} text={say('link_withdrawn')} /> : <Status status={status} />
}

export function paidWords({ payments_count, max_payments }: PaymentLink): string {
  const count = formatNumber(payments_count)
  return max_payments === null ? count : say('count_of', { count, max: formatNumber(max_payments) })
}
