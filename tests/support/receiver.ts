// Receivers of webhooks on loopback that answer byte for byte as a test says, and tell who came.

import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'

export type Received = {
  /** Request line and headers as they came. */
  head: string
  body: string
  /** Where the answer is to be written. */
  socket: Socket
  /** How many connections had been opened when it came. */
  connection: number
}

export type Receiver = {
  port: number
  url: string
  /** Of every connection, before TLS. */
  sockets: Socket[]
  /** What each connection was opened to. */
  addresses: string[]
  requests: Received[]
  /** Resolves when so many connections were opened. */
  connected(count: number): Promise<void>
  /** Resolves with the request of this number, from 1. */
  received(count: number): Promise<Received>
  close(): Promise<void>
}

type Options = {
  /** Addresses to listen on, all with one port; 127.0.0.1 where nothing is said. */
  hosts?: string[]
  tls?: boolean
  /** Hosts whose connections are taken and left alone. */
  silent?: string[]
}

const file = (name: string) => readFileSync(new URL(`fixtures/receiver/${name}.pem`, import.meta.url), 'utf8')

/** The root of the certificate that receivers have, which is for `hooks.example` and 127.0.0.1, until 2120. */
export const receiverRoot = file('root')

export async function openReceiver(
  answer: (request: Received) => void,
  { hosts = ['127.0.0.1'], tls = false, silent = [] }: Options = {},
): Promise<Receiver> {
  const sockets: Socket[] = []
  const addresses: string[] = []
  const requests: Received[] = []
  const waiting = new Set<() => void>()
  const look = () => {
    for (const each of waiting) each()
  }

  function accept(socket: Socket): void {
    socket.on('error', () => {})
    let bytes = Buffer.alloc(0)
    socket.on('data', (part: Buffer) => {
      bytes = Buffer.concat([bytes, part])
      // A greeting of TLS to a receiver without.
      if (bytes[0] === 0x16) return void socket.end(httpAnswer('400 Bad Request'))
      const request = wholeRequest(bytes)
      if (!request) return
      bytes = Buffer.alloc(0)
      const received = { ...request, socket, connection: sockets.length }
      requests.push(received)
      answer(received)
      look()
    })
  }

  function open(host: string): Server {
    const server = serverOf(silent.includes(host) ? 'silent' : tls ? 'tls' : 'plain')
    server.on('connection', (socket: Socket) => {
      sockets.push(socket)
      addresses.push(host)
      look()
    })
    return server.on('tlsClientError', () => {})
  }

  function serverOf(kind: 'plain' | 'tls' | 'silent'): Server {
    if (kind === 'silent') return createServer((socket) => socket.on('error', () => {}).resume())
    if (kind === 'plain') return createServer(accept)
    return createTlsServer({ key: file('key'), cert: file('certificate') }, accept)
  }

  function until<T>(found: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const value = found()
        if (value === undefined) return
        waiting.delete(check)
        resolve(value)
      }
      waiting.add(check)
      check()
    })
  }

  const { servers, port } = await listenOn(hosts, open)
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    sockets,
    addresses,
    requests,
    connected: (count) => until(() => (sockets.length >= count ? null : undefined)).then(() => {}),
    received: (count) => until(() => requests[count - 1]),
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => new Promise<void>((closed) => server.close(() => closed()))))
    },
  }
}

/** An HTTP answer with its length. */
export function httpAnswer(status: string, body: string | Buffer = '', headers = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = `HTTP/1.1 ${status}\r\ncontent-length: ${bytes.length}\r\n${headers}\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

/** The name that the client asked for in its TLS greeting. */
export function serverNameOf(socket: Socket): string | false {
  return (socket as TLSSocket & { servername: string | false }).servername
}

/** Resolves when the other side has ended the connection. */
export function ended(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve()
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

function wholeRequest(bytes: Buffer): { head: string; body: string } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.subarray(0, end).toString('latin1')
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  const body = bytes.subarray(end + 4)
  return body.length < length ? undefined : { head, body: body.toString() }
}

/** One port that is free on every host: where the first host's is taken on another, the next is tried. */
async function listenOn(hosts: string[], open: (host: string) => Server): Promise<{ servers: Server[]; port: number }> {
  for (;;) {
    const servers: Server[] = []
    let port = 0
    try {
      for (const host of hosts) {
        const server = open(host)
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject)
          server.listen(port, host, resolve)
        })
        servers.push(server)
        port = (server.address() as AddressInfo).port
      }
      return { servers, port }
    } catch (error) {
      for (const server of servers) server.close()
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}
