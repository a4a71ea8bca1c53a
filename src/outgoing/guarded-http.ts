// Posts to addresses that merchants named, and never to places that only this machine may reach. The deadline runs on
// the service's clock, so that a test can let it pass.

import {
  type Clock,
  type GuardedAnswer,
  GuardedFailure,
  type GuardedFailureCode,
  type GuardedHttp,
  type GuardedRequest,
} from '../kernel/world.ts'
import { alarm } from './guarded-http/alarm.ts'
import { redirectTarget, retryAfterSeconds, shownText } from './guarded-http/answer.ts'
import { openConnect, type Resolve } from './guarded-http/connect.ts'
import { openPostConnections, type PostConnection } from './guarded-http/connections.ts'
import { requestFailure } from './guarded-http/failures.ts'
import { checkUrl, openAddressRule } from './safe-address.ts'

type Options = {
  clock: Clock
  /** IP addresses or CIDR networks that may be reached although they are not public. */
  allowed_networks: string[]
  /** Used instead of the machine's resolver. */
  resolve?: Resolve
  /** Trusted instead of the public roots, PEM. */
  ca?: string
  /** Idle connections kept open; 512 by default. */
  idle_connections_max?: number
}

// The maximum of bytes in 1,024 characters. A connection that brings more is closed.
const read_bytes_max = 4 * 1024
const known_urls_max = 1_000

export function openGuardedHttp(options: Options): GuardedHttp {
  const { clock, allowed_networks, resolve, ca, idle_connections_max = 512 } = options
  const rule = openAddressRule(allowed_networks)
  const connections = openPostConnections(openConnect({ clock, rule, resolve, ca }), idle_connections_max)
  const urls = new Map<string, URL>()
  let closed = false

  /** The same few addresses are used again and again. Throws the GuardedFailure of a forbidden one. */
  function judged(text: string): URL {
    const before = urls.get(text)
    if (before) return before
    const fault = checkUrl(text, rule)
    if (fault) throw new GuardedFailure(fault.code)
    if (urls.size >= known_urls_max) urls.clear()
    const url = new URL(text)
    urls.set(text, url)
    return url
  }

  async function post(request: GuardedRequest): Promise<GuardedAnswer> {
    const url = judged(request.url)
    if (closed) throw new GuardedFailure('connection_lost')
    const idleConnection = connections.reuse(url, request.connect_timeout_ms)
    const connection = idleConnection ?? connections.open(url, request.connect_timeout_ms)
    const exchange = send(connection, url, request)
    const off = alarm(clock, request.timeout_ms, () => exchange.giveUp('timeout'))
    try {
      return await exchange.answer
    } finally {
      off()
    }
  }

  /** The answer is complete when its body has ended or exceeds what is read. */
  function send(connection: PostConnection, url: URL, request: GuardedRequest) {
    const { promise, resolve, reject } = Promise.withResolvers<GuardedAnswer>()
    const answer: Omit<GuardedAnswer, 'body'> = { status: 0, retry_after_seconds: null }
    const parts: Buffer[] = []
    let length = 0
    const soFar = (is_cut: boolean) => {
      const bytes = Buffer.concat(parts).subarray(0, read_bytes_max)
      return { ...answer, body: shownText(bytes, is_cut) }
    }
    const giveUp = (code: GuardedFailureCode, detail: string | null = null) => {
      const failure = new GuardedFailure(code, detail, answer.status === 0 ? null : soFar(true))
      reject(failure)
      connections.drop(connection, failure)
    }
    const { origin, pathname, search } = url
    const headers = { ...request.headers, 'accept-encoding': 'identity' }
    connection.client.dispatch(
      { origin, path: pathname + search, method: 'POST', headers, body: request.body },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, { 'retry-after': retry_after, location }) {
          answer.status = status
          answer.retry_after_seconds = retryAfterSeconds(retry_after, clock.now())
          if (status >= 300 && status <= 399) answer.location = redirectTarget(location, url)
        },
        onResponseData(_controller, bytes) {
          parts.push(bytes)
          length += bytes.length
          if (length <= read_bytes_max) return
          resolve(soFar(true))
          connections.drop(connection, new GuardedFailure('connection_lost'))
        },
        onResponseEnd() {
          resolve(soFar(false))
          connections.keep(connection)
        },
        onResponseError(_controller, error) {
          const { code, detail } = requestFailure(error)
          giveUp(code, detail)
        },
      },
    )
    return { answer: promise, giveUp }
  }

  async function close(): Promise<void> {
    closed = true
    await connections.close()
  }

  return { post, close }
}
