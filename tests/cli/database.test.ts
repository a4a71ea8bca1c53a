// Commands work on the database that a service has left, and neither make one nor change its tables.

import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sql } from '../../src/database/open.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { ripper } from '../support/programs.ts'

const folder = mkdtempSync(join(tmpdir(), 'ripper-cli-'))
let empty: FreshDatabase
let older: FreshDatabase
let sql: Sql
let close: () => Promise<void>

beforeAll(async () => {
  empty = await freshDatabase('empty')
  older = await freshDatabase()
  const opened = await older.open({ connections_max: 1 })
  ;({ sql, close } = opened)
  // As the release before left it.
  await sql`drop table orphan_brakes`
  await sql`delete from migrations where number = (select max(number) from migrations)`
})

afterAll(async () => {
  await close()
  await Promise.all([empty.drop(), older.drop()])
  rmSync(folder, { recursive: true, force: true })
})

const at = ({ url }: FreshDatabase) => ({
  RIPPER_DATABASE_URL: url,
  RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
  RIPPER_DATA_DIR: folder,
})

const commands = [
  ['orphan', 'brake', '--reason', 'backup put back'],
  ['orphan', 'list'],
  ['hold', 'list'],
  ['merchant', 'create', '--name', 'Tea'],
]

test.each(commands)('in a wrong folder: ripper %s %s', async (...args) => {
  const data_dir = join(folder, 'mistyped')
  const { status, stderr } = await ripper(args, { env: { RIPPER_DATA_DIR: data_dir } })
  expect(status).toBe(1)
  expect(stderr).toContain(`RIPPER_DATA_DIR must name the folder of the service: there is no`)
  expect(stderr).toContain(data_dir)
  expect(existsSync(data_dir)).toBe(false)
})

test.each(commands)('on an empty database: ripper %s %s', async (...args) => {
  const { status, stderr } = await ripper(args, { env: at(empty) })
  expect([status, stderr]).toEqual([1, expect.stringContaining('The database is empty.')])
})

test.each(commands)('on a database of the release before: ripper %s %s', async (...args) => {
  const newest = async () => (await sql`select max(number) as newest from migrations`)[0]!.newest
  const before = await newest()
  const { status, stderr } = await ripper(args, { env: at(older) })
  expect(status).toBe(1)
  expect(stderr).toContain(`The database has migration ${before}, and this version needs ${before + 1}.`)
  expect(await newest()).toBe(before)
})
