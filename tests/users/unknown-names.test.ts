// The time of an answer does not say who has an account: a failed sign-in costs the same for every name.

import { afterAll, expect, test } from 'vitest'
import { countStatements } from '../../src/database/count.ts'
import { freshDatabase } from '../support/database.ts'
import { linkFor, newPerson, refusalIn } from '../support/person.ts'
import { drivenClock, startService } from '../support/service.ts'

const clock = drivenClock()
const statements = countStatements()
const { onStatement } = statements
const database = await freshDatabase()
const service = await startService({
  clock,
  database: { ...database, open: (options) => database.open({ ...options, onStatement }) },
})
const { sql } = service
afterAll(async () => {
  await service.close()
  await database.drop()
})

const email = 'known@example.com'
await newPerson(service).redeem(await linkFor(service, { email }), { email, password: 'cobalt harbour 41' })
const stranger = newPerson(service)

/** What one failure wrote, and by how many statements. */
async function failureOf(name: string) {
  const before = await counts()
  statements.reset()
  const answer = await stranger.signInByPassword(name, 'wrong horse battery 1')
  const { length } = statements.texts()
  expect(refusalIn(answer)).toBe('401 sign_in_failed')
  const after = await counts()
  const changed = Object.entries(after).filter(([of, count]) => count !== before[of])
  return { statements: length, writes: changed.map(([of, count]) => [of, count - before[of]!]) }
}

async function counts(): Promise<Record<string, number>> {
  const [row] = await sql<Record<string, number>[]>`
    select (select sum(tries)::int from users) as tries,
      (select count(*)::int from journal where change = 'sign_in.failed') as lines,
      (select count(*)::int from journal where change = 'sign_in.locked') as locks,
      (select coalesce(sum(tries), 0)::int from unknown_names) as tries_of_nobody,
      (select coalesce(sum(unlisted_tries), 0)::int from unknown_names) as unlisted`
  return row!
}

test('a name costs two statements, each of which writes, whoever has it', async () => {
  const two = (...writes: string[]) => ({ statements: 2, writes: writes.map((of) => [of, 1]) })
  await failureOf(email)
  await failureOf('nobody-1@example.com')
  expect(await failureOf(email)).toEqual(two('tries', 'lines'))
  expect(await failureOf('nobody-1@example.com')).toEqual(two('lines', 'tries_of_nobody'))
  expect(await failureOf('no address')).toEqual(two('lines', 'tries_of_nobody'))
  for (let tries = 3; tries <= 9; tries++) await failureOf(email)
  expect(await failureOf(email)).toEqual(two('tries', 'locks'))
  expect(await failureOf(email)).toEqual(two('lines', 'tries_of_nobody'))
  for (let tries = 0; tries < 30; tries++) await failureOf(`nobody-${tries}@example.com`)
  expect(await failureOf('nobody-1@example.com')).toEqual(two('tries_of_nobody', 'unlisted'))
})
