// What was given back of a payment, is being given back, or was refused.

import { useState } from 'react'
import type { ListedRefund } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Amount, amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { exactWords } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { say, sayCount } from '../words.ts'
import type { Decided } from './decided.ts'
import { RefundDialog } from './refund-dialog.tsx'
import { RefundFailure } from './refund-failure.tsx'
import { SettledOtherwise, SettleOtherwise } from './settled-otherwise.tsx'
import { refundStates } from './state.ts'
import { useLife } from './timeline.tsx'

function useRefunds(payment_id: string) {
  const { merchant_id } = useHere()
  return useAnswer('GET /{merchant_id}/payments/{payment_id}/refunds', { merchant_id, payment_id })
}

/** That refunds failed and the shopper lacks their money: never as a sum, since two may be tries of one. */
export function FailedRefunds({ payment_id }: { payment_id: string }) {
  const owed = useRefunds(payment_id).data?.refunds.filter(({ owed_amount }) => owed_amount !== null) ?? []
  const [newest] = owed
  if (!newest) return null
  // Of a part that was given back since, the shopper has the money.
  const amount = amountWords(newest.owed_amount ?? newest.amount, newest.currency)
  return (
    <span className="warning">{sayCount('refund_failed_since', 'refunds_failed_since', owed.length, { amount })}</span>
  )
}

export function Refunds({ payment, permitted }: { payment: Decided; permitted: string[] }) {
  const { id: payment_id } = payment
  const { may } = useHere()
  const answer = useRefunds(payment_id)
  const [again, setAgain] = useState<number | null>(null)
  const { data: life } = useLife(payment_id)
  const isReturned = (id: string) =>
    life?.lines.some(({ change, subject }) => change === 'refund.succeeded' && subject === id) ?? false
  return (
    <Section title={say('refunds')}>
      <Loaded answer={answer} rows={1}>
        {({ refunds }) => (
          <ul className="items refunds">
            {refunds.map((refund) => {
              const { id, amount, currency, reason, failure, created_at, owed_amount, otherwise_amount } = refund
              const reference = refund.acquirer_transaction_id
              return (
                <li key={id}>
                  <Status status={refundStates[refund.status]} />
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
                      <RefundFailure failure={failure} is_returned={isReturned(id)} is_owed={owed_amount !== null} />
                    </p>
                  )}
                  {owed_amount !== null && permitted.includes('refund') && (
                    <span className="acts">
                      <Button size="small" onClick={() => setAgain(owed_amount)}>
                        {say('try_again')}
                      </Button>
                      <SettleOtherwise refund={{ id, currency, owed_amount }} />
                    </span>
                  )}
                  {otherwise_amount !== null && (
                    <SettledOtherwise
                      refund={{ id, payment_id, currency, otherwise_amount }}
                      may_undo={may('refund_payments')}
                    />
                  )}
                  {refund.status === 'succeeded' && (
                    <p className="advice">
                      {reference ? say('tell_refunded', { reference }) : say('tell_refunded_unnamed')}
                    </p>
                  )}
                  <Facts
                    rows={[
                      [say('refund_id'), <Copyable key="id" text={id} label={say('refund_id')} />],
                      [say('bank_reference'), reference && <Copyable text={reference} />],
                    ]}
                  />
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
      {again !== null && <RefundDialog payment={payment} amount={again} onClose={() => setAgain(null)} />}
    </Section>
  )
}

/** When the money went back. */
export function GivenBack({ refund }: { refund: Pick<ListedRefund, 'status' | 'settled_at'> }) {
  const { status, settled_at } = refund
  if (status !== 'succeeded' || settled_at === null) return null
  return <span>{say('refund_given_at', { when: exactWords(new Date(settled_at)) })}</span>
}
