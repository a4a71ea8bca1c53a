// `ripper endpoint create|list|delete|rotate-secret`: the addresses to which a merchant's events are sent.

import { readConfig } from '../../config/config.ts'
import { inCell } from '../../database/cells/cells.ts'
import { Refusal } from '../../kernel/errors.ts'
import { eventTypes, extensionEventTypes, timestamp, timestampOrNull } from '../../kernel/values.ts'
import { openEndpointUrlJudge } from '../../outgoing/judge-endpoint-url.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { listAllEndpoints } from '../../webhooks/deliveries/standing-store.ts'
import { endpointNotFound, viewEndpoint } from '../../webhooks/endpoint.ts'
import { registerEndpoint } from '../../webhooks/endpoints/create-endpoint.ts'
import { removeEndpoint } from '../../webhooks/endpoints/delete-endpoint.ts'
import { findEndpointKey, listEndpointRows } from '../../webhooks/endpoints/endpoint-store.ts'
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import {
  type CommandContext,
  choices,
  merchantOf,
  merchantOption,
  text,
  withCommandContext,
} from '../command-context.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { paintState } from '../terminal/paint.ts'
import { print, printJson, printLine, printTable, shortTime } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'

export const networks_variable = 'RIPPER_WEBHOOK_ALLOWED_NETWORKS'

export const endpointCreate: Command = {
  name: 'endpoint create',
  summary: 'Registers an address for events; its signing secret is shown only this once',
  options: {
    url: { value: 'URL', required: true, meaning: 'a publicly reachable https address' },
    event: {
      value: 'TYPE',
      many: true,
      meaning: 'an event of payments to send; all by default',
    },
    'extension-event': {
      value: 'TYPE',
      many: true,
      meaning: `an event of refunds to send, too: ${extensionEventTypes.join(' or ')}; none by default`,
    },
    merchant: merchantOption,
  },
  remarks: [
    `Events: ${eventTypes.join(', ')}.`,
    `To receive on this machine or in a private network, set ${networks_variable}, such as ` +
      '127.0.0.0/8,\nfor the service and for this command. Plain http is allowed there too.',
  ],
  async run({ options, json }) {
    const url = await urlOf(options)
    const event_filter = choices(options, 'event', eventTypes)
    const named = choices(options, 'extension-event', extensionEventTypes)
    const extension_events = named.length === 0 ? null : named
    const endpoint = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, options)
      const now = context.clock.now()
      const asked = { merchant_id, url, event_filter, extension_events, now }
      const { id, ...created } = await registerEndpoint(context, asked, context, () => null)
      return { id, merchant_id, ...created }
    })
    if (json) {
      printJson(endpoint)
      return
    }
    print(
      {
        ...endpoint,
        event_filter: eventsOf(event_filter),
        ...(extension_events && { extension_events: extension_events.join(', ') }),
      },
      json,
    )
    printLine('\nThe signing secret is shown this once. docs/webhooks.md shows how a receiver uses it.')
  },
}

export const endpointList: Command = {
  name: 'endpoint list',
  summary: 'Lists the endpoints of a merchant, oldest first',
  options: { merchant: merchantOption, all: { meaning: 'the deleted ones too' } },
  async run({ options, json }) {
    const { merchant_id, endpoints } = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, options)
      if (options.all !== true) {
        const active = await listEndpointRows(context.sql, merchant_id)
        return { merchant_id, endpoints: active.map(viewEndpoint) }
      }
      const all = await listAllEndpoints(context.sql, merchant_id)
      const endpoints = all.map((endpoint) => ({
        ...viewEndpoint(endpoint),
        disabled_at: timestampOrNull(endpoint.disabled_at),
      }))
      return { merchant_id, endpoints }
    })
    if (json) printJson({ merchant_id, endpoints })
    else if (endpoints.length === 0) {
      printLine(`The merchant ${merchant_id} has no endpoint. ripper endpoint create makes one.`)
    } else {
      const rows = endpoints.map(({ id, status, created_at, url, mode, ...told }) => [
        ...[id, paintState(status), shortTime(created_at), url],
        [eventsOf(told.event_filter), ...(told.extension_events ?? [])].join(', ') + (mode ? ` (${mode} only)` : ''),
      ])
      printTable(['endpoint', 'status', 'created', 'url', 'events'], rows)
    }
  },
}

export const endpointDelete: Command = {
  name: 'endpoint delete',
  summary: 'Deletes an endpoint; its waiting deliveries are given up and cannot be replayed',
  positionals: ['ENDPOINT_ID'],
  options: {},
  async run({ positionals, json }) {
    const [id] = positionals as [string]
    await withCommandContext(async (context) => {
      const endpoint = await findEndpointKey(context.sql, id)
      if (!endpoint) throw endpointNotFound()
      const own = await inCell(context, endpoint.merchant_id)
      await removeEndpoint(own, endpoint, { key: null, writer: context }, context.clock.now())
    })
    print({ id, status: 'disabled' }, json)
  },
}

export const endpointRotateSecret: Command = {
  name: 'endpoint rotate-secret',
  summary: 'Gives an endpoint a new signing secret, shown only this once; the old one signs for 24 hours more',
  positionals: ['ENDPOINT_ID'],
  options: {},
  remarks: [
    'In that time every delivery has two signatures: give the receiver the new secret. If you rotate again within it, the\n' +
      'oldest secret ends at once.',
  ],
  async run({ positionals, json }) {
    const [asked] = positionals as [string]
    const rotated = await withCommandContext((context) => rotateSecret(context, asked, context, context.clock.now()))
    const { endpoint_id: id, signing_secret, previous_secret_until } = rotated
    print({ id, signing_secret, previous_secret_until: timestamp(previous_secret_until) }, json)
    if (json) return
    printLine('\nThe new secret is shown only this once. Until the time above the old one signs, too.')
  },
}

/** `endpoint_id` is null for all endpoints. */
export type EndpointSelection = { merchant_id: string; endpoint_id: string | null }

/** The endpoint with the given id, of any merchant unless one is given; without an id all endpoints of the merchant. */
export async function endpointsOf(
  context: CommandContext,
  options: Options,
  named: string | null,
): Promise<EndpointSelection> {
  if (named === null) {
    return { merchant_id: await merchantOf(context, options), endpoint_id: null }
  }
  const endpoint = await findEndpointKey(context.sql, named)
  const is_anothers = options.merchant !== undefined && options.merchant !== endpoint?.merchant_id
  if (!endpoint || is_anothers) throw endpointNotFound()
  return endpoint
}

async function urlOf(options: Options): Promise<string> {
  const url = text(options, 'url')!
  const { allowed_networks } = readConfig(terminal().environment).webhooks
  const fault = await openEndpointUrlJudge({ clock: realClock(), allowed_networks })(url)
  if (fault === null) return url
  if (fault.code === 'blocked_address') throw unreachable(fault.reason)
  const also_http = /^http:/i.test(url) ? `; plain http only in ${networks_variable}` : ''
  throw new UsageError(`--url ${fault.reason}${also_http}`)
}

function unreachable(reason: string): Refusal {
  return new Refusal(
    'invalid_url',
    `--url ${reason}. Events reach a receiver on this machine by ripper listen --forward-to URL.\n` +
      `To allow the address, list its network in ${networks_variable}, such as 127.0.0.0/8 for this ` +
      'machine. Set it both for the service and for this command.',
    { field: 'url' },
  )
}

function eventsOf(event_filter: readonly string[]): string {
  return event_filter.length === 0 ? 'all' : event_filter.join(', ')
}
