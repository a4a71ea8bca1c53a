// How values go to the database and come back: whole numbers within 2^53 - 1, times as Date, JSON, bytes, lists.

import type postgres from 'postgres'
import { readArray, writeArray } from './arrays.ts'

/** PostgreSQL refuses a zero byte whatever the type: this is what a value becomes that cannot be one. */
export const refused = '\0'

/** A serializer that throws takes the answers of other statements with it, so what it cannot spell is refused. */
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
export const types: Types = Object.fromEntries(
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

export type Types = Record<string, postgres.PostgresType>

/** From the number of a type to that of its list, as PostgreSQL has them built in. */
export const listTypes: Record<number, number> = Object.fromEntries(
  Object.values(scalar).map(({ oid, array_oid }) => [oid, array_oid]),
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
