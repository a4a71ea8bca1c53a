// Reads the state of an event's deliveries to the merchant's endpoints over the service's own routes.

import type { EventType } from '../../kernel/values.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { type ServiceCalls, ServiceError } from '../service/call.ts'

export type DeliveryResult = {
  endpoint_id: string
  endpoint_url: string
  /** Null if no attempt has ended yet. */
  status: 'succeeded' | 'failed' | 'dead_lettered' | 'pending' | null
  response_status_code: number | null
}

export type ShownEndpoint = { id: string; url: string; event_filter: string[]; status: string }
type Row = Pick<DeliveryResult, 'response_status_code'> & {
  event_id: string
  status: NonNullable<DeliveryResult['status']>
}

const looks_max = 40
const look_ms = 250

type DeliverySearch = {
  secret_key: string
  payment_id: string
  event: EventType
  /** All of the merchant; null to ask the service, which shows a key for tests alone only those of tests alone. */
  endpoints: ShownEndpoint[] | null
}

/** Each endpoint that wants the event. Waits some seconds for first attempts. Null if the key may not read deliveries. */
export async function readDeliveryResults(
  service: ServiceCalls,
  which: DeliverySearch,
): Promise<DeliveryResult[] | null> {
  const headers = { 'x-service-api-key': which.secret_key }
  try {
    const endpoints: ShownEndpoint[] =
      which.endpoints ?? (await service.get('/v1/webhooks/endpoints', { headers })).endpoints
    const wanting = endpoints.filter(
      ({ status, event_filter }) =>
        status === 'active' && (event_filter.length === 0 || event_filter.includes(which.event)),
    )
    const query = `limit=100&event_type=webhook.${which.event}`
    for (let looks = 1; ; looks += 1) {
      if (wanting.length === 0) return []
      const { data } = await service.get(`/v1/webhooks/deliveries?${query}`, { headers })
      const told = wanting.map((endpoint) => toldOf(endpoint, data, which))
      if (looks === looks_max || told.every(({ status }) => status !== null)) return told
      await realClock().sleep(look_ms)
    }
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}

/** Rows come newest first. */
function toldOf(
  { id, url }: ShownEndpoint,
  rows: Row[],
  { payment_id, event }: { payment_id: string; event: EventType },
): DeliveryResult {
  const row = rows.find(({ event_id }) => event_id === `evt:${payment_id}#${event}#${id}`)
  return {
    endpoint_id: id,
    endpoint_url: url,
    status: row?.status ?? null,
    response_status_code: row?.response_status_code ?? null,
  }
}
