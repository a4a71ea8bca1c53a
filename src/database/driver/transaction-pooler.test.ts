// A pooler that lends its one connection by the transaction: starts on it do not wait for each other.

import { type AddressInfo, createServer, connect as openSocket, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../tests/support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../../../tests/support/database.ts'
import { socketOf, throughPort } from '../../../tests/support/database-proxy.ts'
import { quiet } from '../../../tests/support/world.ts'
import { openDatabase } from '../open.ts'
import { findPooling } from './pooler.ts'

/** What a server says to a user who needs no password: that, and to send statements. */
const greeting = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

let fresh: FreshDatabase
let pooler: Server
let url: string
let sockets: Socket[]

beforeAll(async () => {
  fresh = await freshDatabase('empty')
})

afterAll(() => fresh.drop())

beforeEach(async () => {
  sockets = []
  pooler = createServer(openLender())
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
  url = throughPort(fresh.url, (pooler.address() as AddressInfo).port)
})

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  pooler.close()
})

/** Lends one connection of the server: who begins first keeps it until its transaction ends. */
function openLender(): (near: Socket) => void {
  const queue: { near: Socket; message: Buffer }[] = []
  let far: Socket | null = null
  let is_greeted = false
  let borrower: Socket | null = null
  let unanswered = 0
  let is_whole = true

  function pass(near: Socket, message: Buffer): void {
    borrower = near
    is_whole = isOf(message, 'SQ')
    if (is_whole) unanswered += 1
    // As PgBouncer does: whoever prepared a statement, it has a name of the pooler's.
    far!.write(Buffer.from(message.toString('latin1').replaceAll(/r(?=[0-9a-f]{12}_)/g, 'p'), 'latin1'))
  }

  function lend(): void {
    for (let at = 0; is_greeted && at < queue.length; ) {
      const { near, message } = queue[at]!
      if (borrower !== null && borrower !== near) at += 1
      else {
        queue.splice(at, 1)
        pass(near, message)
      }
    }
  }

  function answer(message: Buffer): void {
    const is_ready = isOf(message, 'Z')
    if (!is_greeted) is_greeted = is_ready
    else {
      borrower?.write(message)
      if (is_ready) unanswered -= 1
      if (is_ready && is_whole && unanswered === 0 && message.toString('latin1', 5) === 'I') borrower = null
    }
    lend()
  }

  function connectWith(startup: Buffer): Socket {
    const socket = openSocket({ path: socketOf(fresh.url) })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', byMessage(answer))
    socket.write(startup)
    return socket
  }

  return (near) => {
    sockets.push(near)
    near.on('error', () => {})
    near.once('data', (startup) => {
      far ??= connectWith(startup)
      near.write(greeting)
      const take = (message: Buffer) => {
        // A goodbye is for the pooler.
        if (isOf(message, 'X')) near.end()
        else queue.push({ near, message })
        lend()
      }
      near.on('data', byMessage(take))
    })
  }
}

function isOf(message: Buffer, types: string): boolean {
  return types.includes(message.toString('latin1', 0, 1))
}

/** Passes on whole messages, each by itself. */
function byMessage(pass: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1)
      pass(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

test('is found to lend by the transaction', async () => {
  await expect(findPooling(url, { clock: manualClock() })).resolves.toBe('by_transaction')
})

test('two services start on it at once', async () => {
  const options = { url, data_dir: '', connections_max: 3, is_service: true, log: quiet, clock: manualClock() }
  const databases = await Promise.all([openDatabase(options), openDatabase(options)])
  for (const { sql } of databases) expect(await sql.begin((tx) => tx`select 1 as n`)).toEqual([{ n: 1 }])
  await Promise.all(databases.map(({ close }) => close()))
})
