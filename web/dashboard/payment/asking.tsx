// Until when the service asks the acquirer for an answer that did not come, when next, and what the shopper may be told meanwhile.

import { Link } from 'wouter'
import { useHere } from '../merchant.ts'
import { exactWords } from '../parts/moment.tsx'
import { say, sayKnown } from '../words.ts'
import { useLife } from './timeline.tsx'

/** `is_paid`: another payment paid the order meanwhile. */
export function Asking({ payment_id, is_paid }: { payment_id: string; is_paid: boolean }) {
  const { pathOf } = useHere()
  const { data: life } = useLife(payment_id)
  const payment = life?.payments.find((each) => each.payment_id === payment_id)
  const operation = payment?.operations.find(({ asking }) => asking !== null)
  if (!operation?.asking) return null
  const { next_at, until } = operation.asking
  const { kind } = operation
  if (next_at === null) {
    return (
      <>
        <Link className="warning" href={pathOf('operations')}>
          {say('waits_for_person')}
        </Link>
        <span className="advice">{is_paid ? say('tell_paid') : sayKnown('tell_waiting', kind)}</span>
      </>
    )
  }
  const end = exactWords(new Date(until))
  return (
    <>
      <span>{say('asks_until', { until: end, next: exactWords(new Date(next_at)) })}</span>
      <span className="advice">{is_paid ? say('tell_paid') : sayKnown('tell_unanswered', kind, { until: end })}</span>
    </>
  )
}
