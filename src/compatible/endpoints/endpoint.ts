// A webhook endpoint in the other platform's words. Its members are all those of that platform's API description 2026-08-26.

import { z } from 'zod'
import type { CompatibleEventType } from '../../kernel/values.ts'
import { anyMetadata } from '../../payments/fields.ts'
import type { EndpointRow } from '../../webhooks/endpoints/endpoint-store.ts'
import { unixSeconds } from '../members.ts'

export const webhookEndpoint = z
  .object({
    id: z.string(),
    object: z.literal('webhook_endpoint'),
    api_version: z.string().nullable(),
    application: z.null(),
    created: z.int().meta({ description: 'Unix seconds' }),
    description: z.string().nullable(),
    enabled_events: z.array(z.string()).meta({ description: '* for all' }),
    livemode: z.boolean().meta({ description: 'the mode of the events that it is told of' }),
    metadata: anyMetadata,
    status: z.enum(['enabled', 'disabled']),
    url: z.string(),
  })
  .meta({ title: 'CompatibleWebhookEndpoint', note: 'A webhook endpoint in the other platform’s words.' })

export const webhookEndpointCreated = webhookEndpoint.extend({ secret: z.string() }).meta({
  title: 'CompatibleWebhookEndpointCreated',
  note: 'A new webhook endpoint in the other platform’s words. Only here it has its secret.',
})

/** An endpoint that is told in the other platform's words. One without a mode of its own is shown in that of its merchant. */
export type CompatibleEndpoint = Pick<
  EndpointRow,
  'endpoint_id' | 'url' | 'event_filter' | 'compatible_version' | 'description' | 'metadata' | 'status' | 'created_at'
> & { livemode: boolean }

export function viewCompatibleEndpoint(endpoint: CompatibleEndpoint): z.infer<typeof webhookEndpoint> {
  const { event_filter, status } = endpoint
  return {
    id: endpoint.endpoint_id,
    object: 'webhook_endpoint',
    api_version: endpoint.compatible_version,
    application: null,
    created: unixSeconds(endpoint.created_at),
    description: endpoint.description,
    enabled_events: event_filter.length === 0 ? ['*'] : (event_filter as CompatibleEventType[]),
    livemode: endpoint.livemode,
    metadata: endpoint.metadata,
    status: status === 'active' ? 'enabled' : 'disabled',
    url: endpoint.url,
  }
}
