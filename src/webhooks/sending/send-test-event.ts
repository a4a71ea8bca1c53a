// Posts a test event to one endpoint and waits for the answer. It is signed and sent like any delivery. But it is not
// stored and is tried once, because a person waits for the answer, and no event of a payment must look like a test.

import type { Context } from '../../context.ts'
import { api_version, timestamp } from '../../kernel/values.ts'
import { type EndpointKey, endpointNotFound } from '../endpoint.ts'
import { findEndpointWithSecrets } from '../endpoints/endpoint-store.ts'
import { type OutgoingWebhook, type PostResult, post } from './deliver.ts'
import { type EndpointSecrets, openSigningSecrets } from './signing-secrets.ts'

/** A type outside all filters, because only a person sends it. */
export const test_event_type = 'endpoint.test'

export type TestResult = Pick<PostResult, 'succeeded' | 'response_status_code' | 'response_body' | 'failure'> & {
  event_id: string
  duration_ms: number
}

/** Throws `endpoint_not_found`. Every other failure is a result. */
export async function sendTestEvent(
  {
    sql,
    ids,
    keyring,
    world,
    webhook_sending,
  }: Pick<Context, 'sql' | 'ids' | 'keyring' | 'webhook_sending'> & {
    world: Pick<Context['world'], 'clock'>
  },
  which: EndpointKey,
): Promise<TestResult> {
  const endpoint = await findEndpointWithSecrets(sql, which)
  if (!endpoint) throw endpointNotFound()
  const { clock } = world
  const began_at = clock.now()
  const event_id = ids.event(began_at)
  const body = JSON.stringify(envelopeOf(endpoint, event_id, began_at))
  const stored = { ...endpoint, payment_id: event_id, sequence: 1, body }
  const [inOtherWords] = endpoint.event_format === 'stripe' ? await webhook_sending.inOtherWords(sql, [stored]) : []
  const sending = { ...webhook_sending, secretsOf: openSigningSecrets(keyring) }
  const { succeeded, response_status_code, response_body, failure } = await post<OutgoingWebhook & EndpointSecrets>(
    sending,
    {
      ...endpoint,
      endpoint_url: endpoint.url,
      // Replaces the payment in the idempotency key: each test has its own.
      payment_id: event_id,
      event_type: test_event_type,
      event_id,
      body,
      ...(inOtherWords && { inOtherWords }),
    },
    began_at,
  )
  const duration_ms = clock.now().getTime() - began_at.getTime()
  return { event_id, succeeded, response_status_code, response_body, failure, duration_ms }
}

function envelopeOf({ merchant_id, endpoint_id }: EndpointKey, event_id: string, at: Date): object {
  return {
    id: event_id,
    type: test_event_type,
    created: timestamp(at),
    api_version,
    merchant_id,
    sequence: 1,
    data: { endpoint_id, mode: 'test' },
  }
}
