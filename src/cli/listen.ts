// `ripper listen`: receives a merchant's events from the running service and posts them, signed, to a local server.

import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { anyEventTypes, compatibleEventTypes, type EventFormat, eventFormats } from '../kernel/values.ts'
import type { Clock } from '../kernel/world.ts'
import { openGuardedHttp } from '../outgoing/guarded-http.ts'
import { openListener, realClock } from '../outgoing/real-world.ts'
import { checkUrl, openAddressRule } from '../outgoing/safe-address.ts'
import { type PostResult, post, type SendOptions } from '../webhooks/sending/deliver.ts'
import type { StreamedEvent } from '../webhooks/stream/streamed-event.ts'
import { cursor_overlap_ms, readCursor } from '../webhooks/stream/trail.ts'
import { type Connection, connectionOf, connectionOptions, merchantWords } from './service/connection.ts'
import { listen } from './service/stream.ts'
import { UsageError } from './terminal/command.ts'
import { answerOf } from './terminal/failure-words.ts'
import { command, flag, option, withDefault } from './terminal/option.ts'
import { duration, oneLine, paint, printJsonLine, printLine, shortTime } from './terminal/print.ts'
import { terminal, untilStopped } from './terminal/terminal.ts'

export const listenCommand = command({
  name: 'listen',
  summary: "Receives a merchant's events and posts them, signed, to a local server",
  options: {
    'forward-to': option('URL', 'where to post them; without it they are only shown'),
    events: withDefault(
      option(
        'TYPE,…',
        `only these of ${anyEventTypes.join(', ')}; by default all of payments`,
        z.enum([...anyEventTypes, ...compatibleEventTypes]).array(),
      ),
      [],
    ),
    format: withDefault(
      option('FORMAT', "in whose words: ripper or stripe, as an endpoint's; ripper by default", z.enum(eventFormats)),
      'ripper',
    ),
    'api-version': option('VERSION', "what events in stripe's words carry: Go's library takes its own alone"),
    'print-secret': flag('print the signing secret, which never changes, and end'),
    ...connectionOptions,
  },
  tells_on: true,
  remarks: [
    'It posts events as a webhook delivery would, with a signing secret of its own. An event comes at least once. The command shows what the local server answers, and posts nothing again. Ctrl-C ends it.',
    'With --json each line is one JSON document: its type is ready, event, missed, lost or back.',
  ],
  async run({ options, json }) {
    const connection = connectionOf(options)
    const identity = identityOf(connection.secret_key, options.format)
    if (options['print-secret']) {
      if (json) printJsonLine({ signing_secret: identity.signing_secret })
      else printLine(identity.signing_secret)
      return 0
    }
    const forward_to = forwardTo(options['forward-to'])
    const { events, format, 'api-version': api_version = null } = options
    await follow({ connection, identity, forward_to, events, format, api_version }, json ? jsonLines : forPeople)
    return 0
  },
})

type ListenTarget = {
  connection: Connection
  identity: Identity
  forward_to: string | null
  events: string[]
  format: EventFormat
  api_version: string | null
}

/** Shows what happens. */
type ListenOutput = {
  ready(listening: ListenTarget, merchant_id: string): void
  event(event: StreamedEvent, forwarded: (ForwardResult & { url: string }) | null): void
  /** Events before this time are not shown. */
  missed(before: string): void
  state(state: 'lost' | 'back', base_url: string): void
}

