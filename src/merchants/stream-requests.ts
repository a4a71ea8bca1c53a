// GET /v1/logs/stream: a merchant's requests as the service answers them; `ripper logs tail` shows them.

import { z } from 'zod'
import { type SecretKey, secretKey } from '../http/access.ts'
import { type LoggedRequest, type RequestLog, shownRequest, viewRequest } from '../http/request-log.ts'
import { type Feed, type StreamMessage, stream } from '../http/stream.ts'
import type { Mode } from '../kernel/values.ts'
import { admitKey } from './admit.ts'
import type { Directory } from './directory.ts'

export const last_max = 1_000
/** Each new request wakes the stream, so polling is only a fallback. */
const poll_ms = 60_000

const once = { error: 'must be sent once' }

const requestsQuery = z.strictObject({
  request_id: z.string(once).optional(),
  status: z
    .string(once)
    .regex(/^[1-5](\d\d|xx)$/, 'must be a status such as 404, or a class such as 4xx')
    .optional()
    .meta({ description: 'such as 404, or 4xx for all of a class' }),
  path: z.string(once).optional().meta({ description: 'what paths begin with' }),
  last: z
    .string(once)
    .regex(/^(\d{1,3}|1000)$/, `must be a whole number from 0 to ${last_max}`)
    .optional()
    .meta({ description: 'how many of those before to begin with', default: '0' }),
})

type RequestStreamQuery = z.output<typeof requestsQuery> & { only_mode: Mode | null }

const ready = z.object({ merchant_id: z.string() })
const requestMessage = z.object(shownRequest)
/** Some requests were dropped. Their number would reveal nothing, because they may have been other merchants'. */
const missedMessage = z.object({})

type StreamContext = { requests: RequestLog; directory: Directory }

export const streamRequests = stream({
  method: 'GET',
  path: '/v1/logs/stream',
  tag: 'Events',
  summary: 'Listen to requests',
  access: secretKey('read_transactions'),
  mode: 'handler',
  dialect: 'checkout',
  query: requestsQuery,
  message: { title: 'RequestStreamMessage', note: 'A message of the stream of requests.' },
  messages: { ready, request: requestMessage, missed: missedMessage },
  refusals: [],
  admit: admitKey,
  open: async ({ requests }: StreamContext, { holder, query, only_mode }) =>
    feedOf(requests, holder, { ...query, only_mode }),
})

const missing: StreamMessage = { event: 'missed', data: {} }

function feedOf(requests: RequestLog, { merchant_id }: SecretKey, filter: RequestStreamQuery): Feed {
  const isAsked = (request: LoggedRequest) => request.merchant_id === merchant_id && fits(request, filter)
  let place = requests.count()
  let missed_count = requests.missed()
  const last = Number(filter.last ?? 0)
  let before: LoggedRequest[] = last === 0 ? [] : requests.from(0).filter(isAsked).slice(-last)
  return {
    ready: { event: 'ready', data: { merchant_id } },
    poll_ms,
    hear: (wake) => requests.hear(wake, merchant_id),
    async read() {
      const come = requests.from(place)
      const is_missing = requests.count() - place > come.length || requests.missed() > missed_count
      place = requests.count()
      missed_count = requests.missed()
      const messages = [...before, ...come.filter(isAsked)].map(messageOf)
      before = []
      return { messages: is_missing ? [missing, ...messages] : messages, is_more: false }
    },
  }
}

function fits({ request_id, status, path, mode }: LoggedRequest, filter: RequestStreamQuery): boolean {
  return (
    // A request without a known mode may be of the other mode.
    (filter.only_mode === null || filter.only_mode === mode) &&
    (filter.request_id === undefined || filter.request_id === request_id) &&
    (filter.status === undefined || isOfStatus(status, filter.status)) &&
    (filter.path === undefined || path.startsWith(filter.path))
  )
}

function isOfStatus(status: number, status_filter: string): boolean {
  return status_filter.endsWith('xx') ? String(status)[0] === status_filter[0] : String(status) === status_filter
}

function messageOf(request: LoggedRequest): StreamMessage {
  return { event: 'request', data: viewRequest(request) }
}
