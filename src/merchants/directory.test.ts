// The directory looks up the merchant of an id once, whichever release made the id.

import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { manualClock } from '../../tests/support/clock.ts'
import { earlyRouted } from '../../tests/support/early-ids.ts'
import { useService } from '../../tests/support/use-service.ts'
import { countStatements } from '../database/count.ts'
import { openIds } from '../kernel/ids.ts'
import { openKeyring } from '../kernel/keyring.ts'
import type { SessionId } from '../kernel/values.ts'
import { openDirectory } from './directory.ts'

const random = { bytes: randomBytes }
const clock = manualClock()
const service = await useService({ clock })
const { merchant_id } = service.account
const keyring = openKeyring([randomBytes(32)], random)
const statements = countStatements()
const database = await service.database.open({ onStatement: statements.onStatement })
const directory = await openDirectory({ database, clock, keyring })
afterAll(async () => {
  await directory.close()
  await database.close()
})

const ids = openIds(random, keyring)

test.each<[string, (routing: number) => SessionId]>([
  ['this release', (routing) => ids.session(routing, clock.now())],
  ['an early release', (routing) => `cs_${earlyRouted(routing, keyring)}`],
])('an id of %s', async (_release, newId) => {
  const [row] = await service.sql`select routing from merchants where merchant_id = ${merchant_id}`
  const merchantOf = () => directory.merchantIdOfSession(newId(Number(row!.routing)))
  expect(await merchantOf()).toBe(merchant_id)
  statements.reset()
  expect(await merchantOf()).toBe(merchant_id)
  expect(statements.texts()).toEqual([])
})
