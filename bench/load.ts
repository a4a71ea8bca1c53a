// Makes load: a lean HTTP/1.1 client on raw sockets, because generator, service and PostgreSQL share the machine's
// cores, and the two models of load. Loopback only; every load ends by its time or count.

import { connect as openSocket, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

export type Answer = { status: number; body: Buffer }

/** One connection, kept alive, with one request under way at a time. */
export type Client = { send(request: Buffer): Promise<Answer>; close(): void }

export type Load = {
  done: number
  failed: number
  /** From the first start to the last end. */
  seconds: number
  /** Of what was done, ascending. */
  latencies_ms: number[]
}

/** The nth piece of work; false counts as failed. */
export type Work = (client: Client, index: number) => Promise<boolean>

export function openClients(base_url: string, count: number): Promise<Client[]> {
  const { hostname, port } = new URL(base_url)
  if (hostname !== '127.0.0.1') throw new Error('load is made on loopback only')
  return Promise.all(Array.from({ length: count }, () => openClient(hostname, Number(port))))
}

/** Closed model: each client begins its next piece of work when the last has ended. Ends by time or by count. */
export async function closedLoad(
  clients: Client[],
  limit: { seconds?: number; count?: number },
  work: Work,
): Promise<Load> {
  const load = emptyLoad()
  const start = performance.now()
  const end = start + (limit.seconds ?? 3600) * 1000
  const count = limit.count ?? Number.POSITIVE_INFINITY
  let begun = 0
  const workAll = async (client: Client) => {
    while (begun < count && performance.now() < end) {
      await measure(load, performance.now(), () => work(client, begun++))
    }
  }
  await Promise.all(clients.map(workAll))
  return finish(load, start)
}

/**
 * Open model: work arrives at a fixed rate whether or not what came before has ended. Its latency counts from the
 * moment it should have begun, so that waiting for a free client is part of it. Clients are opened as they are needed:
 * the service ends a connection that says nothing in its first 10 seconds.
 */
export async function openLoad(
  base_url: string,
  offered: { per_second: number; seconds: number; clients_max: number },
  work: Work,
): Promise<Load> {
  const load = emptyLoad()
  const clients: Client[] = []
  const idle: Client[] = []
  const waiting: number[] = []
  const running = new Set<Promise<void>>()
  const start = performance.now()
  const total = Math.round(offered.per_second * offered.seconds)
  const intended = (index: number) => start + (index * 1000) / offered.per_second
  const workOff = async (client: Client, first: number) => {
    for (let index: number | undefined = first; index !== undefined; index = waiting.shift()) {
      const own = index
      await measure(load, intended(own), () => work(client, own))
    }
    idle.push(client)
  }
  let opened = 0
  const begin = async (index: number) => {
    const known = idle.pop()
    if (known) return workOff(known, index)
    if (opened === offered.clients_max) return void waiting.push(index)
    opened += 1
    const [client] = await openClients(base_url, 1)
    clients.push(client!)
    return workOff(client!, index)
  }
  for (let arrived = 0; arrived < total; ) {
    while (arrived < total && intended(arrived) <= performance.now()) {
      const begun = begin(arrived).finally(() => running.delete(begun))
      running.add(begun)
      arrived += 1
    }
    await pause(1)
  }
  while (running.size > 0) await Promise.all(running)
  for (const client of clients) client.close()
  return finish(load, start)
}

function openClient(host: string, port: number): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = openSocket({ host, port, noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => resolve(clientOn(socket)))
  })
}

function clientOn(socket: Socket): Client {
  let received: Buffer | null = null
  let settle: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null
  const fail = (error: Error) => {
    settle?.reject(error)
    settle = null
  }
  socket.removeAllListeners('error')
  socket.on('error', fail)
  socket.on('close', () => fail(closed()))
  socket.on('data', (chunk) => {
    // The service says farewell before it ends a connection; whoever sends next learns of it.
    if (!settle) return
    received = received ? Buffer.concat([received, chunk]) : chunk
    const answer = readAnswer(received)
    if (!answer) return
    received = null
    const { resolve } = settle
    settle = null
    resolve(answer)
  })
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) reject(closed())
        settle = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

function closed(): Error {
  return new Error('the service closed the connection')
}

/** The answer, once all of it is there: the service names the length of every body. */
function readAnswer(bytes: Buffer): Answer | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const head = bytes.toString('latin1', 0, headEnd)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const bodyStart = headEnd + 4
  if (bytes.length < bodyStart + length) return null
  return { status: Number(head.slice(9, 12)), body: bytes.subarray(bodyStart, bodyStart + length) }
}

async function measure(load: Load, from_ms: number, work: () => Promise<boolean>): Promise<void> {
  if (await work()) {
    load.done += 1
    load.latencies_ms.push(performance.now() - from_ms)
  } else {
    load.failed += 1
  }
}

function emptyLoad(): Load {
  return { done: 0, failed: 0, seconds: 0, latencies_ms: [] }
}

function finish(load: Load, start: number): Load {
  load.seconds = (performance.now() - start) / 1000
  load.latencies_ms.sort((a, b) => a - b)
  return load
}
