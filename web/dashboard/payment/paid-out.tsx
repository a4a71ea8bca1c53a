// What the acquirer paid out for a payment, each part with a link to its payout.

import { Link } from 'wouter'
import type { Payment } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { amountWords } from '../parts/amount.tsx'
import { Section } from '../parts/screen.tsx'
import { dayWords } from '../payouts/day-words.ts'
import { say, sayCode } from '../words.ts'

export function PaidOut({ payment: { payouts = [] } }: { payment: Payment }) {
  const { pathOf } = useHere()
  if (payouts.length === 0) return null
  return (
    <Section title={say('paid_out')} label={say('paid_out')}>
      <ul className="items">
        {payouts.map(({ payout_id, kind, gross, fee, net, currency, paid_on }) => (
          <li key={`${payout_id} ${kind} ${gross} ${fee}`}>
            <span>
              {sayCode('payout_kind', kind)} · <Link href={pathOf(`payouts/${payout_id}`)}>{dayWords(paid_on)}</Link>{' '}
              <span className="hint">
                {say('gross_less_fee', { gross: amountWords(gross, currency), fee: amountWords(fee, currency) })}
              </span>
            </span>
            <span className="amount">{amountWords(net, currency)}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
