// A pooler whose pool is full takes connections and answers nothing over them: whoever waits there says so, and gives up in time.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../tests/support/clock.ts'
import { logInto } from '../../../tests/support/service.ts'
import { openDatabase } from '../open.ts'
import { connect, listenTo, type Patience } from './driver.ts'
import { findPoolerProblem } from './pooler.ts'

/** What a server says to a user who needs no password: that, and to send statements. */
const greeting = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

let server: Server
let url: string
let clock: ManualClock
let sockets: Socket[]
/** Resolves when a statement has come. */
let statement: PromiseWithResolvers<void>

beforeEach(async () => {
  clock = manualClock()
  sockets = []
  statement = Promise.withResolvers()
  server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(greeting)
      socket.on('data', () => statement.resolve())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `postgresql://somebody@127.0.0.1:${(server.address() as AddressInfo).port}/shop`
})

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

/** Looks nine times, as often as a silence may last. */
async function waitedFor(failing: Promise<unknown>): Promise<Error> {
  const failure = failing.then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  )
  await statement.promise
  for (let look = 1; look <= 9; look += 1) await clock.advance(2_500)
  return failure
}

const statementOver = async (patience: Patience) => {
  const sql = connect(url, { connections_max: 1, ...patience })
  return sql`select 1`.finally(() => sql.end({ timeout: 0 }))
}

test.each<[string, (patience: Patience) => Promise<unknown>]>([
  ['a statement', statementOver],
  ['the look for a pooler', (patience) => findPoolerProblem(url, patience)],
  ['a listener', (patience) => listenTo(url, 'news', { heard() {}, opened() {} }, patience)],
])('%s says that it waits, and gives up', async (_, wait) => {
  let said = 0
  const onMute = () => {
    said += 1
  }
  const failing = wait({ clock, onMute })
  const failure = await waitedFor(failing)
  expect(failure.message).toContain('its pool may be full: "PgBouncer" in docs/operations/postgresql.md')
  expect(said).toBeGreaterThan(0)
})

test('a start says once how many connections it needs, and where it waits', async () => {
  const lines: Parameters<typeof logInto>[0] = []
  const options = { url, data_dir: '', connections_max: 8, listeners_max: 2, log: logInto(lines), clock }
  const failure = await waitedFor(openDatabase(options))
  expect(failure).toMatchObject({ name: 'Error', why: 'silence' })
  expect(failure.message).toMatch(/^The database at 127\.0\.0\.1:\d+\/shop cannot be used: it took a connection/)
  const database = url.replace(/^.*@/, '')
  expect(lines).toEqual([
    {
      level: 'warn',
      fields: { database, connections: 10 },
      message: 'waiting for the database, which answers nothing',
    },
  ])
})
