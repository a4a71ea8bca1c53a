// Opens a connection to a checked address: every address of the name is checked at every connection.

import { once } from 'node:events'
import { isIP, connect as openTcp, type Socket } from 'node:net'
import { createSecureContext, connect as openTls, type SecureContext } from 'node:tls'
import { type Clock, GuardedFailure } from '../../kernel/world.ts'
import { type AddressRule, hostOf, isSameAddress, loopbackAddresses, needsAllowedNetwork } from '../safe-address.ts'
import { alarm } from './alarm.ts'
import { lookupFailure, tcpFailure, tlsFailure } from './failures.ts'
import { lookUpLocally, lookUpPublicly } from './names.ts'

/** All IP addresses of a name, in the order of the resolver. */
export type Resolve = (name: string) => Promise<string[]>

/** Throws a GuardedFailure, or the signal's reason if it aborts. */
export type Connect = (url: URL, timeout_ms: number, signal: AbortSignal) => Promise<Socket>

export type ConnectOptions = {
  clock: Clock
  rule: AddressRule
  resolve?: Resolve
  /** Trusted instead of the public roots, PEM. */
  ca?: string
}

const addresses_tried_max = 4

export function openConnect({ clock, rule, resolve, ca }: ConnectOptions): Connect {
  const lookUp = resolve ?? (rule.has_allowed_networks ? lookUpLocally : lookUpPublicly)
  const lookUps = new Map<string, Promise<string[]>>()
  let context: SecureContext | undefined

  return async (url, timeout_ms, signal) => {
    const ends_at = clock.now().getTime() + timeout_ms
    const timeLeft = () => Math.max(0, ends_at - clock.now().getTime())
    const addresses = await inTime(timeLeft(), signal, (over) => orAborted(addressesOf(hostOf(url)), over))
    const fits = needsAllowedNetwork(url) ? rule.inAllowedNetwork : rule.allows
    // One forbidden address condemns the name, because the next connection could use it.
    if (!addresses.every(fits)) throw new GuardedFailure('blocked_address')
    let failure = new GuardedFailure('name_not_found')
    const candidates = addresses.slice(0, addresses_tried_max)
    for (const [index, address] of candidates.entries()) {
      const share_ms = timeLeft() / (candidates.length - index)
      try {
        return await inTime(share_ms, signal, (over) => dial(url, address, over))
      } catch (error) {
        if (!(error instanceof GuardedFailure) || !triesNext.has(error.code)) throw error
        failure = error
      }
    }
    throw failure
  }

  async function addressesOf(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return [host]
    const loopback = loopbackAddresses(host)
    if (loopback) return loopback.filter(rule.inAllowedNetwork)
    try {
      return await askOnce(host)
    } catch (error) {
      throw lookupFailure(error)
    }
  }

  /** Many simultaneous deliveries need the same name: one look-up answers them all. */
  function askOnce(name: string): Promise<string[]> {
    const runningLookUp = lookUps.get(name)
    if (runningLookUp) return runningLookUp
    const answer = lookUp(name).finally(() => lookUps.delete(name))
    lookUps.set(name, answer)
    return answer
  }

  async function dial(url: URL, address: string, over: AbortSignal): Promise<Socket> {
    const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443))
    const socket = openTcp({ host: address, port, noDelay: true })
    await opened(socket, 'connect', over).catch((error) => {
      throw over.aborted ? over.reason : tcpFailure(error)
    })
    const remote_address = socket.remoteAddress
    if (!remote_address || !isSameAddress([remote_address, address])) {
      socket.destroy()
      // A connection that was reset meanwhile has no remote address.
      throw new GuardedFailure(remote_address ? 'blocked_address' : 'connection_lost')
    }
    if (url.protocol === 'http:') return socket
    context ??= createSecureContext({ ca })
    const host = hostOf(url)
    const tlsSocket = openTls({
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      secureContext: context,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    })
    await opened(tlsSocket, 'secureConnect', over).catch((error) => {
      throw over.aborted ? over.reason : tlsFailure(error)
    })
    return tlsSocket
  }

  /** Work whose signal aborts when its time is over, as `connect_timeout`, or when the caller's signal does. */
  async function inTime<T>(
    duration_ms: number,
    signal: AbortSignal,
    work: (over: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const over = new AbortController()
    const pass = () => over.abort(signal.reason)
    signal.addEventListener('abort', pass, { once: true })
    const off = alarm(clock, duration_ms, () => over.abort(new GuardedFailure('connect_timeout')))
    try {
      return await work(over.signal)
    } finally {
      off()
      signal.removeEventListener('abort', pass)
    }
  }
}

/** Failures after which another address of the same name is not tried. */
const triesNext = new Set(['connection_refused', 'unreachable', 'connect_timeout', 'connection_lost'])

async function opened(socket: Socket, event: string, over: AbortSignal): Promise<void> {
  // An error after the wait must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal: over })
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject)
  })
}
