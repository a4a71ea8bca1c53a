// A TCP connection's way with faults on it: between a service and its database, its Directory Server or its receivers.

import { connect, createServer, type Socket } from 'node:net'
import { realClock } from '../../tests/support/world.ts'

/** `there` is from who connects to who listens, `back` the answer. */
export type Direction = 'there' | 'back'

export type Fault =
  /** Everything comes later, by a time that varies. */
  | { kind: 'delay'; ms: number; jitter_ms: number }
  /** Nothing passes and nobody is told; what was sent arrives when the fault is over. */
  | { kind: 'stall' }
  /** What is open goes dead without a word to either side, for ever; new connections work. */
  | { kind: 'half_open' }
  /** What is open is reset, and so is whoever comes. */
  | { kind: 'reset' }
  /** So many bytes at a time. */
  | { kind: 'drip'; bytes: number; every_ms: number }
  /** Each connection is cut after so many bytes more in that direction. */
  | { kind: 'cut'; direction: Direction; after_bytes: number }
  /** Requests arrive and are done; their answers do not, and the connection is cut instead. */
  | { kind: 'lose_answers' }

export type Connection = { cut(): void }

/** Looks at what passes. False keeps it from passing. */
export type Watch = (direction: Direction, bytes: Buffer, connection: Connection) => boolean

export type Link = {
  port: number
  /** Puts a fault on, in place of the one there is. */
  break(fault: Fault): void
  heal(): void
  /** Cuts all connections. */
  cut(): void
  /** Tells who listens that what was half open is gone, as its own keepalive would some day. */
  bury(): void
  /** Takes no new connections, or takes them again. */
  take(taken: boolean): void
  /** Leads new connections elsewhere. */
  lead(target: Target): void
  /** How many are open on the side of who connects. */
  open(): number
  close(): Promise<void>
}

export type Target = { host: string; port: number } | { path: string }

type Way = Connection & { near: Socket; far: Socket; is_dead: boolean; left: number }

/** `chance` is from 0 up to 1, for delays that vary. */
export async function openLink(
  target: Target,
  watch: Watch = () => true,
  chance: () => number = Math.random,
): Promise<Link> {
  const ways = new Set<Way>()
  const dead = new Set<Socket>()
  let fault: Fault | null = null
  let healed = Promise.withResolvers<void>()
  let is_taking = true
  let leads_to = target

  const server = createServer((near) => {
    near.on('error', () => {})
    if (!is_taking) return near.destroy()
    if (fault?.kind === 'reset') return near.resetAndDestroy()
    const far = connect(leads_to)
    const way: Way = {
      near,
      far,
      is_dead: false,
      left: leftOf(fault),
      cut() {
        near.destroy()
        far.destroy()
      },
    }
    ways.add(way)
    pass(way, 'there')
    pass(way, 'back')
  })

  function pass(way: Way, direction: Direction): void {
    const [from, to] = direction === 'there' ? [way.near, way.far] : [way.far, way.near]
    let waiting = Promise.resolve()
    let queued = 0
    from.on('error', () => {})
    from.on('data', (bytes) => {
      // A way that came back to life would have a gap in it, and TCP has none: it is dead for ever.
      if (way.is_dead || !watch(direction, bytes, way)) return
      if (fault === null && queued === 0) return void to.write(bytes)
      queued += 1
      waiting = waiting
        .then(() => send(way, direction, bytes))
        .then(() => {
          queued -= 1
        })
    })
    from.on('end', () => void waiting.then(() => way.is_dead || to.end()))
    from.on('close', () => {
      if (direction === 'there') ways.delete(way)
      void waiting.then(() => way.is_dead || to.destroy())
    })
  }

  async function send(way: Way, direction: Direction, bytes: Buffer): Promise<void> {
    const to = direction === 'there' ? way.far : way.near
    while (fault?.kind === 'stall' && !way.is_dead) await healed.promise
    if (way.is_dead || to.destroyed) return
    switch (fault?.kind) {
      case 'delay':
        await realClock.sleep(fault.ms + chance() * fault.jitter_ms)
        break
      case 'drip':
        return drip(to, bytes, fault)
      case 'lose_answers':
        if (direction === 'back') return way.cut()
        break
      case 'cut':
        if (direction !== fault.direction) break
        to.write(bytes.subarray(0, way.left))
        way.left -= bytes.length
        if (way.left > 0) return
        // What was let through arrives first.
        way.near.end(() => way.cut())
        way.far.end(() => way.cut())
        return
    }
    to.write(bytes)
  }

  /** Until the fault is another. */
  async function drip(to: Socket, bytes: Buffer, slow: Fault & { kind: 'drip' }): Promise<void> {
    let at = 0
    for (; fault === slow && at < bytes.length; at += slow.bytes) {
      to.write(bytes.subarray(at, at + slow.bytes))
      await realClock.sleep(slow.every_ms)
    }
    if (at < bytes.length) to.write(bytes.subarray(at))
  }

  function heal(): void {
    fault = null
    healed.resolve()
    healed = Promise.withResolvers()
  }

  const cut = () => {
    for (const way of ways) way.cut()
  }
  const bury = () => {
    for (const far of dead) far.destroy()
    dead.clear()
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as { port: number }).port,
    break(next) {
      heal()
      fault = next
      for (const way of ways) {
        way.left = leftOf(next)
        if (next.kind === 'half_open') {
          way.is_dead = true
          dead.add(way.far)
        }
        if (next.kind === 'reset') {
          way.near.resetAndDestroy()
          way.far.destroy()
        }
      }
    },
    heal,
    cut,
    bury,
    take(taken) {
      is_taking = taken
    },
    lead(next) {
      leads_to = next
    },
    open: () => ways.size,
    close() {
      heal()
      cut()
      bury()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}

function leftOf(fault: Fault | null): number {
  return fault?.kind === 'cut' ? fault.after_bytes : Number.POSITIVE_INFINITY
}
