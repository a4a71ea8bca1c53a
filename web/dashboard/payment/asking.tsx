// Until when the service asks the acquirer for an answer that did not come, when next, and what the shopper may be told meanwhile.

import { exactWords } from '../parts/moment.tsx'
import { say, sayKnown } from '../words.ts'
import { useLife } from './timeline.tsx'

export function Asking({ payment_id }: { payment_id: string }) {
  const { data: life } = useLife(payment_id)
  const payment = life?.payments.find((each) => each.payment_id === payment_id)
  const operation = payment?.operations.find(({ asking }) => asking !== null)
  if (!operation?.asking) return null
  const { next_at, until } = operation.asking
  const end = exactWords(new Date(until))
  return (
    <>
      <span>
        {next_at === null
          ? say('waits_for_person')
          : say('asks_until', { until: end, next: exactWords(new Date(next_at)) })}
      </span>
      {next_at !== null && (
        <span className="advice">{sayKnown('tell_unanswered', operation.kind, { until: end })}</span>
      )}
    </>
  )
}
