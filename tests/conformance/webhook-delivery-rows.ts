// Rows of deliveries as workers leave them, for tests of what merchants are shown of them.

import { createHash } from 'node:crypto'
import { rowValues } from '../../src/database/driver/rows.ts'
import { idsFrom } from '../../src/kernel/ids.ts'
import type { Account, Service } from '../support/service.ts'

type Place = Pick<Service, 'sql' | 'context'> & { account: Account }

export type AttemptRow = {
  merchant_id: string
  attempt_id: string
  delivery_id: string
  endpoint_id: string
  endpoint_url: string | null
  payment_id: string
  event_type: string
  attempt_number: number
  previous_attempt_id: string | null
  replay_of: string | null
  root_created_at: Date
  status: 'succeeded' | 'failed' | 'dead_lettered' | 'pending'
  occurred_at: Date
  duration_ms: number | null
  response_status_code: number | null
  response_body: string | null
  failure: string | null
  next_retry_at: Date | null
}

/** An id of this time that the text decides. */
export function idAt(at: Date, text: string): string {
  const tail = createHash('sha256').update(text).digest('hex')
  return `${idsFrom(at)}7${tail.slice(0, 3)}8${tail.slice(3, 18)}`
}

let rows = 0

/** An attempt that answered 200, but for what is asked. */
export async function insertAttempt(
  { sql, account, context }: Place,
  asked: Partial<AttemptRow> = {},
): Promise<AttemptRow> {
  const occurred_at = asked.occurred_at ?? context.world.clock.now()
  const name = `row ${rows++}`
  const row: AttemptRow = {
    merchant_id: account.merchant_id,
    attempt_id: idAt(occurred_at, `attempt ${name}`),
    delivery_id: idAt(occurred_at, `delivery ${name}`),
    endpoint_id: 'whep_000000000000000000000000',
    endpoint_url: 'https://shop.example/hooks',
    payment_id: 'pay_000000000000000000000000',
    event_type: 'payment.captured',
    attempt_number: 1,
    previous_attempt_id: null,
    replay_of: null,
    root_created_at: occurred_at,
    status: 'succeeded',
    occurred_at,
    duration_ms: 12,
    response_status_code: 200,
    response_body: 'ok',
    failure: null,
    next_retry_at: null,
    ...asked,
  }
  await sql`insert into webhook_attempts ${rowValues(sql, row)}`
  return row
}

export type DeliveryRow = {
  merchant_id: string
  delivery_id: string
  endpoint_id: string
  payment_id: string
  sequence: number
  status: 'succeeded' | 'dead_lettered'
  attempt_count: number
  last_attempt_id: string
  replay_of: string | null
  root_id: string
  root_created_at: Date
  active_replay: string | null
  created_at: Date
  settled_at: Date
}

/** A delivery of a payment to an endpoint of its own that was given up on, with its last attempt, but for what is asked. */
export async function deadLetter(place: Place, asked: Partial<DeliveryRow> = {}): Promise<DeliveryRow> {
  const { sql, account, context } = place
  const created_at = asked.created_at ?? context.world.clock.now()
  const endpoint_id = asked.endpoint_id ?? (await endpointOf(account))
  const payment_id = asked.payment_id ?? (await paymentOf(account))
  const name = `delivery ${rows++}`
  const delivery_id = asked.delivery_id ?? idAt(created_at, name)
  const row: DeliveryRow = {
    merchant_id: account.merchant_id,
    delivery_id,
    endpoint_id,
    payment_id,
    sequence: 1,
    status: 'dead_lettered',
    attempt_count: 12,
    last_attempt_id: idAt(created_at, `last attempt of ${name}`),
    replay_of: null,
    root_id: delivery_id,
    root_created_at: created_at,
    active_replay: null,
    created_at,
    settled_at: created_at,
    ...asked,
  }
  await sql`insert into webhook_deliveries ${rowValues(sql, row)}`
  await insertAttempt(place, {
    delivery_id,
    endpoint_id,
    payment_id,
    replay_of: row.replay_of,
    status: row.status,
    attempt_id: row.last_attempt_id,
    attempt_number: 12,
    occurred_at: created_at,
    root_created_at: row.root_created_at,
    response_status_code: 500,
    response_body: 'no',
  })
  return row
}

/** It hears of nothing that a test's payments do. */
async function endpointOf({ client }: Account): Promise<string> {
  const { body } = await client.createEndpoint({
    url: 'https://shop.example/x',
    event_filter: ['payment.voided'],
  })
  return body.id
}

const payments = new Map<string, string>()

/** One payment of each account serves all of its rows. */
async function paymentOf({ client, merchant_id }: Account): Promise<string> {
  const known = payments.get(merchant_id)
  if (known) return known
  const { body } = await client.pay()
  payments.set(merchant_id, body.payment_id)
  return body.payment_id
}
