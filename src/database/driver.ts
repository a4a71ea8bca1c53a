// The database driver with our types, our limits and none of its traps: the one place that makes connections.

import postgres from 'postgres'
import { readArray, writeArray } from './arrays.ts'
import { replaceablePool, type Sql } from './pool.ts'

/** A URL (`postgres://…`, `?host=/folder` for a Unix socket), or a Unix socket of our own. */
export type Address = string | { socket_folder: string; database: string }

export type ConnectOptions = {
  connections_max: number
  /** Milliseconds, 0 for none. */
  lock_timeout_ms?: number
  statement_timeout_ms?: number
  onStatement?: (text: string) => void
  onClose?: () => void
}

export const database_user = 'ripper'
export const socket_port = 5432

/** Makes a pool. Nothing is connected before the first statement. */
export function connect(address: Address, options: ConnectOptions): Sql {
  const { onStatement } = options
  const settings = {
    max: options.connections_max,
    connect_timeout: 5,
    // The driver's own delays grow to 20 s, during which a request would wait for a database that is long back.
    backoff: (failures: number) => Math.min(0.02 * failures, 0.2),
    onnotice: () => {},
    onclose: () => options.onClose?.(),
    ...(onStatement && { debug: (_: number, text: string) => onStatement(text) }),
    // PostgreSQL refuses a zero byte, so a forgotten value fails by itself. The driver's own check throws
    // while it builds the message, and on a busy connection that loses the answers of other statements.
    transform: { undefined: refused },
    // See arrays.ts.
    fetch_types: false,
    types,
    connection: {
      application_name: 'ripper',
      TimeZone: 'UTC',
      lock_timeout: options.lock_timeout_ms ?? 1500,
      statement_timeout: options.statement_timeout_ms ?? 15_000,
      idle_in_transaction_session_timeout: 30_000,
    },
  }
  return replaceablePool(() => {
    const sql = openPool(address, settings)
    const { shared } = sql.options as unknown as { shared: { typeArrayMap: object } }
    for (const { oid, array_oid } of Object.values(scalar)) {
      Object.assign(shared.typeArrayMap, { [oid]: array_oid })
    }
    return sql
  })
}

/** An address without user, password and parameters, for messages and logs. */
export function describeAddress(address: Address): string {
  if (typeof address !== 'string') return `${address.database} in ${address.socket_folder}`
  return address
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^[^/?]*@/, '')
    .replace(/\?.*$/s, '')
}

function openPool(address: Address, settings: postgres.Options<Types>): postgres.Sql {
  if (typeof address !== 'string') {
    const path = socketFile(address.socket_folder, socket_port)
    const local = { path, database: address.database, user: database_user, max_lifetime: null }
    return postgres({ ...settings, ...local }) as unknown as postgres.Sql
  }
  // The driver does not know libpq's way of naming a Unix socket.
  if (!/[?&]host=(%2F|\/)/i.test(address))
    return postgres(address, settings) as unknown as postgres.Sql
  const parsed = new URL(address)
  const path = socketFile(parsed.searchParams.get('host')!, Number(parsed.port) || socket_port)
  parsed.searchParams.delete('host')
  return postgres(parsed.href, { ...settings, path }) as unknown as postgres.Sql
}

type Types = Record<string, postgres.PostgresType>

function socketFile(folder: string, port: number): string {
  return `${folder}/.s.PGSQL.${port}`
}

const refused = '\0'

/** A serializer that throws would do the damage described above, so what it cannot spell is refused instead. */
function orRefused<T>(serialize: (value: T) => string): (value: T) => string {
  return (value) => {
    try {
      return serialize(value)
    } catch {
      return refused
    }
  }
}

const scalar = {
  bool: {
    oid: 16,
    array_oid: 1000,
    write: (value: boolean) => (value ? 't' : 'f'),
    read: (text: string) => text === 't',
  },
  bytea: {
    oid: 17,
    array_oid: 1001,
    write: orRefused((value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}`),
    read: (text: string) => Buffer.from(text.slice(2), 'hex'),
  },
  int8: { oid: 20, array_oid: 1016, write: writeWhole, read: readWhole },
  int4: { oid: 23, array_oid: 1007, write: writeWhole, read: readWhole },
  text: { oid: 25, array_oid: 1009, write: String, read: String },
  json: {
    oid: 114,
    array_oid: 199,
    write: orRefused((value: unknown) => JSON.stringify(value) ?? refused),
    read: (text: string): unknown => JSON.parse(text),
  },
  timestamptz: {
    oid: 1184,
    array_oid: 1185,
    write: orRefused((value: Date | string) => new Date(value).toISOString()),
    read: (text: string) => new Date(text),
  },
}

/** The same in the driver's words, with an array type for each, and jsonb read and written as json is. */
const types: Record<string, postgres.PostgresType> = Object.fromEntries(
  [...Object.entries(scalar), ['jsonb', { ...scalar.json, oid: 3802, array_oid: 3807 }] as const]
    .map(([name, type]) => [name, type as ScalarType] as const)
    .flatMap(([name, { oid, array_oid, write, read }]) => [
      [name, { to: oid, from: [oid], serialize: write, parse: read }],
      [
        `${name}_array`,
        {
          to: array_oid,
          from: [array_oid],
          serialize: orRefused((items: unknown[]) => writeArray(items, write)),
          parse: (text: string) => readArray(text, read),
        },
      ],
    ]),
)

type ScalarType = {
  oid: number
  array_oid: number
  write: (value: unknown) => string
  read: (text: string) => unknown
}

function writeWhole(value: number | bigint | string): string {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? refused : String(value)
}

function readWhole(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('a number beyond 2^53 - 1 was read')
  return value
}
