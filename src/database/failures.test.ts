// What each failure means, by the codes that the driver, PostgreSQL and the system really give.

import { describe, expect, test } from 'vitest'
import * as failures from './failures.ts'

type Row = [name: string, error: unknown, means: string[]]

const lossNames = ['isConnectionLost', 'isStoreUnavailable']

const table: Row[] = [
  ['closed under a statement', { code: 'CONNECTION_CLOSED' }, lossNames],
  ['destroyed', { code: 'CONNECTION_DESTROYED' }, lossNames],
  ['reset', { code: 'ECONNRESET' }, lossNames],
  ['broken pipe', { code: 'EPIPE' }, lossNames],
  ['shut down', { code: '57P01' }, lossNames],
  ['crash of another session', { code: '57P02' }, lossNames],
  ['a shard is gone', { code: '08006' }, lossNames],
  ['starting', { code: '57P03' }, ['isStoreUnavailable']],
  ['our pool is closing', { code: 'CONNECTION_ENDED' }, ['isStoreUnavailable']],
  ['a cell was moved', { code: 'CELL_MOVED' }, ['isStoreUnavailable']],
  ['no answer to a connect', { code: 'CONNECT_TIMEOUT' }, ['isStoreUnavailable']],
  ['refused', { code: 'ECONNREFUSED' }, ['isStoreUnavailable']],
  ['refused at each address', { errors: [{ code: 'ECONNREFUSED' }] }, ['isStoreUnavailable']],
  ['no socket', { code: 'ENOENT' }, ['isStoreUnavailable']],
  ['too many clients', { code: '53300' }, ['isStoreUnavailable']],
  ['disk full', { code: '53100' }, ['isStoreUnavailable']],
  ['read-only', { code: '25006' }, ['isStoreUnavailable']],
  ['password changed', { code: '28P01' }, ['connectionFault', 'isStoreUnavailable']],
  ['no such database', { code: '3D000' }, ['connectionFault', 'isStoreUnavailable']],
  ['no such host', { code: 'ENOTFOUND' }, ['connectionFault', 'isStoreUnavailable']],
  ['a certificate of nobody', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, ['connectionFault', 'isStoreUnavailable']],
  ['statement timeout', { code: '57014' }, ['isStoreUnavailable']],
  ['lock timeout', { code: '55P03' }, ['isLockTimeout']],
  ['serialisation', { code: '40001' }, ['isRetriable']],
  ['deadlock', { code: '40P01' }, ['isRetriable']],
  ['unique', { code: '23505', constraint: 'keys_pkey' }, ['isUniqueViolation']],
  ['check', { code: '23514' }, []],
  ['syntax', { code: '42601' }, []],
  ['our own mistake', new TypeError('x is not a function'), []],
  ['no error at all', null, []],
  ['a number for a code', { code: 57 }, []],
]

describe('a failure means', () => {
  test.each(table)('%s', (_, error, means) => {
    const matches = Object.entries(failures).filter(([, is]) => is(error))
    expect(matches.map(([name]) => name).sort()).toEqual([...means].sort())
  })
})

test.each([
  ['28P01', 'address'],
  ['28000', 'address'],
  ['EAI_AGAIN', 'address'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['ECONNREFUSED', null],
])('%s is a fault of %s', (code, fault) => {
  expect(failures.connectionFault({ code })).toBe(fault)
})

test.each([
  ['keys_pkey', 'keys_pkey', true],
  ['keys_pkey_102043', 'keys_pkey', true],
  ['keys_v_2', 'keys_v_2', true],
  ['keys_pkey', 'other_pkey', false],
  ['keys_pkey_102043', 'keys', false],
  [undefined, 'keys_pkey', false],
])('the constraint %s is %s: %s', (constraint, constraint_name, expected) => {
  expect(failures.isUniqueViolation({ code: '23505', constraint }, constraint_name)).toBe(expected)
})
