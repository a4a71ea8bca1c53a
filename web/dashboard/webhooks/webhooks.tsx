// Where events are posted, how that goes, and what may be sent once more.

import { useState } from 'react'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { say } from '../words.ts'
import { AddEndpoint } from './add-endpoint.tsx'
import { Deliveries } from './deliveries.tsx'
import { Endpoints } from './endpoints.tsx'

export function Webhooks() {
  const { merchant_id, may } = useHere()
  const [is_adding, setAdding] = useState(false)
  const answer = useAnswer('GET /{merchant_id}/webhooks/endpoints', { merchant_id })
  const can_manage = may('manage_webhooks')
  return (
    <Screen
      title={say('nav_webhooks')}
      acts={
        can_manage && (
          <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
            {say('add_endpoint')}
          </Button>
        )
      }
    >
      <Section title={say('endpoints')}>
        <Loaded answer={answer} rows={2}>
          {({ endpoints }) => <Endpoints endpoints={endpoints} can_manage={can_manage} />}
        </Loaded>
      </Section>
      <Deliveries delays_seconds={answer.data?.retry_delays_seconds ?? []} />
      {is_adding && <AddEndpoint onClose={() => setAdding(false)} />}
    </Screen>
  )
}
