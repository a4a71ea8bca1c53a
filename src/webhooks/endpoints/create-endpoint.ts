// POST /v1/webhooks/endpoints: a merchant registers an address to which events are posted.

import { z } from 'zod'
import type { JournalLine } from '../../audit/journal.ts'
import type { Context } from '../../context.ts'
import { webhookKey } from '../../http/access.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import {
  type EventType,
  type ExtensionEventType,
  eventTypes,
  extensionEventTypes,
  type MerchantId,
  type Mode,
} from '../../kernel/values.ts'
import { accountLine, type LineWriter, writerOf } from '../../merchants/account-lines.ts'
import { writeAs } from '../../merchants/write-as.ts'
import {
  type Endpoint,
  endpointCreated,
  endpoints_max,
  sealSecret,
  validateEndpointUrl,
  validateEventFilter,
  validateExtensionEvents,
  viewEndpoint,
} from '../endpoint.ts'
import { limitTo } from '../rate-limit.ts'
import { insertEndpoint } from './endpoint-store.ts'

// The handler checks the fields: the schema does not know which addresses are private.
const endpointCreate = z
  .strictObject({
    url: z.unknown().optional().meta({
      type: 'string',
      description: 'absolute, https, not a private or local address',
    }),
    event_filter: z
      .array(z.unknown().meta({ enum: [...eventTypes] }), {
        error: 'must be a list of event types',
      })
      .nullish()
      .meta({
        description: 'the events of payments to send; all five if it is left out or empty',
      }),
    extension_events: z
      .array(z.unknown().meta({ enum: [...extensionEventTypes] }), {
        error: 'must be a list of event types',
      })
      .nullish()
      .meta({ description: 'events beyond those of payments; none where it is left out or empty' }),
  })
  .meta({ title: 'WebhookEndpointCreate', note: 'The body that registers a webhook endpoint.', required: ['url'] })

export const createEndpoint = route({
  method: 'POST',
  path: '/v1/webhooks/endpoints',
  tag: 'Webhooks',
  summary: 'Register a webhook endpoint',
  access: webhookKey,
  mode: 'handler',
  dialect: 'webhook_endpoints',
  idempotency: 'optional',
  limit: limitTo('write'),
  body: endpointCreate,
  status: 201,
  reply: endpointCreated,
  refusals: ['invalid_url', 'unknown_event_type'],
  handle: async (context: Context, { body, holder, request_id, only_mode, now, recordReply }) => {
    const request = {
      merchant_id: holder.merchant_id,
      url: await validateEndpointUrl(body.url, context.webhook_urls.judge),
      event_filter: validateEventFilter(body.event_filter),
      extension_events: validateExtensionEvents(body.extension_events),
      mode: only_mode,
      now,
    }
    const writer = writerOf(context, { holder, request_id })
    return registerEndpoint(context, request, writer, recordReply)
  },
})

export type EndpointRequest = {
  merchant_id: MerchantId
  url: string
  event_filter: EventType[]
  extension_events?: ExtensionEventType[] | null
  /** The mode of the events that it gets; left out or null for both. */
  mode?: Mode | null
  now: Date
}

/**
 * Stores an endpoint whose fields were checked. `recordReply` gives the idempotency key's row, if there is a key.
 * Throws `invalid_request` if the merchant has the maximum of endpoints, or KeyTakenError.
 */
export async function registerEndpoint(
  context: Pick<Context, 'sql' | 'ids' | 'keyring'>,
  request: EndpointRequest,
  writer: LineWriter,
  recordReply: (reply: unknown) => KeyRow | null,
): Promise<z.input<typeof endpointCreated>> {
  const { signing_secret, ...creation } = newEndpoint(context, request, writer)
  const reply = { ...viewEndpoint(creation.endpoint), signing_secret }
  const key = recordReply(reply)
  if (await writeAs(context.sql, writer, (tx) => insertEndpoint(tx, creation, key))) return reply
  throw new Refusal(
    'invalid_request',
    `An account has at most ${endpoints_max} active webhook endpoints. Delete one first.`,
    { fault: 'endpoints_full', bound: endpoints_max },
  )
}

/** A new endpoint with its line, both not stored yet, and its secret, which is readable only now. */
export function newEndpoint(
  { ids, keyring }: Pick<Context, 'ids' | 'keyring'>,
  request: EndpointRequest,
  writer: LineWriter,
): { endpoint: Endpoint; line: JournalLine; signing_secret: string } {
  const { now, extension_events = null, mode = null, ...fields } = request
  const endpoint_id = ids.endpoint()
  const signing_secret = ids.webhookSecret()
  const sealed_secret = sealSecret(keyring, { ...fields, endpoint_id }, signing_secret)
  const { merchant_id, url, event_filter } = fields
  // The path and the query of an address may hold a secret of the receiver.
  const detail = { origin: new URL(url).origin, event_filter, extension_events, ...(mode && { mode }) }
  const change = { change: 'endpoint.created', detail, at: now }
  return {
    endpoint: { ...fields, extension_events, mode, endpoint_id, status: 'active', sealed_secret, created_at: now },
    line: accountLine(writer, { merchant_id, subject: endpoint_id, ...change }),
    signing_secret,
  }
}
