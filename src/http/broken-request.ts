// Answers data that never became a request: a malformed head, headers over 16 KB, a client that is too slow, a CONNECT.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import type { World } from '../kernel/world.ts'
import { compatibleHeadersOf } from './compatible-dialect.ts'
import { type Dialect, dialectOfPath, renderRefusal } from './dialects.ts'
import { plainHeaders } from './plain-headers.ts'
import type { Tally } from './summed-log.ts'
import { whenAnswered } from './unanswered-limit.ts'

type BrokenRequestOptions = {
  world: Pick<World, 'clock' | 'log'>
  ids: Pick<Ids, 'request'>
  /** The gateway limit does not count them, so their log lines are summed up. */
  broken: Pick<Tally, 'count'>
}
type BrokenRequest = NodeJS.ErrnoException & { rawPacket?: unknown }

const not_http: [status: string, message: string] = ['400 Bad Request', 'The request is not valid HTTP.']
const words = new Map<string, [status: string, message: string]>([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'The headers are larger than 16 KB.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request took too long to arrive.']],
  ['HPE_INVALID_METHOD', [not_http[0], 'The method of the request is none that HTTP knows.']],
])

/**
 * For Node's `clientError`. No route or hook answers these, so the request id is made here. Earlier whole requests on
 * the connection are answered first.
 */
export function answerBrokenRequest(parts: BrokenRequestOptions, error: BrokenRequest, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = words.get(error.code ?? '') ?? not_http
  const brokenAnswer = { status, message, dialect: dialectOf(error) }
  whenAnswered(socket, () => answer(parts, socket, brokenAnswer))
}

/** For Node's `connect`, which would close the connection without an answer. */
export function refuseConnect(parts: BrokenRequestOptions, _request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  const message = 'CONNECT is for proxies, and this is none.'
  const brokenAnswer: BrokenAnswer = { status: not_http[0], message, dialect: 'checkout' }
  whenAnswered(socket, () => answer(parts, socket, brokenAnswer))
}

type BrokenAnswer = { status: string; message: string; dialect: Dialect }

function answer(
  { world, ids, broken }: BrokenRequestOptions,
  socket: Duplex,
  { status, message, dialect }: BrokenAnswer,
): void {
  // The previous answer was the last one.
  if (!socket.writable) return
  const request_id = ids.request()
  const refusal = new Refusal('invalid_request', message, { status: Number.parseInt(status, 10) })
  const body = JSON.stringify(renderRefusal(dialect, refusal, request_id))
  const headers = {
    ...plainHeaders,
    'rip-request-id': request_id,
    ...(dialect === 'compatible' && compatibleHeadersOf(request_id)),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
  endBefore(world.clock, socket, closed_within_ms)
  const { code } = refusal
  broken.count()
  world.log.debug({ request_id, route: 'unknown', status: refusal.status, code }, 'request')
}

/** How long a client has to close its side after an answer. */
const closed_within_ms = 5_000

/** Node's own limits no longer apply to such a connection: a client that leaves its side open would keep it. */
function endBefore(clock: World['clock'], socket: Duplex, limit_ms: number): void {
  const closure = new AbortController()
  socket.once('close', () => closure.abort())
  clock.sleep(limit_ms, closure.signal).then(
    () => socket.destroy(),
    () => {},
  )
}

/** A guess: the line that names the path may have come in an earlier packet. */
function dialectOf({ rawPacket }: BrokenRequest): Dialect {
  const head = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, 4096) : ''
  const [, path = '/'] = /^[!-~]{1,32} (\/[!-~]*)/.exec(head) ?? []
  return dialectOfPath(path)
}
