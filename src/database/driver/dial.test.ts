// A proxy without a server behind it takes connections and closes them: that is an answer, and not waited out.

import { type AddressInfo, createServer, connect as openSocket, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../tests/support/database.ts'
import { socketOf, throughPort } from '../../../tests/support/database-proxy.ts'
import { isStoreUnavailable } from '../failures.ts'
import { connect } from './driver.ts'

let fresh: FreshDatabase
let proxy: Server
let has_server = false
let connection_count = 0

beforeAll(async () => {
  fresh = await freshDatabase()
  proxy = createServer((near) => {
    connection_count += 1
    near.on('error', () => {})
    if (!has_server) return near.end()
    const far = openSocket({ path: socketOf(fresh.url) })
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  proxy.close()
  await fresh.drop()
})

test('a connection that is closed before it is of use fails, and the next may do', async () => {
  const { port } = proxy.address() as AddressInfo
  const sql = connect(throughPort(fresh.url, port), { connections_max: 1 })
  try {
    const error = await sql`select 1`.catch((caught) => caught)
    expect(error).toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(isStoreUnavailable(error)).toBe(true)
    expect(connection_count).toBe(1)
    has_server = true
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    expect(connection_count).toBe(2)
  } finally {
    await sql.end({ timeout: 1 })
  }
})
