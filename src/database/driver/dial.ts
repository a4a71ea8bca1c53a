// Makes the driver's connections: to a Unix socket, or to the first of several servers that will have us.

import { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import type { Dialled } from './session.ts'

/** `servers` are tried in order. */
export type Destination = {
  servers: { host: string; port: number }[]
  user: string
  password: string
  database: string
  ssl: false | 'prefer' | ConnectionOptions
  /** Whether statements may be prepared under names. */
  has_names: boolean
  /** Of several servers, only one that can be written to will do. */
  is_writable: boolean
  /** Settings of the connection. */
  parameters: Record<string, string>
}

const connect_timeout_ms = 5_000
/** The server's side of it is among the settings of a connection. */
const keepalive_ms = 60_000

/** Throws the error of the last server. */
export async function dial(destination: Destination, way: Way = pipelined): Promise<Dialled> {
  let failure: unknown
  for (const server of destination.servers) {
    try {
      return await dialServer(destination, server, way)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

type Server = Destination['servers'][number]

/** `pipeline`: whether statements are sent before earlier ones were answered. COPY cannot be among them. */
type Way = { pipeline: boolean }

const pipelined: Way = { pipeline: true }

async function dialServer(destination: Destination, server: Server, way: Way): Promise<Dialled> {
  const { ssl } = destination
  if (ssl !== 'prefer') return open(destination, server, { ssl, ...way })
  try {
    return await open(destination, server, { ssl: { rejectUnauthorized: false }, ...way })
  } catch (error) {
    if (codeOf(error) !== no_tls) throw error
    return open(destination, server, { ssl: false, ...way })
  }
}

async function open(
  destination: Destination,
  server: Server,
  { ssl, pipeline }: Way & { ssl: false | ConnectionOptions },
): Promise<Dialled> {
  const { user, password, database } = destination
  const socket = new Socket()
  socket.setKeepAlive(true, keepalive_ms)
  const client = new Client(destination.parameters, {
    // As a function: for an empty one the driver would look for others, in the environment and in files.
    ...server,
    user,
    password: () => password,
    database,
    ssl,
    pipeline,
    stream: () => socket,
    connectionTimeoutMillis: connect_timeout_ms,
  } as pg.ClientConfig)
  // The user of the connection checks whether it was lost meanwhile. Without a listener, an error would end the
  // process.
  client.on('error', () => {})
  // The driver's own limit ends with the greeting.
  const timer = setTimeout(() => socket.destroy(), connect_timeout_ms)
  try {
    await client.connect()
    if (destination.is_writable) await refuseReadOnly(client)
    return { client, socket }
  } catch (error) {
    socket.destroy()
    throw coded(error)
  } finally {
    clearTimeout(timer)
  }
}

class Client extends pg.Client {
  private readonly parameters: Record<string, string>

  constructor(parameters: Record<string, string>, config: pg.ClientConfig) {
    super(config)
    this.parameters = parameters
  }

  /** The driver's own way of giving settings names only a few of them. */
  getStartupConf(): Record<string, string> {
    const { user, database } = this
    return { user: user!, database: database!, ...this.parameters }
  }
}

async function refuseReadOnly(client: pg.Client): Promise<void> {
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0].transaction_read_only === 'off') return
  throw Object.assign(new Error('the server is read-only'), { code: '25006' })
}

const no_tls = 'ERR_TLS_NOT_SUPPORTED'

const codes = new Map([
  ['timeout expired', 'CONNECT_TIMEOUT'],
  ['The server does not support SSL connections', no_tls],
])

function coded(error: unknown): unknown {
  if (!(error instanceof Error) || codeOf(error) !== undefined) return error
  const code = codes.get(error.message) ?? 'CONNECTION_CLOSED'
  return Object.assign(new Error(error.message, { cause: error }), { code })
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code
}
