// `ripper listen`: receives a merchant's events from the running service and posts them, signed, to a local server.

import { anyEventTypes } from '../../kernel/values.ts'
import { openGuardedHttp } from '../../outgoing/guarded-http.ts'
import { openListener, realClock } from '../../outgoing/real-world.ts'
import { checkUrl, openAddressRule } from '../../outgoing/safe-address.ts'
import type { StreamedEvent } from '../../webhooks/stream/streamed-event.ts'
import { choices, text } from '../command-context.ts'
import { type Connection, connectionOf, connectionOptions, merchantWords } from '../service/connection.ts'
import { listen } from '../service/stream.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { answerOf } from '../terminal/failure-words.ts'
import { paint } from '../terminal/paint.ts'
import { duration, oneLine, printJsonLine, printLine, shortTime } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { untilStopped } from '../terminal/until-stopped.ts'
import { type ForwardResult, type Identity, identityOf, openForwarder } from './forward.ts'
import { openHeard } from './heard-events.ts'

export const listenCommand: Command = {
  name: 'listen',
  summary: "Receives a merchant's events and posts them, signed, to a local server",
  options: {
    'forward-to': { value: 'URL', meaning: 'where to post them; without it they are only shown' },
    events: {
      value: 'TYPE,…',
      many: true,
      meaning: `only these of ${anyEventTypes.join(', ')}; by default all of payments`,
    },
    'print-secret': { meaning: 'print the signing secret, which never changes, and end' },
    ...connectionOptions,
  },
  tells_on: true,
  remarks: [
    'It posts events as a webhook delivery would, with a signing secret of its own. An event comes at least once. The command shows what the local server answers, and posts nothing again. Ctrl-C ends it.',
    'With --json each line is one JSON document: its type is ready, event, missed, lost or back.',
  ],
  async run({ options, json }) {
    const connection = connectionOf(options)
    const identity = identityOf(connection.secret_key)
    if (options['print-secret'] === true) {
      if (json) printJsonLine({ signing_secret: identity.signing_secret })
      else printLine(identity.signing_secret)
      return 0
    }
    const forward_to = forwardTo(options)
    const events = choices(options, 'events', anyEventTypes)
    await follow({ connection, identity, forward_to, events }, json ? jsonLines : forPeople)
    return 0
  },
}

type ListenTarget = {
  connection: Connection
  identity: Identity
  forward_to: string | null
  events: string[]
}

/** Shows what happens. */
type ListenOutput = {
  ready(listening: ListenTarget, merchant_id: string): void
  event(event: StreamedEvent, forwarded: (ForwardResult & { url: string }) | null): void
  /** Events before this time are not shown. */
  missed(before: string): void
  state(state: 'lost' | 'back', base_url: string): void
}

async function follow(listening: ListenTarget, shown: ListenOutput): Promise<void> {
  const { connection, identity, forward_to: url, events } = listening
  const clock = realClock()
  const stopped = new AbortController()
  void untilStopped().signal.then(() => stopped.abort())
  const { signal } = stopped
  const http = openGuardedHttp({ clock, allowed_networks: everywhere })
  const listener = openListener()
  signal.addEventListener('abort', () => void http.close())
  const forward =
    url === null
      ? async (event: StreamedEvent) => shown.event(event, null)
      : openForwarder({
          http,
          clock,
          url,
          identity,
          told: (event, forwarded) => {
            if (!signal.aborted) shown.event(event, { ...forwarded, url })
          },
        })
  const heard = openHeard()
  let is_ready = false
  const filter = events.length === 0 ? '' : `?events=${events.join(',')}`
  const told = (state: 'lost' | 'back') => shown.state(state, connection.base_url)
  const path = () => `/v1/events/stream${filter}`
  try {
    const messages = listen({ connection, http: listener, clock, path, signal, onState: told })
    for await (const { event, id, data } of messages) {
      if (event === 'ready') {
        if (!is_ready) shown.ready(listening, data.merchant_id)
        is_ready = true
      } else if (event === 'missed') shown.missed(data.before)
      else if (heard.isNew({ event_id: data.event_id, cursor: id! })) await forward(data)
    }
  } finally {
    await Promise.all([http.close(), listener.close()])
  }
}

/** A user may post from their own machine to any address. */
const everywhere = ['0.0.0.0/0', '::/0']

/** The address to post to. `localhost:3000/hooks` is allowed, too. */
function forwardTo(options: Options): string | null {
  const named = text(options, 'forward-to')
  if (named === null) return null
  const url = /^[a-z]+:\/\//i.test(named) ? named : `http://${named}`
  if (!/^https?:/i.test(url)) throw new UsageError('--forward-to must be an http or https URL')
  const fault = checkUrl(url, openAddressRule(everywhere))
  if (fault) throw new UsageError(`--forward-to ${fault.reason}`)
  return url
}

const jsonLines: ListenOutput = {
  ready({ connection: { base_url }, identity, forward_to, events }, merchant_id) {
    printJsonLine({ type: 'ready', merchant_id, base_url, ...identity, forward_to, events })
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
  ready({ connection, identity, forward_to, events }, merchant_id) {
    const wanted = events.length === 0 ? 'payment.*' : events.join(', ')
    printLine(`Ready! Listening to ${merchantWords(connection, merchant_id)} at ${connection.base_url}.`)
    printLine(`Your webhook signing secret is ${identity.signing_secret}`)
    printLine(forward_to ? `Forwarding ${wanted} to ${forward_to}\n` : `Showing ${wanted}\n`)
  },
  event({ type, event_id, payment_id, body }, forwarded) {
    const { created } = JSON.parse(body) as { created: string }
    const left = `${shortTime(created)}  ${type.padEnd(16)}  ${event_id}  ${payment_id}`
    terminal().stdout.write(forwarded ? `${left}  ${answered(forwarded)}\n` : `${left}\n`)
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
  const said = words && `\n   ${words}`
  return `-> ${paint(succeeded ? 'green' : 'red', what)} POST ${url} (${duration(duration_ms)})${said}`
}
