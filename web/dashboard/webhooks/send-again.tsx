// Sends a delivery by hand: one that waits at once, one that was given up as a replay.

import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { doneStore } from '../parts/done.ts'
import { say } from '../words.ts'

const concerned = [
  'GET /{merchant_id}/webhooks/deliveries',
  'GET /{merchant_id}/webhooks/endpoints',
  'GET /{merchant_id}/payments/{payment_id}/timeline',
] as const

/** `tries_endpoint`: the endpoint is paused, so all others that wait follow if this one arrives. */
export function SendNow({ delivery_id, tries_endpoint = false }: { delivery_id: string; tries_endpoint?: boolean }) {
  const { merchant_id } = useHere()
  const route = 'POST /{merchant_id}/webhooks/deliveries/{delivery_id}/send'
  const act = useAct(route, [...concerned], null, ({ is_due }: { is_due: boolean }) => {
    const done = say(tries_endpoint ? 'send_now_done_endpoint' : 'send_now_done')
    const words = is_due ? `${done} ${say('send_now_counts')}` : say('send_now_settled')
    doneStore.write({ words })
  })
  return (
    <>
      <Button size="small" is_busy={act.isPending} onClick={() => act.mutate({ merchant_id, delivery_id, body: {} })}>
        {say('send_now')}
      </Button>
      <RefusalAlert refused={act.error} />
    </>
  )
}

export function Replay({ delivery_id }: { delivery_id: string }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/webhooks/deliveries/{delivery_id}/replay', [...concerned])
  return (
    <>
      <Button size="small" is_busy={act.isPending} onClick={() => act.mutate({ merchant_id, delivery_id })}>
        {say('replay')}
      </Button>
      <RefusalAlert refused={act.error} />
    </>
  )
}
