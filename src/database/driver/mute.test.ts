// A pooler whose pool is full takes connections and answers nothing over them: whoever waits there says so, and gives up in time.

import { type AddressInfo, createServer, connect as openSocket, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../tests/support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../../../tests/support/database.ts'
import { socketOf, throughPort } from '../../../tests/support/database-proxy.ts'
import { logInto, until } from '../../../tests/support/service.ts'
import { quiet } from '../../../tests/support/world.ts'
import { openDatabase } from '../open.ts'
import { connect, describeAddress, listenTo, type Patience } from './driver.ts'
import { findPooling } from './pooler.ts'

/** What a server says to a user who needs no password: that, and to send statements. */
const greeting = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

let fresh: FreshDatabase
let pooler: Server
let url: string
let clock: ManualClock
let sockets: Socket[]
/** How many connections the pooler passes on at once. */
let places: number
/** Connections with a place, those of them whose statements were not answered yet, and those without over which some came. */
let held: Set<Socket>
let pending: Set<Socket>
let mute: Set<Socket>

beforeAll(async () => {
  fresh = await freshDatabase('empty')
})

afterAll(() => fresh.drop())

beforeEach(async () => {
  clock = manualClock()
  sockets = []
  places = 0
  held = new Set()
  pending = new Set()
  mute = new Set()
  pooler = createServer((near) => {
    sockets.push(near)
    near.on('error', () => {})
    if (places === 0) withoutPlace(near)
    else withPlace(near)
  })
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
  url = throughPort(fresh.url, (pooler.address() as AddressInfo).port)
})

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  pooler.close()
})

function withoutPlace(near: Socket): void {
  near.once('data', () => {
    near.write(greeting)
    near.on('data', () => mute.add(near))
  })
}

function withPlace(near: Socket): void {
  places -= 1
  held.add(near)
  const far = openSocket({ path: socketOf(fresh.url) })
  far.on('error', () => near.destroy())
  near.on('close', () => {
    places += 1
    held.delete(near)
    pending.delete(near)
    far.destroy()
  })
  near.on('data', () => pending.add(near))
  far.on('data', () => pending.delete(near))
  near.pipe(far).pipe(near)
}

/** Looks nine times, as often as a silence may last, once there are so many connections and the server has nothing to do. */
async function waitedFor(failing: Promise<unknown>, count = 1): Promise<Error> {
  const failure = failing.then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  )
  await until(
    async () => mute.size > 0 && mute.size + held.size === count && pending.size === 0,
    (has_come) => has_come,
  )
  for (let look = 1; look <= 9; look += 1) await clock.advance(2_500)
  return failure
}

const statementOver = async (patience: Patience) => {
  const sql = connect(url, { connections_max: 1, ...patience })
  return sql`select 1`.finally(() => sql.end({ timeout: 0 }))
}

test.each<[string, (patience: Patience) => Promise<unknown>]>([
  ['a statement', statementOver],
  ['the look for a pooler', (patience) => findPooling(url, patience)],
  ['a listener', (patience) => listenTo(url, 'news', { heard() {}, opened() {} }, patience)],
])('%s says that it waits, and gives up', async (_, wait) => {
  let said = 0
  const onMute = () => {
    said += 1
  }
  const failing = wait({ clock, start: { is_over: false, onMute } })
  const failure = await waitedFor(failing)
  expect(failure.message).toContain('its pool may be full: "PgBouncer" in docs/operations/postgresql.md')
  expect(said).toBeGreaterThan(0)
})

test.each([
  ['some of its connections', 3],
  ['all but one of those that listen', 6],
])('a start that finds places for %s gives up before it takes requests', async (_, count) => {
  places = count
  const options = { url, data_dir: '', connections_max: 5, log: quiet, clock }
  const failure = await waitedFor(openDatabase({ ...options, is_service: true }), 5 + 2)
  expect(failure).toMatchObject({ why: 'silence' })
})

test.each([
  // Two look for a pooler, and may not have given their places back yet.
  ['a start that finds a place for each', 5 + 2 + 2, true],
  ['a command, which takes them as it needs them', 3, false],
])('%s goes on', async (_, count, is_service) => {
  places = count
  const options = { url, data_dir: '', connections_max: 5, log: quiet, clock, is_service }
  const database = await openDatabase(options)
  expect(await database.sql`select 1 as n`).toEqual([{ n: 1 }])
  await database.close()
  expect(mute.size).toBe(0)
})

test('a listener that finds no place is a database that cannot be used', async () => {
  places = 3
  const lines: Parameters<typeof logInto>[0] = []
  const database = await openDatabase({ url, data_dir: '', connections_max: 1, log: logInto(lines), clock })
  places = 0
  const failure = await waitedFor(database.listen('news', { heard() {}, opened() {} }), mute.size + held.size + 1)
  await database.close()
  expect(failure.message).toMatch(/^The database at .* cannot be used: it took a connection/)
  expect(lines.map(({ message }) => message)).toEqual(['waiting for the database, which answers nothing'])
})

test('once it has started, nobody is sent to the pooler for a first statement that waits', async () => {
  places = 3
  const lines: Parameters<typeof logInto>[0] = []
  const database = await openDatabase({ url, data_dir: '', connections_max: 1, log: logInto(lines), clock })
  for (const socket of held) socket.destroy()
  await until(
    async () => held.size,
    (count) => count === 0,
  )
  places = 0
  const failure = await waitedFor(database.sql.begin((tx) => tx`select 1`))
  await database.close()
  expect(failure).toMatchObject({ message: 'the server was silent', code: 'CONNECTION_CLOSED' })
  expect(lines).toEqual([])
})

test('a start says once how many connections it needs, and where it waits', async () => {
  const lines: Parameters<typeof logInto>[0] = []
  const options = { url, data_dir: '', connections_max: 8, is_service: true, log: logInto(lines), clock }
  const failure = await waitedFor(openDatabase(options))
  expect(failure).toMatchObject({ name: 'Error', why: 'silence' })
  expect(failure.message).toMatch(/^The database at 127\.0\.0\.1:\d+\/\w+ cannot be used: it took a connection/)
  const database = describeAddress(url)
  expect(lines).toEqual([
    {
      level: 'warn',
      fields: { database, connections: 10 },
      message: 'waiting for the database, which answers nothing',
    },
  ])
})
