// /v1/webhook_endpoints: endpoints that are told of events in the other platform's words, as its libraries make and change them.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { bearerKey, type SecretKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { validate } from '../../http/validate.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/values.ts'
import { accountLine, writerOf } from '../../merchants/account-lines.ts'
import { beginAs } from '../../merchants/write-as.ts'
import { metadata } from '../../payments/fields.ts'
import {
  type Endpoint,
  type EndpointKey,
  validateCompatibleFilter,
  validateEndpointUrl,
} from '../../webhooks/endpoint.ts'
import { registerAs } from '../../webhooks/endpoints/create-endpoint.ts'
import { removeEndpoint } from '../../webhooks/endpoints/delete-endpoint.ts'
import { wakeDeliveries } from '../../webhooks/endpoints/endpoint-store.ts'
import { limitTo } from '../../webhooks/rate-limit.ts'
import type { Address } from '../addresses.ts'
import { explain } from '../faults.ts'
import { listMembers, listView, noEdge, pageOf, pageRequestOf, queryOf, viewList } from '../lists.ts'
import { viewCompatibleEndpoint, webhookEndpoint, webhookEndpointCreated } from './endpoint.ts'
import { endpointForm, webhookEndpointCreate, webhookEndpointUpdate } from './endpoint-body.ts'
import {
  changeEndpoint,
  type EndpointChange,
  findCompatibleEndpoint,
  type ListedEndpoint,
  listCompatibleEndpoints,
  modeOfCompatibleEndpoint,
} from './endpoint-store.ts'

const url = '/v1/webhook_endpoints'
const access = bearerKey('manage_webhooks')
const shared = { tag: 'Compatible', access, dialect: 'compatible' as const, explain, status: 200 }
const nothing = z.strictObject({})
/** Of the routes of one endpoint. */
const one = {
  mode: { of: modeOfCompatibleEndpoint, unknown: noEndpoint },
  unknownId: noEndpoint,
}

function at({ path, alias_of }: Address): Address {
  const id = '{webhook_endpoint_id}'
  return { path: `${path}/${id}`, ...(alias_of && { alias_of: `${alias_of}/${id}` }) }
}

export const createEndpointAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    method: 'POST',
    ...address,
    summary: 'Register a compatible webhook endpoint',
    mode: 'handler',
    idempotency: 'compatible',
    limit: limitTo('write'),
    query: nothing,
    body: webhookEndpointCreate,
    form: endpointForm,
    reply: webhookEndpointCreated,
    refusals: ['invalid_url', 'unknown_event_type', 'metadata_too_large'],
    handle: async (context: Context, { body, holder, request_id, only_mode, now, recordReply }) => {
      const mode = only_mode ?? (await modeOfMerchant(context, holder))
      const request = {
        merchant_id: holder.merchant_id,
        url: await validateEndpointUrl(body.url, context.webhook_urls.judge),
        event_format: 'stripe' as const,
        event_filter: filterOf(body.enabled_events),
        compatible_version: body.api_version ?? null,
        description: body.description ?? null,
        metadata: mergedMetadata({}, body.metadata),
        mode,
        now,
      }
      const view = (endpoint: Endpoint, secret: string) => {
        return { ...viewCompatibleEndpoint({ ...endpoint, livemode: mode === 'live' }), secret }
      }
      return registerAs(view, context, request, { writer: writerOf(context, { holder, request_id }), recordReply })
    },
  })

/** A key of both modes makes an endpoint of its merchant's own: one is told of one mode alone. */
async function modeOfMerchant({ directory }: Context, { merchant_id }: SecretKey): Promise<Mode> {
  const account = await directory.account(merchant_id)
  return account?.merchant.live ? 'live' : 'test'
}

function filterOf(entries: unknown[]): Endpoint['event_filter'] {
  const types = validateCompatibleFilter(
    entries.filter((entry) => entry !== '*'),
    'enabled_events',
  )
  return entries.includes('*') ? [] : types
}

export const readEndpointAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...one,
    method: 'GET',
    ...at(address),
    summary: 'Read a compatible webhook endpoint',
    limit: limitTo('read'),
    query: nothing,
    reply: webhookEndpoint,
    refusals: ['resource_not_found'],
    handle: async ({ sql }: Context, { holder: { merchant_id }, params }) => {
      const endpoint = await findCompatibleEndpoint(sql, { merchant_id, endpoint_id: params.webhook_endpoint_id! })
      if (!endpoint) throw noEndpoint()
      return viewCompatibleEndpoint(endpoint)
    },
  })

export const listEndpointsAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    method: 'GET',
    ...address,
    summary: 'List compatible webhook endpoints',
    mode: 'handler',
    limit: limitTo('read'),
    query: queryOf({
      limit: listMembers.limit,
      starting_after: listMembers.starting_after,
      ending_before: listMembers.ending_before,
    }),
    reply: listView(webhookEndpoint, url).meta({
      title: 'CompatibleWebhookEndpointList',
      note: 'A page of webhook endpoints, newest first: those that are told in the other platform’s words.',
    }),
    refusals: ['resource_not_found'],
    handle: async ({ sql }: Context, { holder: { merchant_id }, query, only_mode: mode }) => {
      const request = pageRequestOf(query)
      const all = await listCompatibleEndpoints(sql, { merchant_id, mode })
      const ordered = request.direction === 'older' ? all : all.toReversed()
      const edge_at = ordered.findIndex(({ endpoint_id }) => endpoint_id === request.edge)
      if (request.edge !== null && edge_at < 0) throw noEdge(request, 'webhook endpoint')
      const { rows, has_more } = pageOf(
        { rows: ordered.slice(edge_at + 1), ended_at: null },
        request,
        'webhook endpoint',
      )
      return viewList(url, rows.map(viewCompatibleEndpoint), has_more)
    },
  })

