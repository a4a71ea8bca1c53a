// What was given back of a payment.

import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Amount } from '../parts/amount.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { say } from '../words.ts'

export function Refunds({ payment_id }: { payment_id: string }) {
  const { merchant_id } = useHere()
  const answer = useAnswer('GET /{merchant_id}/payments/{payment_id}/refunds', {
    merchant_id,
    payment_id,
  })
  return (
    <Section title={say('refunds')}>
      <Loaded answer={answer} rows={1}>
        {({ refunds }) => (
          <ul className="items">
            {refunds.map(({ id, amount, currency, status, reason, created_at }) => (
              <li key={id}>
                <span>
                  <Status status={status} />
                  <span className="hint notes">
                    <Moment at={created_at} />
                    {reason && (
                      <span>
                        <bdi>{reason}</bdi>
                      </span>
                    )}
                  </span>
                </span>
                <Amount amount={amount} currency={currency} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}
