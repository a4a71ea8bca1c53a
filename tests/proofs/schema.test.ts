// The schema makes what the migrations made whose place it took: history still has those.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { commitOf, migrationTexts } from '../../proofs/upgrade/release.ts'
import { last_release, migrate, ownMigrations } from '../../src/database/migrate.ts'
import type { Database } from '../../src/database/open.ts'
import { describeCatalogue } from '../../src/database/schema/catalogue.ts'
import { schema_migration, schemaText } from '../../src/database/schema/schema.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { quiet, realClock } from '../support/world.ts'

const no_history = commitOf(last_release) === null

let databases: FreshDatabase[]
let older: Database
let newer: Database

beforeAll(async () => {
  databases = [await freshDatabase('empty'), await freshDatabase('empty')]
  older = await databases[0]!.open({ connections_max: 1 })
  newer = await databases[1]!.open({ connections_max: 1 })
})

afterAll(async () => {
  await Promise.all([older.close(), newer.close()])
  for (const database of databases) await database.drop()
})

const schemas = { public: '', vault: 'vault.', simulator: 'simulator.' }
const catalogueOf = ({ sql }: Database) =>
  sql.begin(async (tx) => Object.fromEntries(await describeCatalogue(tx, schemas)))

test.skipIf(no_history)('the same tables, which are adopted as they are', async () => {
  const texts = migrationTexts(last_release)
  expect(texts).toHaveLength(schema_migration)
  await migrate({
    sql: older.sql,
    log: quiet,
    clock: realClock,
    migrations: texts.map((text, at) => ({ number: at + 1, name: `${at + 1}.sql`, text })),
  })
  await newer.sql.unsafe(schemaText())
  const named = Object.entries(await catalogueOf(older)).filter(([name]) => !/[ .]migrations(_pkey)?\b/.test(name))
  expect(named.length).toBeGreaterThan(1000)
  expect(Object.fromEntries(named)).toEqual(await catalogueOf(newer))
  const later = ownMigrations().flatMap(({ number }) => (number > schema_migration ? [number] : []))
  expect(await migrate({ sql: older.sql, log: quiet, clock: realClock })).toEqual(later)
})
