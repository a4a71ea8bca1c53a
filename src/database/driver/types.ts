// How values go to the database and come back: whole numbers within 2^53 - 1, times as Date, JSON, bytes, lists. PostgreSQL says which
// type each parameter and column has, by its number.

/** PostgreSQL refuses a zero byte in every type: a value that does not fit its type becomes this. */
const invalid_value = '\0'

type Type = {
  write: (value: never) => string | Buffer
  read: (text: string) => unknown
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
    write: (value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}`,
    read: (text: string) => Buffer.from(text.slice(2), 'hex'),
  },
  int8: { oid: 20, array_oid: 1016, write: writeWhole, read: readWhole },
  int2: { oid: 21, array_oid: 1005, write: writeWhole, read: readWhole },
  int4: { oid: 23, array_oid: 1007, write: writeWhole, read: readWhole },
  text: { oid: 25, array_oid: 1009, write: String, read: String },
  oid: { oid: 26, array_oid: 1028, write: writeWhole, read: readWhole },
  json: { oid: 114, array_oid: 199, write: writeJson, read: readJson },
  float4: { oid: 700, array_oid: 1021, write: String, read: Number },
  float8: { oid: 701, array_oid: 1022, write: String, read: Number },
  date: { oid: 1082, array_oid: 1182, write: writeTime, read: (text: string) => new Date(text) },
  timestamptz: { oid: 1184, array_oid: 1185, write: writeTime, read: (text: string) => new Date(text) },
  jsonb: { oid: 3802, array_oid: 3807, write: writeJson, read: readJson },
}

const types = new Map<number, Type>(
  Object.values(scalar).flatMap(({ oid, array_oid, write, read }): [number, Type][] => [
    [oid, { write: write as Type['write'], read }],
    [
      array_oid,
      {
        write: (items: never) => writeArray(items as unknown[], write as (item: unknown) => string),
        read: (text) => readArray(text, read as (item: string) => unknown),
      },
    ],
  ]),
)
// A single value goes as the bytes that it is.
types.get(scalar.bytea.oid)!.write = (value: Uint8Array) => Buffer.from(value)

const listOf = new Map(Object.values(scalar).map(({ oid, array_oid }) => [oid, array_oid]))

/**
 * The form in which a value is sent for a parameter of that type. Never throws: PostgreSQL refuses a value that does
 * not fit.
 */
export function writeValue(oid: number, value: unknown): string | Buffer | null {
  if (value === null) return null
  if (value === undefined) return invalid_value
  try {
    const type = types.get(oid)
    if (type) return type.write(value as never)
    if (value instanceof Date) return writeTime(value)
    return Array.isArray(value) ? writeArray(value, String) : String(value)
  } catch {
    return invalid_value
  }
}

/** How a column of that type is read. */
export function readerOf(oid: number): Type['read'] {
  return types.get(oid)?.read ?? String
}

/** The type that a value is declared to have: PostgreSQL prepares a statement for types, and 0 leaves one to it. */
export function typeOf(value: unknown): number {
  if (typeof value === 'boolean') return scalar.bool.oid
  if (typeof value === 'bigint') return scalar.int8.oid
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Date) return scalar.timestamptz.oid
  if (value instanceof Uint8Array) return scalar.bytea.oid
  if (!Array.isArray(value)) return 0
  return listOf.get(typeOf(value[0])) ?? 0
}

function writeWhole(value: number | bigint | string): string {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? invalid_value : String(value)
}

function readWhole(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('a number beyond 2^53 - 1 was read')
  return value
}

function writeJson(value: unknown): string {
  return JSON.stringify(value) ?? invalid_value
}

function readJson(text: string): unknown {
  return JSON.parse(text)
}

function writeTime(value: Date | string): string {
  return new Date(value).toISOString()
}

/** `{"1","2",NULL}`; each item as its own type spells it. */
export function writeArray<T>(items: readonly (T | null)[], write: (item: T) => string): string {
  const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`
  return `{${items.map((item) => (item === null ? 'NULL' : quote(write(item)))).join(',')}}`
}

export function readArray<T>(text: string, read: (item: string) => T): (T | null)[] {
  if (!/^\{(?!\{)/.test(text)) throw new TypeError('an array of several dimensions was read')
  // An item is quoted, with backslashes before what would end it, or bare.
  const items = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,"{}]+)/gs)
  return Array.from(items, ([, quoted_item, bare]) => {
    if (quoted_item !== undefined) return read(quoted_item.replace(/\\(.)/gs, '$1'))
    return bare === 'NULL' ? null : read(bare!)
  })
}
