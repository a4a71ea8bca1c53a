// Endpoints and events by the thousand: of payments that are rows only, queued by the statement that payments queue them with.

import { rowIf, rowValues } from '../../src/database/driver/rows.ts'
import type { Sql } from '../../src/database/open.ts'
import { api_version, type EventType, type MerchantId, timestamp } from '../../src/kernel/values.ts'
import type { LineWriter } from '../../src/merchants/account-lines.ts'
import type { Context } from '../../src/payments/context.ts'
import { newEndpoint } from '../../src/webhooks/endpoints/create-endpoint.ts'
import { insertEndpoint } from '../../src/webhooks/endpoints/endpoint-store.ts'
import { fanOut, type QueuedEvent } from '../../src/webhooks/queue/fan-out.ts'

/** Who writes the lines of what a test does without a request. */
export function operatorOf({ ids }: Pick<Context, 'ids'>): LineWriter {
  return { ids, actor: 'operator' }
}

/** An endpoint past the API, which takes only so many in a minute. */
export async function makeEndpoint(
  context: Pick<Context, 'sql' | 'ids' | 'keyring'>,
  asked: { merchant_id: string; url: string },
): Promise<{ endpoint_id: string; signing_secret: string }> {
  const { signing_secret, ...made } = newEndpoint(
    context,
    { merchant_id: asked.merchant_id as MerchantId, url: asked.url, event_filter: [], now: new Date() },
    operatorOf(context),
  )
  await insertEndpoint(context.sql, made, null)
  return { endpoint_id: made.endpoint.endpoint_id, signing_secret }
}

/** Payments of one merchant that events can tell of. Returns their ids. */
export async function makePayments(
  { sql, ids }: Pick<Context, 'sql' | 'ids'>,
  merchant_id: string,
  count: number,
): Promise<string[]> {
  const at = new Date()
  const session = {
    merchant_id,
    session_id: ids.session(ids.routing(), at),
    mode: 'test',
    status: 'declined',
    amount: 4200,
    currency: 'GBP',
    metadata: {},
    amount_verified: true,
    amount_verification_source: 'server_minted',
    created_at: at,
    expires_at: at,
  }
  const payment_ids = Array.from({ length: count }, () => ids.payment(at))
  await sql`
    with session as (insert into sessions ${rowValues(sql, session)} returning *)
    insert into payments (merchant_id, payment_id, session_id, attempt_id, status, amount, currency, mode, decline,
      amount_verified, created_at)
    select s.merchant_id, p.id, s.session_id, 'att_of_' || p.id, 'declined', s.amount, s.currency, s.mode, '{}',
      s.amount_verified, s.created_at
    from session s, unnest(${payment_ids}::text[]) p (id)`
  return payment_ids
}

export type MadeEvent = QueuedEvent & { body: string }

const types: Record<1 | 2, EventType> = { 1: 'payment.held', 2: 'payment.captured' }

/** An event with more about it in its data, not written yet. */
export function makeEvent(
  { ids }: Pick<Context, 'ids'>,
  of: { merchant_id: string; payment_id: string; sequence: 1 | 2 },
  created_at: Date,
  more: object = {},
): MadeEvent {
  const [type, event_id] = [types[of.sequence], ids.event(created_at)]
  const body = JSON.stringify({
    id: event_id,
    type,
    created: timestamp(created_at),
    api_version,
    merchant_id: of.merchant_id,
    sequence: of.sequence,
    data: { payment_id: of.payment_id, ...more },
  })
  return { ...of, event_id, type, created_at, body }
}

/** Writes an event and its deliveries, all or nothing. */
export async function commitEvent(sql: Sql, event: MadeEvent): Promise<void> {
  await sql`
    with gate as (select 1), event as (insert into events ${rowIf(sql, event, 'gate')}
    ), told as (${fanOut(sql, { event, mode: 'test' })})
    select 1 from gate`
}