async function follow(listening: ListenTarget, output: ListenOutput): Promise<void> {
  const { connection, identity, forward_to: url, events, format, api_version } = listening
  const clock = realClock()
  const stopped = new AbortController()
  void untilStopped().signal.then(() => stopped.abort())
  const { signal } = stopped
  const http = openGuardedHttp({ clock, allowed_networks: everywhere })
  const listener = openListener()
  signal.addEventListener('abort', () => void http.close())
  const forward =
    url === null
      ? async (event: StreamedEvent) => output.event(event, null)
      : openForwarder({
          http,
          clock,
          url,
          identity,
          format,
          onAnswer: (event, forwarded) => {
            if (!signal.aborted) output.event(event, { ...forwarded, url })
          },
        })
  const memory = openHeard()
  let is_ready = false
  const query = new URLSearchParams({
    ...(format !== 'ripper' && { format }),
    ...(api_version !== null && { api_version }),
    ...(events.length > 0 && { events: events.join(',') }),
  })
  const onState = (state: 'lost' | 'back') => output.state(state, connection.base_url)
  const path = () => (query.size === 0 ? '/v1/events/stream' : `/v1/events/stream?${query}`)
  try {
    const messages = listen({ connection, http: listener, clock, path, signal, onState })
    for await (const { event, id, data } of messages) {
      if (event === 'ready') {
        if (!is_ready) output.ready(listening, data.merchant_id)
        is_ready = true
      } else if (event === 'missed') output.missed(data.before)
      else if (memory.isNew({ event_id: data.event_id, cursor: id! })) await forward(data)
    }
  } finally {
    await Promise.all([http.close(), listener.close()])
  }
}

/** A user may post from their own machine to any address. */
const everywhere = ['0.0.0.0/0', '::/0']

/** The address to post to. `localhost:3000/hooks` is allowed, too. */
function forwardTo(address_text: string | undefined): string | null {
  if (address_text === undefined) return null
  const url = /^[a-z]+:\/\//i.test(address_text) ? address_text : `http://${address_text}`
  if (!/^https?:/i.test(url)) throw new UsageError('--forward-to must be an http or https URL')
  const fault = checkUrl(url, openAddressRule(everywhere))
  if (fault) throw new UsageError(`--forward-to ${fault.reason}`)
  return url
}

const jsonLines: ListenOutput = {
  ready({ connection: { base_url }, identity, forward_to, events, format }, merchant_id) {
    printJsonLine({ type: 'ready', merchant_id, base_url, ...identity, forward_to, events, format })
  },
  event({ type: event_type, event_id, payment_id, body }, forwarded) {
    printJsonLine({ type: 'event', event_id, event_type, payment_id, body, forwarded })
  },
  missed(before) {
    printJsonLine({ type: 'missed', before })
  },
  state(type) {
    printJsonLine({ type })
  },
}

const forPeople: ListenOutput = {
  ready({ connection, identity, forward_to, events, format }, merchant_id) {
    const event_types = events.join(', ') || (format === 'ripper' ? 'payment.*' : 'all events')
    printLine(`Ready! Listening to ${merchantWords(connection, merchant_id)} at ${connection.base_url}.`)
    printLine(`Your webhook signing secret is ${identity.signing_secret}`)
    printLine(forward_to ? `Forwarding ${event_types} to ${forward_to}\n` : `Showing ${event_types}\n`)
  },
  event({ type, event_id, payment_id, body }, forwarded) {
    const { created } = JSON.parse(body) as { created: string | number }
    const at = typeof created === 'number' ? new Date(created * 1000) : created
    const line = `${shortTime(at)}  ${type.padEnd(16)}  ${event_id}  ${payment_id}`
    terminal().stdout.write(forwarded ? `${line}  ${answered(forwarded)}\n` : `${line}\n`)
  },
  missed(before) {
    printLine(`The connection was lost for too long: events before ${shortTime(before)} are missing.`)
  },
  state(state, base_url) {
    printLine(
      state === 'lost' ? `The connection to ${base_url} is lost; trying again. No event is lost.` : 'Connected again.',
    )
  },
}

const answer_length_max = 120

/** Such as `-> 200 POST http://localhost:3000/hooks (12 ms)`. Of a refusal the next line shows what the receiver said. */
function answered(forwarded: ForwardResult & { url: string }): string {
  const { url, succeeded, response_status_code: status, duration_ms } = forwarded
  const what = succeeded ? String(status) : answerOf(forwarded)
  const words = succeeded ? '' : oneLine(forwarded.response_body ?? '', answer_length_max)
  const advice = words && `\n   ${words}`
  return `-> ${paint(succeeded ? 'green' : 'red', what)} POST ${url} (${duration(duration_ms)})${advice}`
}

