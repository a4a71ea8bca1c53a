// What was given back of a payment, is being given back, or was refused.

import type { ListedRefund } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Amount } from '../parts/amount.tsx'
import { Copyable } from '../parts/copy.tsx'
import { English } from '../parts/english.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { exactWords } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { say, sayKnown } from '../words.ts'
import { refundStates } from './state.ts'
import { useLife } from './timeline.tsx'

export function Refunds({ payment_id }: { payment_id: string }) {
  const { merchant_id } = useHere()
  const answer = useAnswer('GET /{merchant_id}/payments/{payment_id}/refunds', {
    merchant_id,
    payment_id,
  })
  const { data: life } = useLife(payment_id)
  const isReturned = (id: string) =>
    life?.lines.some(({ change, subject }) => change === 'refund.succeeded' && subject === id) ?? false
  return (
    <Section title={say('refunds')}>
      <Loaded answer={answer} rows={1}>
        {({ refunds }) => (
          <ul className="items refunds">
            {refunds.map((refund) => {
              const { id, amount, currency, status, reason, failure, created_at, acquirer_transaction_id } = refund
              return (
                <li key={id}>
                  <Status status={refundStates[status]} />
                  <Amount amount={amount} currency={currency} />
                  <span className="hint notes">
                    <span>{say('refund_asked_at', { when: exactWords(new Date(created_at)) })}</span>
                    <GivenBack refund={refund} />
                    {reason && (
                      <span>
                        <bdi>{reason}</bdi>
                      </span>
                    )}
                  </span>
                  {failure && (
                    <p className="hint">
                      <RefundFailure failure={failure} is_returned={isReturned(id)} />
                    </p>
                  )}
                  <Facts
                    rows={[
                      [say('refund_id'), <Copyable key="id" text={id} label={say('refund_id')} />],
                      [say('bank_reference'), acquirer_transaction_id && <Copyable text={acquirer_transaction_id} />],
                    ]}
                  />
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

/** When the money went back, where that was not at once. */
export function GivenBack({ refund }: { refund: Pick<ListedRefund, 'status' | 'created_at' | 'settled_at'> }) {
  const { status, created_at, settled_at } = refund
  if (status !== 'succeeded' || settled_at === null) return null
  const when = exactWords(new Date(settled_at))
  if (when === exactWords(new Date(created_at))) return null
  return <span>{say('refund_given_at', { when })}</span>
}

/** That nothing was given back, or that it came back after the refund had succeeded, and why. */
export function RefundFailure({
  failure: { code, reason },
  is_returned = false,
}: {
  failure: NonNullable<ListedRefund['failure']>
  is_returned?: boolean
}) {
  if (code === 'acquirer_unreachable') return say('refund_not_sent')
  const why = sayKnown('decline', code) ?? <English text={reason} />
  return (
    <>
      {say(is_returned ? 'refund_returned' : 'refund_refused')} {code !== 'refund_refused' && <>{why}. </>}
      {say('refund_next')}
    </>
  )
}
