// The real world: the machine's clock and randomness, undici for outgoing HTTP, pino for the log.

import { randomFillSync } from 'node:crypto'
import pino from 'pino'
import { Agent, request } from 'undici'
import {
  type Clock,
  type Http,
  type HttpListener,
  type HttpReader,
  type Log,
  OutgoingFailure,
  type OutgoingRequest,
  type Random,
  type SteadyClock,
  type World,
} from '../kernel/world.ts'
import { exchange, unpacked } from './exchange.ts'

/** Receives each line of the log; left out, standard output does. */
export type LogLines = { write(line: string): void }

export function openWorld(options: { log_level: string; clock_offset_seconds: number }, logLines?: LogLines): World {
  const clock = realClock(options.clock_offset_seconds)
  return {
    clock,
    random: { bytes: pooledBytes() },
    http: openHttp(clock),
    log: openLog(options.log_level, logLines),
  }
}

/** The machine's clock, shifted by whole seconds. */
export function realClock(offset_seconds = 0): Clock {
  return {
    now: () => new Date(Date.now() + offset_seconds * 1000),
    sleep: pause,
  }
}

export const steadyClock: SteadyClock = { elapsed_ms: () => performance.now() }

/** Node's own promised timer makes an exception with its stack for each cancelled sleep, and most are cancelled. */
function pause(duration_ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  if (signal?.aborted) reject(signal.reason)
  else {
    const callOff = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', callOff)
      resolve()
    }, duration_ms)
    signal?.addEventListener('abort', callOff, { once: true })
  }
  return promise
}

/** Draws in blocks: one system call for many small draws. Bytes that were handed out are wiped here. */
export function pooledBytes(fill: (block: Buffer) => Buffer = randomFillSync): Random['bytes'] {
  const block = Buffer.alloc(8192)
  let used_bytes = block.length
  return (length) => {
    if (length > block.length) return fill(Buffer.alloc(length))
    if (used_bytes + length > block.length) {
      fill(block)
      used_bytes = 0
    }
    const bytes = Buffer.from(block.subarray(used_bytes, used_bytes + length))
    block.fill(0, used_bytes, used_bytes + length)
    used_bytes += length
    return bytes
  }
}

export function openLog(level: string, lines: LogLines = pino.destination(1)): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines)
}

const answer_bytes_default = 256 * 1024

/** Outgoing requests. The time-out runs on the service's clock, so that a test can let it pass. */
export function openHttp(clock: Clock): Http & HttpReader {
  const agents = new Map<OutgoingRequest['tls'], Agent>()

  function agentFor(tls: OutgoingRequest['tls']): Agent {
    const cachedAgent = agents.get(tls)
    if (cachedAgent) return cachedAgent
    const connect = { timeout: 5_000, cert: tls?.certificate, key: tls?.key, ca: tls?.ca }
    const agent = new Agent({ connect, pipelining: 1 })
    agents.set(tls, agent)
    return agent
  }

  return {
    post: ({ url, headers, body, timeout_ms, tls, answer_bytes_max = answer_bytes_default }) =>
      within(clock, timeout_ms, async (signal) => {
        const request = { url, method: 'POST' as const, headers, body, signal, answer_bytes_max }
        const answer = await exchange(agentFor(tls), request)
        const content_type = answer.headers['content-type'] ?? ''
        return { status: answer.status, content_type, body: answer.body.toString() }
      }),
    get: ({ url, headers: ownHeaders, timeout_ms, answer_bytes_max = answer_bytes_default }) =>
      within(clock, timeout_ms, async (signal) => {
        const headers = { ...ownHeaders, 'accept-encoding': 'gzip, deflate, br' }
        const request = { url, method: 'GET' as const, headers, body: null, signal, answer_bytes_max }
        const answer = await exchange(agentFor(undefined), request)
        const encoding = answer.headers['content-encoding']
        const body = unpacked(answer.body, encoding, answer_bytes_max).toString()
        return { ...answer, body }
      }),
  }
}

/** Streamed answers. */
export function openListener(): HttpListener {
  const dispatcher = new Agent({ connect: { timeout: 5_000 } })
  return {
    async listen({ url, headers, silence_ms, signal }) {
      const patience = { headersTimeout: silence_ms, bodyTimeout: silence_ms }
      try {
        const answer = await request(url, { headers, signal, dispatcher, ...patience })
        return { status: answer.statusCode, body: answer.body }
      } catch (error) {
        throw failureOf(error, false)
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/** Without a reason of its own, an aborted signal makes an exception with its stack. */
const answered = 'answered'

/** Throws an OutgoingFailure if the work fails or takes too long. */
async function within<T>(clock: Clock, timeout_ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController()
  const ending = new AbortController()
  const watch = clock.sleep(timeout_ms, ending.signal).then(
    () => over.abort(),
    () => {},
  )
  try {
    return await work(over.signal)
  } catch (error) {
    throw failureOf(error, over.signal.aborted)
  } finally {
    ending.abort(answered)
    await watch
  }
}

// The socket's errors if not one byte of a request was sent.
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function failureOf(error: unknown, timed_out: boolean): OutgoingFailure {
  const { code: raw_code, message } = error as Error & { code?: unknown }
  // An aborted request's error is a DOMException, whose code is a number.
  const code = typeof raw_code === 'string' ? raw_code : undefined
  const tls = code?.startsWith('ERR_TLS') || code?.startsWith('CERT_') || code === 'EPROTO'
  const kind = !timed_out && (beforeSending.has(code ?? '') || tls) ? 'not_sent' : 'unanswered'
  return new OutgoingFailure(kind, timed_out, timed_out ? 'no answer in time' : (code ?? message))
}
