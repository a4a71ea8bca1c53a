// Other payments of the same order that took money or may yet, each with a link: before a capture, and before another card is tried.

import { Fragment } from 'react'
import { Link } from 'wouter'
import type { Payment } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { sayCode } from '../words.ts'

export type Others = Payment['other_payments']

/** The one that paid the order; the service names none that was refunded in full. */
export function capturedOf(others: Others): Others[number] | undefined {
  return others.find(({ status }) => status === 'captured')
}

export function OtherPayments({ others }: { others: Others }) {
  const { pathOf } = useHere()
  return others.map(({ payment_id, status }) => (
    <Fragment key={payment_id}>
      <Link className="warning" href={pathOf(`payments/${payment_id}`)}>
        {sayCode('other_payment', status)}
      </Link>{' '}
    </Fragment>
  ))
}
