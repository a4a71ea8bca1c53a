// Connections follow what a server's address says about TLS, or the address is refused.

import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, connect as openSocket, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../tests/support/database.ts'
import { socketOf, throughPort } from '../../tests/support/database-proxy.ts'
import { until } from '../../tests/support/service.ts'
import { connect } from '../database/driver/driver.ts'
import { readDatabaseAddress } from './database-address.ts'

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../tests/support/fixtures/receiver/${name}.pem`, import.meta.url))
/** The root that signed the server's certificate, which is valid for `hooks.example` and 127.0.0.1. */
const root = `sslrootcert=${fixture('root')}`
/** The server's certificate is no root of itself. */
const other = `sslrootcert=${fixture('certificate')}`
const own = `sslcert=${fixture('certificate')}&sslkey=${fixture('key')}`

let fresh: FreshDatabase
let front: Server
let has_tls = true
let serverEvents: string[] = []
const sockets = new Set<Socket>()

beforeAll(async () => {
  fresh = await freshDatabase()
  front = createServer(admit)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
})

afterEach(() => {
  has_tls = true
  serverEvents = []
  for (const socket of sockets) socket.destroy()
})

afterAll(async () => {
  front.close()
  await fresh.drop()
})

/** The database behind a server that talks TLS, or does not. */
function admit(near: Socket): void {
  sockets.add(near)
  near.on('close', () => sockets.delete(near))
  near.on('error', () => {})
  near.once('data', (first: Buffer) => {
    if (first.readInt32BE(4) !== ssl_request) {
      serverEvents.push('plain')
      return passOn(near, first)
    }
    if (!has_tls) {
      near.write('N')
      return near.once('data', () => serverEvents.push('more after a no'))
    }
    near.write('S')
    const [cert, key] = [readFileSync(fixture('certificate')), readFileSync(fixture('key'))]
    const tlsOptions = { requestCert: true, rejectUnauthorized: false }
    const safe = new TLSSocket(near, { isServer: true, cert, key, ...tlsOptions })
    safe.on('error', () => {})
    safe.once('secure', () => {
      const { subject } = safe.getPeerCertificate()
      serverEvents.push(subject ? `tls as ${subject.CN}` : 'tls')
    })
    passOn(safe, null)
  })
}

const ssl_request = 80_877_103

function passOn(near: Socket, first: Buffer | null): void {
  const far = openSocket({ path: socketOf(fresh.url) })
  far.on('error', () => near.destroy())
  near.on('close', () => far.destroy())
  if (first) far.write(first)
  near.pipe(far).pipe(near)
}

/** How the server saw the connection, or why there is none. */
async function meet(query: string, host = '127.0.0.1'): Promise<string> {
  const sql = connect(addressOf(query, host), { connections_max: 1 })
  try {
    await sql`select 1`
    return serverEvents[0]!
  } catch (error) {
    return (error as Error).message
  } finally {
    await sql.end({ timeout: 0 })
  }
}

function addressOf(query: string, host = '127.0.0.1'): string {
  const { port } = front.address() as { port: number }
  const { href } = new URL(throughPort(fresh.url, port))
  return `${href.replace('@127.0.0.1', `@${host}`).replace(/\?.*/, '')}?${query}`
}

test.each<[string, string, string | undefined]>([
  ['', 'plain', undefined],
  ['sslmode=disable', 'plain', undefined],
  ['sslmode=prefer', 'tls', undefined],
  ['sslmode=require', 'tls', undefined],
  [`sslmode=require&${root}`, 'tls', 'localhost'],
  [`sslmode=require&${other}`, 'unable to verify', undefined],
  [`sslmode=verify-ca&${root}`, 'tls', 'localhost'],
  [`sslmode=verify-ca&${other}`, 'unable to verify', undefined],
  ['sslmode=verify-full', 'unable to verify', undefined],
  ['sslmode=verify-full&sslrootcert=system', 'unable to verify', undefined],
  [`sslmode=verify-full&${root}`, 'tls', undefined],
  [`sslmode=verify-full&${root}`, 'does not match', 'localhost'],
  [`sslmode=verify-full&${other}`, 'unable to verify', undefined],
  [`sslmode=require&${own}`, 'tls as hooks.example', undefined],
  [root, 'tls', undefined],
  [root, 'does not match', 'localhost'],
  ['sslmode=require&channel_binding=prefer&application_name=a%20b', 'tls', undefined],
])('?%s: %s', async (query, expected, host) => {
  expect(await meet(query, host)).toContain(expected)
})

test('a server without TLS is taken only where it may be', async () => {
  has_tls = false
  expect(await meet('sslmode=prefer')).toBe('plain')
  serverEvents = []
  expect(await meet('sslmode=require')).toContain('does not support SSL')
  // Nothing of the planned messages was sent.
  expect(serverEvents).toEqual([])
})

test.each([
  ['sslmode=sometimes', 'must have one of disable, prefer, require, verify-ca, verify-full'],
  ['sslmode=', 'must have one of'],
  ['sslmode=verify-ca', 'must name an sslrootcert beside sslmode=verify-ca.'],
  ['sslmode=verify-ca&sslrootcert=system', 'must have sslmode=verify-full beside'],
  ['sslmode=require&sslrootcert=system', 'must have sslmode=verify-full beside'],
  [own, 'must have sslmode=require or more beside sslcert.'],
  [`sslmode=prefer&${root}`, 'must have sslmode=require or more beside sslrootcert.'],
  ['sslnegotiation=direct', 'must have sslmode=require or more beside sslnegotiation.'],
  [`sslmode=require&sslcert=${import.meta.filename}`, 'names certificates that cannot be used'],
  ['ssl=true', 'must say sslmode instead of ssl.'],
  ['sslmode=require&channel_binding=require', 'must not require channel_binding'],
  ['sslmode=require&sslkey=/no/such/key', 'names an sslkey that cannot be read: ENOENT'],
])('?%s is refused', (query, words) => {
  expect(() => readDatabaseAddress(`postgres://u:hunter2@db/shop?${query}`)).toThrow(words)
})

