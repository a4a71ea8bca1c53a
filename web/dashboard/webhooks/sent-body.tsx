// The event as every attempt of a delivery sends it, asked for when somebody opens it.

import { useState } from 'react'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Loaded } from '../parts/loaded.tsx'
import { say } from '../words.ts'
import { AnswerBody } from './answer-body.tsx'

export function SentBody({ delivery_id }: { delivery_id: string }) {
  const [is_open, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{say('sent_body')}</summary>
      {is_open && <Body delivery_id={delivery_id} />}
    </details>
  )
}

function Body({ delivery_id }: { delivery_id: string }) {
  const { merchant_id } = useHere()
  const answer = useAnswer('GET /{merchant_id}/webhooks/deliveries/{delivery_id}', {
    merchant_id,
    delivery_id,
  })
  return (
    <Loaded answer={answer} rows={3}>
      {({ body, is_cut }) => <AnswerBody text={is_cut ? `${body}…` : inLines(body)} />}
    </Loaded>
  )
}

function inLines(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2)
}
