// `ripper endpoint create|list|delete|rotate-secret|test`: the addresses to which a merchant's events are sent.

import { z } from 'zod'
import { readConfig } from '../config/config.ts'
import { inCell } from '../database/cells/cells.ts'
import { Refusal } from '../kernel/errors.ts'
import {
  compatible_version_words,
  compatibleEventTypes,
  compatibleVersionForm,
  eventFormats,
  eventTypes,
  extensionEventTypes,
} from '../kernel/values.ts'
import { openEndpointUrlJudge } from '../outgoing/judge-endpoint-url.ts'
import { realClock } from '../outgoing/real-world.ts'
import { openWebhookSending } from '../service/webhooks.ts'
import { listAllEndpoints } from '../webhooks/deliveries/standing-store.ts'
import { type EndpointKey, endpointNotFound, viewEndpoint } from '../webhooks/endpoint.ts'
import { registerEndpoint, wantedEvents } from '../webhooks/endpoints/create-endpoint.ts'
import { removeEndpoint } from '../webhooks/endpoints/delete-endpoint.ts'
import { findEndpointKey, listEndpointRows } from '../webhooks/endpoints/endpoint-store.ts'
import { rotateSecret } from '../webhooks/endpoints/rotate-secret.ts'
import { sendTestEvent, test_event_type } from '../webhooks/sending/send-test-event.ts'
import { type CommandContext, merchantOf, merchantOption, withCommandContext } from './command-context.ts'
import { UsageError } from './terminal/command.ts'
import { command, flag, needed, option, withDefault } from './terminal/option.ts'
import { hasNo, paintState, print, printJson, printLine, printList, shortTime } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const networks_variable = 'RIPPER_WEBHOOK_ALLOWED_NETWORKS'

export const endpointCreate = command({
  name: 'endpoint create',
  summary: 'Registers an address for events; its signing secret is shown only this once',
  options: {
    url: needed(option('URL', 'a publicly reachable https address')),
    event: withDefault(
      option(
        'TYPE',
        'an event to send, in the words of its format; all of payments by default',
        z.enum([...eventTypes, ...compatibleEventTypes]).array(),
      ),
      [],
    ),
    'extension-event': option(
      'TYPE',
      `an event of refunds to send, too: ${extensionEventTypes.join(' or ')}; none by default`,
      z.enum(extensionEventTypes).array(),
    ),
    format: withDefault(
      option('FORMAT', "in whose words: ripper, or stripe for that platform's libraries", z.enum(eventFormats)),
      'ripper',
    ),
    'api-version': option(
      'VERSION',
      "what events in stripe's words carry: some of its libraries take their own alone",
      z.string().regex(compatibleVersionForm, `must ${compatible_version_words}`),
    ),
    'standard-webhooks': flag('also send the headers of Standard Webhooks'),
    merchant: merchantOption,
  },
  remarks: [
    `Events: ${eventTypes.join(', ')}.\nWith --format stripe: ${compatibleEventTypes.join(', ')}.`,
    `To receive on this machine or in a private network, set ${networks_variable}, such as ` +
      '127.0.0.0/8,\nfor the service and for this command. Plain http is allowed there too.',
  ],
  async run({ options, json }) {
    const { url, merchant } = options
    const wanted = wantedEvents({
      event_format: options.format,
      api_version: options['api-version'],
      event_filter: options.event,
      extension_events: options['extension-event'],
    })
    await judgeUrl(url)
    const endpoint = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, merchant, json)
      const standard_webhooks = options['standard-webhooks']
      const wish = { merchant_id, url, ...wanted, standard_webhooks, now: context.clock.now() }
      const { id, ...created } = await registerEndpoint(context, wish, context, () => null)
      return { id, merchant_id, ...created }
    })
    if (json) printJson(endpoint)
    else {
      const { event_filter, extension_events } = wanted
      const events = { event_filter: eventWords(event_filter), ...(extension_events && { extension_events }) }
      print({ ...endpoint, ...events }, json)
      printLine('\nThe signing secret is shown this once. docs/webhooks.md shows how a receiver uses it.')
    }
  },
})

export const endpointList = command({
  name: 'endpoint list',
  summary: 'Lists the endpoints of a merchant, oldest first',
  options: { merchant: merchantOption, all: flag('the deleted ones too') },
  async run({ options: { merchant, all }, json }) {
    const { merchant_id, endpoints } = await withCommandContext(async (context) => {
      const merchant_id = await merchantOf(context, merchant, json)
      const endpoints = all
        ? (await listAllEndpoints(context.sql, merchant_id)).map((endpoint) => {
            return { ...viewEndpoint(endpoint), disabled_at: endpoint.disabled_at }
          })
        : (await listEndpointRows(context.sql, merchant_id)).map(viewEndpoint)
      return { merchant_id, endpoints }
    })
    if (json) printJson({ merchant_id, endpoints })
    else {
      printList(endpoints, {
        headings: ['endpoint', 'status', 'created', 'url', 'events'],
        cells: ({ id, status, created_at, url, mode, event_filter, extension_events, event_format }) => [
          ...[id, paintState(status), shortTime(created_at), url],
          [eventWords(event_filter), ...(extension_events ?? [])].join(', ') +
            (event_format === 'stripe' ? ' (stripe format)' : '') +
            (mode ? ` (${mode} only)` : ''),
        ],
        nothing: noEndpoint(merchant_id),
      })
    }
  },
})

