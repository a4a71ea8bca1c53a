// POST /v1/webhooks/endpoints: a merchant registers an address to which events are posted.

import { z } from 'zod'
import type { JournalLine } from '../../audit/journal.ts'
import type { Context } from '../../context.ts'
import { webhookKey } from '../../http/access.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import {
  compatible_version,
  compatible_version_words,
  compatibleEventTypes,
  compatibleVersionForm,
  type ExtensionEventType,
  eventFormats,
  eventTypes,
  extensionEventTypes,
  type Mode,
} from '../../kernel/values.ts'
import { accountLine, type LineWriter, writerOf } from '../../merchants/account-lines.ts'
import { writeAs } from '../../merchants/write-as.ts'
import {
  type Endpoint,
  endpointCreated,
  endpoints_max,
  sealSecret,
  secretIn,
  validateCompatibleFilter,
  validateEndpointUrl,
  validateEventFilter,
  validateExtensionEvents,
  viewEndpoint,
  viewSecrets,
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
      .array(z.unknown().meta({ anyOf: [{ enum: [...eventTypes] }, { enum: [...compatibleEventTypes] }] }), {
        error: 'must be a list of event types',
      })
      .nullish()
      .meta({
        description:
          'the events of payments to send, in the words of its format; all of them if it is left out or empty',
      }),
    event_format: z
      .enum(eventFormats, { error: `must be ${eventFormats.join(' or ')}` })
      .nullish()
      .meta({ description: 'in whose words it is told; ripper by default' }),
    api_version: z
      .string({ error: 'must be text' })
      .regex(compatibleVersionForm, { error: `must ${compatible_version_words}` })
      .nullish()
      .meta({
        description:
          'what its events carry; only with event_format stripe. Some libraries take no other than their own',
      }),
    standard_webhooks: z
      .boolean({ error: 'must be true or false' })
      .nullish()
      .meta({ description: 'whether deliveries also have the headers of Standard Webhooks' }),
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
      ...wantedEvents(body),
      standard_webhooks: body.standard_webhooks ?? false,
      mode: only_mode,
      now,
    }
    const writer = writerOf(context, { holder, request_id })
    return registerEndpoint(context, request, writer, recordReply)
  },
})

/** What an endpoint is told of, and in whose words. Throws `unknown_event_type` or `invalid_request`. */
export function wantedEvents(
  body: Partial<
    Pick<z.output<typeof endpointCreate>, 'event_format' | 'api_version' | 'event_filter' | 'extension_events'>
  >,
): Pick<EndpointRequest, 'event_format' | 'compatible_version' | 'event_filter' | 'extension_events'> {
  const { event_format, event_filter, api_version = null } = body
  if (event_format !== 'stripe') {
    if (api_version !== null) {
      const words = 'api_version needs event_format stripe: events in our own words have none.'
      throw new Refusal('invalid_request', words, { field: 'api_version' })
    }
    const extension_events = validateExtensionEvents(body.extension_events)
    return { event_filter: validateEventFilter(event_filter), extension_events }
  }
  if (body.extension_events) {
    const words = 'extension_events is not taken with event_format stripe: name those events in event_filter.'
    throw new Refusal('invalid_request', words, { field: 'extension_events' })
  }
  return { event_format, compatible_version: api_version, event_filter: validateCompatibleFilter(event_filter) }
}

export type EndpointRequest = Pick<Endpoint, 'merchant_id' | 'url' | 'event_filter'> &
  Partial<Pick<Endpoint, 'event_format' | 'compatible_version' | 'description' | 'metadata' | 'standard_webhooks'>> & {
    extension_events?: ExtensionEventType[] | null
    /** The mode of the events that it gets; left out or null for both. */
    mode?: Mode | null
    now: Date
  }

/** The answer to a create, in our own words. */
function viewCreated(endpoint: Endpoint, signing_secret: string): z.input<typeof endpointCreated> {
  return { ...viewEndpoint(endpoint), ...viewSecrets(endpoint, signing_secret) }
}

/**
 * Stores an endpoint whose fields were checked. `recordReply` gives the idempotency key's row, if there is a key.
 * Throws `invalid_request` if the merchant has the maximum of endpoints, or KeyTakenError.
 */
export function registerEndpoint(
  context: Pick<Context, 'sql' | 'ids' | 'keyring'>,
  request: EndpointRequest,
  writer: LineWriter,
  recordReply: (reply: unknown) => KeyRow | null,
): Promise<z.input<typeof endpointCreated>> {
  return registerAs(viewCreated, context, request, { writer, recordReply })
}

/** The same with another answer. */
export async function registerAs<Reply>(
  view: (endpoint: Endpoint, signing_secret: string) => Reply,
  context: Pick<Context, 'sql' | 'ids' | 'keyring'>,
  request: EndpointRequest,
  { writer, recordReply }: { writer: LineWriter; recordReply: (reply: unknown) => KeyRow | null },
): Promise<Reply> {
  const { signing_secret, ...creation } = newEndpoint(context, request, writer)
  const reply = view(creation.endpoint, signing_secret)
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
  const { merchant_id, url, event_filter, event_format = 'ripper', extension_events = null, mode = null, now } = request
  const endpoint_id = ids.endpoint()
  const signing_secret = secretIn(event_format, ids.webhookSecret())
  const { standard_webhooks = false } = request
  const endpoint: Endpoint = {
    ...{ merchant_id, endpoint_id, url, event_format, event_filter, extension_events, mode, standard_webhooks },
    compatible_version: event_format === 'stripe' ? (request.compatible_version ?? compatible_version) : null,
    description: request.description ?? null,
    metadata: request.metadata ?? {},
    status: 'active',
    may_return: false,
    sealed_secret: sealSecret(keyring, { merchant_id, endpoint_id }, signing_secret),
    created_at: now,
  }
  const detail = {
    // The path and the query of an address may hold a secret of the receiver.
    ...{ origin: new URL(url).origin, event_filter, extension_events },
    ...(mode && { mode }),
    ...(event_format !== 'ripper' && { event_format }),
    ...(standard_webhooks && { standard_webhooks }),
  }
  const line = accountLine(writer, { merchant_id, subject: endpoint_id, change: 'endpoint.created', detail, at: now })
  return { endpoint, line, signing_secret }
}