export const updateEndpointAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...one,
    method: 'POST',
    ...at(address),
    summary: 'Change a compatible webhook endpoint',
    idempotency: 'compatible',
    limit: limitTo('write'),
    query: nothing,
    body: webhookEndpointUpdate,
    body_optional: true,
    form: endpointForm,
    reply: webhookEndpoint,
    refusals: ['resource_not_found', 'invalid_url', 'unknown_event_type', 'metadata_too_large'],
    handle: async (context: Context, { body, holder, params, request_id, now, recordReply }) => {
      const which = { merchant_id: holder.merchant_id, endpoint_id: params.webhook_endpoint_id! }
      const wish = {
        ...body,
        url: body.url === undefined ? undefined : await validateEndpointUrl(body.url, context.webhook_urls.judge),
        event_filter: body.enabled_events && filterOf(body.enabled_events),
      }
      const writer = writerOf(context, { holder, request_id })
      return beginAs(context.sql, writer, async (tx) => {
        const before = await findCompatibleEndpoint(tx, which, 'for update')
        if (!before) throw noEndpoint()
        const change = changeOf(before, wish)
        const after = { ...before, ...change }
        const view = viewCompatibleEndpoint(after)
        const disabled_at = after.status === 'disabled' ? now : null
        const line = accountLine(writer, {
          ...{ merchant_id: which.merchant_id, subject: which.endpoint_id, change: 'endpoint.changed', at: now },
          detail: detailOf(before, after),
        })
        await changeEndpoint(tx, which, { ...change, disabled_at }, { key: recordReply(view), line })
        if (before.may_return && after.status === 'active') await wakeDeliveries(tx, which, now)
        return view
      })
    },
  })

type EndpointWish = Omit<z.output<typeof webhookEndpointUpdate>, 'enabled_events' | 'url'> & {
  url: string | undefined
  event_filter: Endpoint['event_filter'] | undefined
}

/** What is not named stays. */
function changeOf(before: ListedEndpoint, wish: EndpointWish): EndpointChange {
  const { url = before.url, event_filter = before.event_filter, description = before.description, disabled } = wish
  const is_disabled = disabled ?? before.status === 'disabled'
  return {
    url,
    event_filter,
    description,
    metadata: mergedMetadata(before.metadata, wish.metadata),
    status: is_disabled ? 'disabled' : 'active',
    may_return: is_disabled,
  }
}

const withMetadata = z.object({ metadata })

/** An empty value takes its key away, and null takes all. Throws `metadata_too_large` where both together are too much. */
function mergedMetadata(
  before: Endpoint['metadata'],
  wish: Endpoint['metadata'] | null | undefined,
): Endpoint['metadata'] {
  if (wish === null) return {}
  const merged = Object.fromEntries(Object.entries({ ...before, ...wish }).filter(([, value]) => value !== ''))
  return validate(withMetadata, { metadata: merged }, explain).metadata
}

/** The new values of what the events depend on, and the names of what else changed. */
function detailOf(before: ListedEndpoint, after: ListedEndpoint): object {
  const isOther = (name: keyof ListedEndpoint) => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const others = (['description', 'metadata'] as const).filter(isOther)
  return {
    ...(isOther('url') && { origin: new URL(after.url).origin }),
    ...(isOther('event_filter') && { event_filter: after.event_filter }),
    ...(isOther('status') && { status: after.status }),
    ...(others.length > 0 && { changed: others }),
  }
}

const deletedEndpoint = z
  .object({ id: z.string(), object: z.literal('webhook_endpoint'), deleted: z.literal(true) })
  .meta({ title: 'DeletedWebhookEndpoint', note: 'A webhook endpoint that is told of nothing any more.' })

export const deleteEndpointAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...one,
    method: 'DELETE',
    ...at(address),
    summary: 'Delete a compatible webhook endpoint',
    limit: limitTo('write'),
    query: nothing,
    reply: deletedEndpoint,
    refusals: ['resource_not_found'],
    handle: async (context: Context, { holder, params, request_id, now }) => {
      const which: EndpointKey = { merchant_id: holder.merchant_id, endpoint_id: params.webhook_endpoint_id! }
      if (!(await findCompatibleEndpoint(context.sql, which))) throw noEndpoint()
      const writer = writerOf(context, { holder, request_id })
      await removeEndpoint(context, which, { key: null, writer }, now).catch((error: unknown) => {
        const is_gone = error instanceof Refusal && error.code === 'endpoint_not_found'
        throw is_gone ? noEndpoint() : error
      })
      return { id: which.endpoint_id, object: 'webhook_endpoint' as const, deleted: true as const }
    },
  })

function noEndpoint(): Refusal {
  return new Refusal('resource_not_found', 'There is no webhook endpoint with this id.', { field: 'webhook_endpoint' })
}
