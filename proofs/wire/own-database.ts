// A database of a proof's own outside of the tests' runner: a server that is gone afterwards, with one database in it.

import type { TestProject } from 'vitest/node'
import { connect } from '../../src/database/driver/driver.ts'
import { openDatabase } from '../../src/database/open.ts'
import type { FreshDatabase } from '../../tests/support/database.ts'
import { setup, type TestServer } from '../../tests/support/setup-database.ts'
import { quiet, realClock } from '../../tests/support/world.ts'

export async function withDatabase<T>(work: (database: FreshDatabase) => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<TestServer>()
  const provide = (_name: string, provided: TestServer) => resolve(provided)
  const stop = await setup({ provide } as unknown as TestProject)
  const { url_of, template } = await promise
  const name = `proof_${process.pid}`
  const url = url_of.replace('{name}', name)
  const admin = connect(url_of.replace('{name}', 'template1'), { connections_max: 1 })
  const drop = async () => {
    await admin.unsafe(`drop database if exists ${name} with (force)`)
  }
  try {
    await admin.unsafe(`create database ${name} template ${template}`)
    const fixed = { url, data_dir: '', connections_max: 5, log: quiet, clock: realClock }
    return await work({ url, drop, open: (options = {}) => openDatabase({ ...fixed, ...options }) })
  } finally {
    await drop()
    await admin.end()
    await stop()
  }
}
