// Posts events to a local server as a delivery would: signed, one after the other for each payment.

import { createHmac } from 'node:crypto'
import type { Clock } from '../../kernel/world.ts'
import { type PostResult, post, type SendOptions } from '../../webhooks/sending/deliver.ts'
import type { StreamedEvent } from '../../webhooks/stream/streamed-event.ts'

export type ForwardResult = Pick<PostResult, 'succeeded' | 'response_status_code' | 'response_body' | 'failure'> & {
  duration_ms: number
}

/** The identity of this command for a receiver. It is stored nowhere, and is the same each time for the same secret key. */
export type Identity = { signing_secret: string; endpoint_id: string }

export function identityOf(secret_key: string): Identity {
  const hex = (label: string) => createHmac('sha256', secret_key).update(label).digest('hex')
  return {
    signing_secret: `rip_whsec_${hex('ripper listen: signing secret')}`,
    endpoint_id: `whep_${hex('ripper listen: endpoint').slice(0, 24)}`,
  }
}

type ForwardOptions = {
  http: SendOptions['http']
  clock: Clock
  url: string
  identity: Identity
  /** Called for each event, in the order of the answers. */
  told(event: StreamedEvent, forwarded: ForwardResult): void
}

/** How many events of different payments are posted at the same time, so that a slow answer delays no other payment. */
const at_once_max = 8
const limits = { timeout_ms: 15_000, connect_timeout_ms: 5_000, clock_offset_seconds: 0 }

/** Takes an event, and resolves when there is room for the next. Sends nothing twice: a failure is only reported. */
export function openForwarder({ http, clock, url, identity, told }: ForwardOptions) {
  const sending = { http, settings: limits, secretsOf: () => [identity.signing_secret] }
  /** The last event of each payment with events under way. */
  const underWay = new Map<string, Promise<void>>()

  async function forward(event: StreamedEvent): Promise<void> {
    const began_at = clock.now()
    const { body, payment_id, type: event_type } = event
    const { endpoint_id } = identity
    const parcel = { endpoint_url: url, body, payment_id, event_type, endpoint_id }
    const answer = await post(sending, parcel, began_at)
    const { succeeded, response_status_code, response_body, failure } = answer
    const duration_ms = clock.now().getTime() - began_at.getTime()
    told(event, { succeeded, response_status_code, response_body, failure, duration_ms })
  }

  return async (event: StreamedEvent): Promise<void> => {
    const { payment_id } = event
    const before = underWay.get(payment_id) ?? Promise.resolve()
    const mine = before
      .then(() => forward(event))
      .finally(() => {
        if (underWay.get(payment_id) === mine) underWay.delete(payment_id)
      })
    underWay.set(payment_id, mine)
    while (underWay.size >= at_once_max) await Promise.race(underWay.values())
  }
}