type ForwardResult = Pick<PostResult, 'succeeded' | 'response_status_code' | 'response_body' | 'failure'> & {
  duration_ms: number
}

/** The identity of this command for a receiver. It is stored nowhere, and is the same each time for the same secret key. */
type Identity = { signing_secret: string; endpoint_id: string }

/** Of each format it has another. */
function identityOf(secret_key: string, format: EventFormat): Identity {
  const hex = (label: string) => createHmac('sha256', secret_key).update(label).digest('hex')
  return {
    signing_secret:
      format === 'ripper'
        ? `rip_whsec_${hex('ripper listen: signing secret')}`
        : `whsec_${hex(`ripper listen: signing secret, ${format}`)}`,
    endpoint_id: `whep_${hex('ripper listen: endpoint').slice(0, 24)}`,
  }
}

type ForwardOptions = {
  http: SendOptions['http']
  clock: Clock
  url: string
  identity: Identity
  format: EventFormat
  /** Called for each event, in the order of the answers. */
  onAnswer(event: StreamedEvent, forwarded: ForwardResult): void
}

/** How many events of different payments are posted at the same time, so that a slow answer delays no other payment. */
const at_once_max = 8
const limits = { timeout_ms: 15_000, connect_timeout_ms: 5_000, clock_offset_seconds: 0 }

/**
 * Posts events to a local server as a delivery would: signed, one after the other for each payment. Takes an event, and
 * resolves when there is room for the next. Sends nothing twice: a failure is only reported.
 */
function openForwarder({ http, clock, url, identity, format, onAnswer }: ForwardOptions) {
  const sending = { http, settings: limits, secretsOf: () => [identity.signing_secret] }
  /** The last event of each payment with events under way. */
  const underWay = new Map<string, Promise<void>>()

  async function forward(event: StreamedEvent): Promise<void> {
    const began_at = clock.now()
    const { body, event_id, payment_id, type: event_type } = event
    const { endpoint_id } = identity
    const parcel = {
      ...{ endpoint_url: url, event_id, body, payment_id, event_type, endpoint_id },
      ...{ event_format: format, standard_webhooks: false },
    }
    const answer = await post(sending, parcel, began_at)
    const { succeeded, response_status_code, response_body, failure } = answer
    const duration_ms = clock.now().getTime() - began_at.getTime()
    onAnswer(event, { succeeded, response_status_code, response_body, failure, duration_ms })
  }

  return async (event: StreamedEvent): Promise<void> => {
    const { payment_id } = event
    const before = underWay.get(payment_id) ?? Promise.resolve()
    const mine = before
      .then(() => forward(event))
      .finally(() => {
        if (underWay.get(payment_id) === mine) underWay.delete(payment_id)
      })
    underWay.set(payment_id, mine)
    while (underWay.size >= at_once_max) await Promise.race(underWay.values())
  }
}

/** Remembers events for as long as the service may send them again. */
export function openHeard() {
  /** The time of each event, from the cursor that came with it, in that order. */
  const eventTimes = new Map<string, number>()
  return {
    /** Notes an event. False if it was received before. */
    isNew({ event_id, cursor }: { event_id: string; cursor: string }): boolean {
      const { sent_until_ms: told_ms } = readCursor(cursor) ?? { sent_until_ms: 0 }
      for (const [known, at_ms] of eventTimes) {
        if (at_ms >= told_ms - 2 * cursor_overlap_ms) break
        eventTimes.delete(known)
      }
      if (eventTimes.has(event_id)) return false
      eventTimes.set(event_id, told_ms)
      return true
    },
    count: () => eventTimes.size,
  }
}