export const noEndpoint = (merchant_id: string) =>
  `${hasNo('endpoint', merchant_id)}. ripper endpoint create makes one.`

export const endpointDelete = command({
  name: 'endpoint delete',
  summary: 'Deletes an endpoint; its waiting deliveries are given up and cannot be replayed',
  positionals: ['ENDPOINT_ID'],
  options: {},
  async run({ positionals, json }) {
    const [id] = positionals as [string]
    await withCommandContext(async (context) => {
      const endpoint = await endpointOf(context, id)
      const own = await inCell(context, endpoint.merchant_id)
      await removeEndpoint(own, endpoint, { key: null, writer: context }, context.clock.now())
    })
    print({ id, status: 'disabled' }, json)
  },
})

export const endpointRotateSecret = command({
  name: 'endpoint rotate-secret',
  summary: 'Gives an endpoint a new signing secret, shown only this once; the old one signs for 24 hours more',
  positionals: ['ENDPOINT_ID'],
  options: {},
  remarks: [
    'In that time every delivery has two signatures: give the receiver the new secret. If you rotate again within it, the\n' +
      'oldest secret ends at once.',
  ],
  async run({ positionals, json }) {
    const rotation = await withCommandContext((context) =>
      rotateSecret(context, positionals[0]!, context, context.clock.now()),
    )
    const { endpoint_id: id, ...rotated } = rotation
    print({ id, ...rotated }, json)
    if (!json) printLine('\nThe new secret is shown only this once. Until the time above the old one signs, too.')
  },
})

export const endpointTest = command({
  name: 'endpoint test',
  summary: 'Posts a test event to an endpoint, once, and shows the answer',
  positionals: ['ENDPOINT_ID'],
  options: {},
  remarks: [
    `The event has the type ${test_event_type}. It is signed like every other and stored nowhere: no list has it.`,
    'This machine sends it, not the service. The exit status is 1 if the answer was not 2xx.',
  ],
  async run({ positionals, json }) {
    const result = await withCommandContext((context) => sendFrom(context, positionals[0]!))
    print(result, json)
    if (!json && result.failure?.startsWith('blocked_address')) {
      printLine(
        `\nThe address lies in no network that this command may post to: list it in ${networks_variable}, such as ` +
          '127.0.0.0/8 for\nthis machine. Set it both for the service and for this command.',
      )
    }
    return result.succeeded ? 0 : 1
  },
})

async function sendFrom(context: CommandContext, endpoint_id: string) {
  const endpoint = await endpointOf(context, endpoint_id)
  const sending = openWebhookSending(readConfig(terminal().environment), context.clock)
  try {
    const own = await inCell(context, endpoint.merchant_id)
    return await sendTestEvent({ ...own, webhook_sending: sending }, endpoint)
  } finally {
    await sending.http.close()
  }
}

/** The endpoint with this id, of any merchant unless one is given. Throws `endpoint_not_found`. */
async function endpointOf({ sql }: CommandContext, endpoint_id: string, merchant?: string): Promise<EndpointKey> {
  const endpoint = await findEndpointKey(sql, endpoint_id)
  if (!endpoint || ![undefined, endpoint.merchant_id].includes(merchant)) throw endpointNotFound()
  return endpoint
}

/** `endpoint_id` is null for all endpoints. */
export type EndpointSelection = { merchant_id: string; endpoint_id: string | null }

/** One endpoint, or without an id all of the merchant. */
export async function endpointsOf(
  context: CommandContext,
  { endpoint, merchant, json }: { endpoint: string | undefined; merchant: string | undefined; json: boolean },
): Promise<EndpointSelection> {
  if (endpoint !== undefined) return endpointOf(context, endpoint, merchant)
  return { merchant_id: await merchantOf(context, merchant, json), endpoint_id: null }
}

async function judgeUrl(url: string): Promise<void> {
  const { allowed_networks } = readConfig(terminal().environment).webhooks
  const fault = await openEndpointUrlJudge({ clock: realClock(), allowed_networks })(url)
  if (fault === null) return
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

function eventWords(event_filter: readonly string[]): string {
  return event_filter.length === 0 ? 'all' : event_filter.join(', ')
}
