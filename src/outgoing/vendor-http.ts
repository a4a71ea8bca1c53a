// Calls to acquirers and 3-D Secure providers. A merchant's connection may name their addresses: public ones, and
// networks that the operator allows. Each call is tried once. A failure before any byte left differs from all others.

import { Agent, type buildConnector } from 'undici'
import {
  AnswerTooLong,
  type Clock,
  OutgoingFailure,
  type Sendable,
  type VendorAnswer,
  type VendorHttp,
  type VendorRequest,
} from '../kernel/world.ts'
import { exchange, unpacked } from './exchange.ts'
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
/** How long an idle connection is kept. No vendor closes one so soon. */
const idle_ms = 1_000
/**
 * A connection is used again only within this time, by the clock and not by a timer. A process that stood still must
 * not send a charge on a connection that the vendor has closed meanwhile.
 */
const reused_within_ms = 2_000
/** For this long after a vendor ended an idle connection, none of its connections is used again. */
const wary_ms = 60_000
const answer_bytes_max = 1024 * 1024

export function openVendorHttp({ clock, allowed_networks, resolve, ca }: Options): VendorHttp {
  const rule = openAddressRule(allowed_networks)
  const pools = new Map<string, Pool>()
  const agents = new Set<Agent>()
  /** When a vendor last ended a connection that we would have used again, in milliseconds. */
  const endings = new Map<string, number>()

  /** The vendor's connections, if they were used just now and the vendor keeps them open; otherwise new ones. */
  function poolOf({ origin }: URL): Pool {
    const openPool = pools.get(origin)
    const age_ms = openPool ? ageOf(openPool.used_ms) : Number.NaN
    if (openPool && age_ms >= 0 && age_ms <= reused_within_ms && !endsEarly(origin)) return openPool
    if (openPool) retire(openPool)
    const onEnd = () => void endings.set(origin, clock.now().getTime())
    const agent = new Agent({
      connect: connector(openConnect({ clock, rule, resolve, ca }), onEnd),
      keepAliveTimeout: idle_ms,
      keepAliveMaxTimeout: idle_ms,
      pipelining: 1,
      // As for webhooks: Node's 16 KiB are too few for some firewalls.
      maxHeaderSize: 64 * 1024,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    agents.add(agent)
    const pool = { agent, used_ms: clock.now().getTime() }
    pools.set(origin, pool)
    return pool
  }

  const ageOf = (at_ms: number) => clock.now().getTime() - at_ms

  /**
   * The end of an idle connection may cross with the next request, which is then lost without an answer. So after the first such
   * end, each request has a connection of its own for a while.
   */
  function endsEarly(origin: string): boolean {
    const at_ms = endings.get(origin)
    return at_ms !== undefined && Math.abs(ageOf(at_ms)) <= wary_ms
  }

  /** Calls under way go on to their end. */
  function retire({ agent }: Pool): void {
    const forget = () => agents.delete(agent)
    agent.close().then(forget, forget)
  }

  async function send({ timeout_ms, sendable, ...request }: VendorRequest): Promise<VendorAnswer> {
    const ending = new AbortController()
    const over = new AbortController()
    const watch = clock.sleep(timeout_ms, ending.signal).then(
      () => over.abort(),
      () => {},
    )
    const pool = poolOf(new URL(request.url))
    const noteUse = () => {
      pool.used_ms = clock.now().getTime()
    }
    let has_left = false
    const onFirstByte = () => {
      if (sendable && !isWithin(sendable, clock.now())) {
        throw new Error('it could not be sent in time')
      }
      has_left = true
    }
    try {
      noteUse()
      const { signal } = over
      const options = { ...request, signal, answer_bytes_max, onFirstByte }
      const answer = await exchange(pool.agent, options)
      // The request refused no coding, so a proxy of the vendor may choose one.
      const encoding = answer.headers['content-encoding']
      return { ...answer, body: unpacked(answer.body, encoding, answer_bytes_max).toString() }
    } catch (error) {
      if (error instanceof AnswerTooLong) throw error
      const timed_out = over.signal.aborted
      const words = timed_out ? 'no answer in time' : (error as Error).message
      throw new OutgoingFailure(has_left ? 'unanswered' : 'not_sent', timed_out, words)
    } finally {
      noteUse()
      ending.abort()
      await watch
    }
  }

  async function close(): Promise<void> {
    await Promise.all([...agents].map((agent) => agent.destroy()))
  }

  return { send, close }
}

function isWithin({ from, until }: Sendable, now: Date): boolean {
  return from <= now && now <= until
}

type Pool = { agent: Agent; used_ms: number }

/**
 * Lets undici connect by our own rule. undici waits for the connection, so no request is sent before it stands. `onEnd` is called
 * when the other side ends it.
 */
function connector(connect: ReturnType<typeof openConnect>, onEnd: () => void): buildConnector.connector {
  return ({ protocol, hostname, port }, callback) => {
    const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}`)
    connect(url, connect_timeout_ms, new AbortController().signal).then(
      (socket) => {
        socket.once('end', onEnd)
        callback(null, socket)
      },
      (error: Error) => callback(error, null),
    )
  }
}
