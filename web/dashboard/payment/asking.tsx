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
  // The look that is due at its end may still be under way.
  const is_over = Date.parse(until) <= Date.now()
  const end = exactWords(new Date(until))
  const next = next_at && exactWords(new Date(next_at))
  const waiting = sayKnown('tell_waiting', kind)
  const shopper_words = next === null || is_over ? waiting : sayKnown('tell_unanswered', kind, { until: end })
  return (
    <>
      {next !== null && <span>{is_over ? say('asks_next', { next }) : say('asks_until', { until: end, next })}</span>}
      <Link className={next === null ? 'warning' : undefined} href={pathOf('operations')}>
        {say(next === null ? 'waits_for_person' : 'ask_acquirer')}
      </Link>
      <span className="advice">{is_paid ? say('tell_paid') : shopper_words}</span>
    </>
  )
}
