// `ripper endpoint create|list|delete|rotate-secret`: the addresses to which a merchant's events are sent.

import { readConfig } from '../../config/config.ts'
import { Refusal } from '../../kernel/errors.ts'
import { eventTypes, timestamp, timestampOrNull } from '../../kernel/values.ts'
import { openEndpointUrlJudge } from '../../outgoing/judge-endpoint-url.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { listAllEndpoints } from '../../webhooks/deliveries/standing-store.ts'
import { endpointNotFound, viewEndpoint } from '../../webhooks/endpoint.ts'
import { registerEndpoint } from '../../webhooks/endpoints/create-endpoint.ts'
import { removeEndpoint } from '../../webhooks/endpoints/delete-endpoint.ts'
import { findEndpointKey, listEndpoints } from '../../webhooks/endpoints/endpoint-store.ts'
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import {
  type CommandOffice,
  choices,
  merchantOf,
  merchantOption,
  text,
  withOffice,
} from '../office.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { paintState } from '../terminal/paint.ts'
import { print, printJson, printTable, shortTime, tell } from '../terminal/print.ts'

const networks_variable = 'RIPPER_WEBHOOK_ALLOWED_NETWORKS'

export const endpointCreate: Command = {
  name: 'endpoint create',
  summary: 'Registers an address for events; its signing secret is shown only this once',
  options: {
    url: { value: 'URL', required: true, meaning: 'a publicly reachable https address' },
    event: {
      value: 'TYPE',
      many: true,
      meaning: 'an event to send; all by default',
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
    const endpoint = await withOffice(async (office) => {
      const merchant_id = await merchantOf(office, options)
      const asked = { merchant_id, url, event_filter, now: office.clock.now() }
      const { id, ...created } = await registerEndpoint(office, asked, () => null)
      return { id, merchant_id, ...created }
    })
    if (json) {
      printJson(endpoint)
      return
    }
    print({ ...endpoint, event_filter: eventsOf(event_filter) }, json)
    tell('\nThe signing secret is shown this once. docs/webhooks.md shows how a receiver uses it.')
  },
}

export const endpointList: Command = {
  name: 'endpoint list',
  summary: 'Lists the endpoints of a merchant, oldest first',
  options: { merchant: merchantOption, all: { meaning: 'the deleted ones too' } },
  async run({ options, json }) {
    const { merchant_id, endpoints } = await withOffice(async (office) => {
      const merchant_id = await merchantOf(office, options)
      if (options.all !== true) {
        const active = await listEndpoints(office.sql, merchant_id)
        return { merchant_id, endpoints: active.map(viewEndpoint) }
      }
      const all = await listAllEndpoints(office.sql, merchant_id)
      const endpoints = all.map((endpoint) => ({
        ...viewEndpoint(endpoint),
        disabled_at: timestampOrNull(endpoint.disabled_at),
      }))
      return { merchant_id, endpoints }
    })
    if (json) printJson({ merchant_id, endpoints })
    else if (endpoints.length === 0) {
      tell(`The merchant ${merchant_id} has no endpoint. ripper endpoint create makes one.`)
    } else {
      const rows = endpoints.map(({ id, status, created_at, event_filter, url }) => [
        ...[id, paintState(status), shortTime(created_at), url, eventsOf(event_filter)],
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
    await withOffice(async (office) => {
      const endpoint = await findEndpointKey(office.sql, id)
      if (!endpoint) throw endpointNotFound()
      await removeEndpoint(office, endpoint, null, office.clock.now())
    })
    print({ id, status: 'disabled' }, json)
  },
}

export const endpointRotateSecret: Command = {
  name: 'endpoint rotate-secret',
  summary:
    'Gives an endpoint a new signing secret, shown only this once; the old one signs for 24 hours more',
  positionals: ['ENDPOINT_ID'],
  options: {},
  remarks: [
    'In that time every delivery has two signatures: give the receiver the new secret. If you rotate again within it, the\n' +
      'oldest secret ends at once.',
  ],
  async run({ positionals, json }) {
    const [asked] = positionals as [string]
    const rotated = await withOffice((office) => rotateSecret(office, asked, office.clock.now()))
    const { endpoint_id: id, signing_secret, previous_secret_until } = rotated
    print({ id, signing_secret, previous_secret_until: timestamp(previous_secret_until) }, json)
    if (json) return
    tell('\nThe new secret is shown only this once. Until the time above the old one signs, too.')
  },
}

/** `endpoint_id` is null for all endpoints. */
export type WhichEndpoints = { merchant_id: string; endpoint_id: string | null }

/** The endpoint with the given id, of any merchant unless one is given; without an id all endpoints of the merchant. */
export async function endpointsOf(
  office: CommandOffice,
  options: Options,
  named: string | null,
): Promise<WhichEndpoints> {
  if (named === null) {
    return { merchant_id: await merchantOf(office, options), endpoint_id: null }
  }
  const endpoint = await findEndpointKey(office.sql, named)
  const isAnothers = options.merchant !== undefined && options.merchant !== endpoint?.merchant_id
  if (!endpoint || isAnothers) throw endpointNotFound()
  return endpoint
}

async function urlOf(options: Options): Promise<string> {
  const url = text(options, 'url')!
  const { allowed_networks } = readConfig().webhooks
  const fault = await openEndpointUrlJudge({ clock: realClock(), allowed_networks })(url)
  if (fault === null) return url
  if (fault.code === 'blocked_address') throw unreachable(fault.reason)
  const alsoHttp = /^http:/i.test(url) ? `; plain http only in ${networks_variable}` : ''
  throw new UsageError(`--url ${fault.reason}${alsoHttp}`)
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