test.each([
  ['postgres://u:p%40x@a:1,b:2/shop?sslmode=require', 'postgres://u:p%40x@a:1,b:2/shop'],
  ['postgres://db/shop?host=/tmp/x&sslmode=disable', 'postgres://db/shop?host=%2Ftmp%2Fx'],
  ['postgres://db/shop?lock_timeout=0', 'postgres://db/shop?lock_timeout=0'],
  ['postgres://db/shop', 'postgres://db/shop'],
])('%s goes to the driver as %s', (address, bare) => {
  expect(readDatabaseAddress(address).url).toBe(bare)
})

test.each([
  ['postgres://u:p@[::1]:5433/shop', { host: ['::1'], port: [5433] }],
  ['postgres://u:p@one,[fe80::2]/shop', { host: ['one', 'fe80::2'], port: [5432, 5432] }],
  ['postgres://u:p@one:5433,two/shop', { host: ['one', 'two'], port: [5433, 5432] }],
  ['postgres:///shop?host=/tmp/x', null],
])('the servers of %s', (address, servers) => {
  expect(readDatabaseAddress(address).servers).toEqual(servers)
})

test('files are read once: connections are made after they are gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ripper-tls-'))
  const copy = join(folder, 'root.pem')
  copyFileSync(fixture('root'), copy)
  const sql = connect(addressOf(`sslrootcert=${copy}`), { connections_max: 1 })
  try {
    await sql`select 1`
    rmSync(folder, { recursive: true })
    for (const socket of sockets) socket.destroy()
    await until(
      () => sql`select 1`.catch(() => []),
      (rows) => rows.length === 1,
    )
  } finally {
    await sql.end({ timeout: 0 })
  }
  expect(serverEvents).toEqual(['tls', 'tls'])
})

test.each([
  ['postgres://u:p%40x@other.example:1,hooks.example:2/shop', undefined],
  ['postgres://hooks.example/shop', undefined],
  ['postgres://u:p@127.0.0.1:5433/shop', undefined],
  ['postgres://u:p@[::1]:5433/shop', 'not in the cert'],
  ['postgres://other.example,more.example/shop', 'not in the cert'],
])('a certificate of hooks.example and 127.0.0.1 for %s: %s', (address, fault) => {
  const { ssl } = readDatabaseAddress(`${address}?sslmode=verify-full`)
  const { checkServerIdentity } = ssl as { checkServerIdentity: Check }
  const certificate = {
    subject: { CN: 'hooks.example' },
    subjectaltname: 'DNS:hooks.example, IP Address:127.0.0.1',
  }
  const error = checkServerIdentity('localhost', certificate)
  if (fault === undefined) expect(error).toBeUndefined()
  else expect(error?.message).toContain(fault)
})

type Check = (host: string, certificate: object) => Error | undefined

const unreadable = ['ab/cd', '12/34secret', 'p#x', '12#34', 'p?x', '12?34secret', 'p%ss', '50%s']
test.each(unreadable)('a password %s that is not encoded is refused, and no part of it is shown', (password) => {
  const address = `postgresql://ripper:${password}@127.0.0.1:5432/r`
  const failure = (() => {
    try {
      return readDatabaseAddress(address)
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(failure).toMatch(/^must be an address such as/)
  expect(failure).not.toContain(password)
  const encoded = `postgresql://ripper:${encodeURIComponent(password)}@127.0.0.1:5432/r`
  expect(readDatabaseAddress(encoded).url).toBe(encoded)
})

test.each([
  'postgres://ripper:p@x@db.example/r',
  'postgres://ripper:p:x@db.example:5432/r',
  'postgres://ripper@[::1]:5432/r',
  'postgres://[::1]/r',
  'postgres://a:1,b:2/r?application_name=x',
  'postgres:///r?host=%2Fvar%2Frun%2Fpostgresql',
])('%s is read', (address) => {
  expect(readDatabaseAddress(address).url).toBe(address)
})
