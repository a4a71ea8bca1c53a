// Which of a payment's events did not reach a receiver yet, and a way to send each now.

import { useHere } from '../merchant.ts'
import { Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { NextAttempt } from '../webhooks/deliveries.tsx'
import { Replay, SendNow } from '../webhooks/send-again.tsx'
import { say, sayCode } from '../words.ts'
import { useLife } from './timeline.tsx'
import { missingIn } from './timeline-entries.ts'

export function NotArrived({ payment_id }: { payment_id: string }) {
  const { may } = useHere()
  const { data: life } = useLife(payment_id)
  const missing = life ? missingIn(life) : []
  if (missing.length === 0) return null
  return (
    <Section title={say('not_arrived')} label={say('not_arrived')}>
      {missing.some(({ delivery }) => delivery.settled_at === null) && <LookAgain payment_id={payment_id} />}
      <ul className="items">
        {missing.map(({ type, delivery }) => (
          <li key={delivery.delivery_id}>
            <div className="lines">
              <span>{sayCode('event', type)}</span>
              <span>
                <Status status={delivery.settled_at === null ? 'waiting' : delivery.status} />{' '}
                {delivery.settled_at === null && (
                  <span className="hint">
                    <NextAttempt waiting={delivery} is_first={delivery.attempts.length === 0} />
                  </span>
                )}
              </span>
              <span className="hint breakable">{delivery.endpoint_url}</span>
            </div>
            {may('replay_deliveries') && (
              <div className="acts">
                {delivery.replayable && <Replay delivery_id={delivery.delivery_id} />}
                {delivery.next_attempt_at !== null && (
                  <SendNow delivery_id={delivery.delivery_id} tries_endpoint={delivery.held_until !== null} />
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** What became of a delivery that waits, nobody tells the page. */
function LookAgain({ payment_id }: { payment_id: string }) {
  useLife(payment_id, look_again_ms)
  return null
}

const look_again_ms = 5_000
