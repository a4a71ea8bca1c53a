// `ripper logs tail`: shows a merchant's requests as the running service answers them.

import { z } from 'zod'
import { last_max } from '../merchants/stream-requests.ts'
import { openListener, realClock } from '../outgoing/real-world.ts'
import { type Connection, connectionOf, connectionOptions, merchantWords } from './service/connection.ts'
import { listen } from './service/stream.ts'
import { command, option, withDefault } from './terminal/option.ts'
import { duration, paint, printJsonLine, printLine, shortTime } from './terminal/print.ts'
import { untilStopped } from './terminal/terminal.ts'

const statusOrClass = z.string().regex(/^[1-5](\d\d|xx)$/, 'must be a status such as 404, or a class such as 4xx')

export const logsTail = command({
  name: 'logs tail',
  summary: "Shows a merchant's requests as they are answered",
  options: {
    'request-id': option('req_…', 'only this one'),
    status: option('STATUS', 'such as 404, or 4xx for all of a class', statusOrClass),
    path: option('PREFIX', 'only paths that begin so'),
    last: withDefault(
      option('N', `begin with this many earlier requests, up to ${last_max} (20)`, z.int().min(0).max(last_max)),
      20,
    ),
    ...connectionOptions,
  },
  tells_on: true,
  remarks: [
    'It shows the requests that any process of the service answers. --last begins with those that the process that it ' +
      'reached has kept: the last 1,000 of all merchants.',
    'With --json each line is one JSON document, a request or {"type": "missed" | "lost" | "back"}. Ctrl-C ends it.',
  ],
  async run({ options, json }) {
    const connection = connectionOf(options)
    const { 'request-id': request_id, status, path, last } = options
    const filters = Object.entries({ request_id, status, path }).filter(([, value]) => value !== undefined)
    const stopped = new AbortController()
    void untilStopped().signal.then(() => stopped.abort())
    const http = openListener()
    const messages = listen({
      connection,
      http,
      clock: realClock(),
      signal: stopped.signal,
      // Does not show again what it showed before the connection was lost.
      path: (is_again) => `/v1/logs/stream?${queryOf(is_again ? filters : [...filters, ['last', String(last)]])}`,
      onState(state) {
        if (json) printJsonLine({ type: state })
        else printLine(states[state])
      },
    })
    let is_ready = false
    try {
      for await (const { event, data } of messages) {
        if (event === 'request') show(data, json)
        else if (event === 'ready') {
          if (!json && !is_ready) printLine(readyWords(connection, data.merchant_id))
          is_ready = true
        } else if (event === 'missed') {
          if (json) printJsonLine({ type: event })
          else printLine('Some requests are missing: more came at once than the service keeps.')
        }
      }
    } finally {
      await http.close()
    }
    return 0
  },
})

function readyWords(connection: Connection, merchant_id: string): string {
  const whose = merchantWords(connection, merchant_id)
  return `Requests of ${whose} at ${connection.base_url}, as they are answered:`
}

const states = {
  lost: 'The connection is lost; trying again. Requests in the meantime are not shown.',
  back: 'Connected again.',
}

const queryOf = (entries: [string, string | undefined][]) => new URLSearchParams(entries as [string, string][])

type RequestOutput = {
  request_id: string
  at: string
  method: string
  path: string
  status: number
  code: string | null
  duration_ms: number
}

function show(request: RequestOutput, json: boolean): void {
  if (json) {
    printJsonLine(request)
    return
  }
  const { at, status, method, path, code, request_id, duration_ms } = request
  const colour = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const status_text = paint(colour, String(status))
  const where = `${method.padEnd(6)} ${path.padEnd(66)}`
  printLine(
    `${shortTime(at)}  ${status_text}  ${where}  ${(code ?? '–').padEnd(24)}  ${request_id}  ${duration(duration_ms)}`,
  )
}
