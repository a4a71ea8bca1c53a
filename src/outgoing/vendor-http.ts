// Calls to acquirers and 3-D Secure providers, whose addresses a merchant's connection may name: public addresses and
// networks that the operator allows. One attempt each. A failure before any byte left is told apart from all others.

import { Agent, type buildConnector, request } from 'undici'
import {
  type Clock,
  GuardedFailure,
  OutgoingFailure,
  type VendorAnswer,
  type VendorHttp,
  type VendorRequest,
} from '../kernel/world.ts'
import { openConnect, type Resolve } from './guarded-http/connect.ts'
import { openAddressRule } from './safe-address.ts'

type Options = {
  clock: Clock
  /** IP addresses or CIDR networks that may be called although they are not public. */
  allowed_networks: string[]
  /** Used instead of the machine's resolver. */
  resolve?: Resolve
  /** Trusted instead of the public roots, PEM. */
  ca?: string
}

const connect_timeout_ms = 5_000
/**
 * How long an idle connection is kept. No vendor closes one so soon, so a charge is never sent on a half-closed
 * connection.
 */
const idle_ms = 1_000
const answer_bytes_max = 1024 * 1024

export function openVendorHttp({ clock, allowed_networks, resolve, ca }: Options): VendorHttp {
  const rule = openAddressRule(allowed_networks)
  const agent = new Agent({
    connect: connector(openConnect({ clock, rule, resolve, ca })),
    keepAliveTimeout: idle_ms,
    keepAliveMaxTimeout: idle_ms,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  })

  async function send({ url, timeout_ms, ...sent }: VendorRequest): Promise<VendorAnswer> {
    const done = new AbortController()
    const over = new AbortController()
    const watch = clock.sleep(timeout_ms, done.signal).then(
      () => over.abort(),
      () => {},
    )
    try {
      const options = { ...sent, signal: over.signal, dispatcher: agent }
      const answer = await request(url, options)
      const body = await readText(answer.body)
      return { status: answer.statusCode, headers: flat(answer.headers), body }
    } catch (error) {
      throw failureOf(error, over.signal.aborted)
    } finally {
      done.abort()
      await watch
    }
  }

  return { send, close: () => agent.destroy() }
}

/** Lets undici connect by our own rule. undici waits for the connection, so no request is sent before it stands. */
function connector(connect: ReturnType<typeof openConnect>): buildConnector.connector {
  return ({ protocol, hostname, port }, callback) => {
    const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}`)
    connect(url, connect_timeout_ms, new AbortController().signal).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    length += part.length
    if (length > answer_bytes_max) throw new Error('an answer longer than allowed')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return Object.fromEntries(named)
}

/** Only the connection's own failures are certain to come before the first byte. */
function failureOf(error: unknown, timed_out: boolean): OutgoingFailure {
  const { message } = error as Error
  const is_before = !timed_out && error instanceof GuardedFailure
  const words = timed_out ? 'no answer in time' : message
  return new OutgoingFailure(is_before ? 'not_sent' : 'unanswered', timed_out, words)
}
