// Challenges of the simulated bank over several processes of one database: no request has to find its way back to the first.

import { randomBytes } from 'node:crypto'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { testNumber } from '../../src/cards/test-cards.ts'
import { openChallenges, purgeChallenges } from '../../src/database/stores/simulated-challenges.ts'
import type { Challenge } from '../../src/three-ds/simulated-issuer/challenges.ts'
import { openChallenge, openClient, runChallenge } from '../support/client.ts'
import { manualClock } from '../support/clock.ts'
import { freshDatabase } from '../support/database.ts'
import { openRoundRobin } from '../support/round-robin.ts'
import { type Service, startService } from '../support/service.ts'

const otp = '4000000000003220'
const abandoned = testNumber('visa', { yz: '73' })
const clock = manualClock()
const master_key = randomBytes(32)
const database = await freshDatabase()
const proxy = await openRoundRobin()
const start = () => startService({ clock, database, master_key, base_url: proxy.base_url })
const one = await start()
const other = await start()
const { base_url, leadTo } = proxy
leadTo(one.base_url, other.base_url)
const { sql, account } = one
const client = openClient({ base_url, secret_key: account.secret_key })
afterAll(async () => {
  await one.close()
  await other.close()
  await proxy.close()
  await database.drop()
})

const stateOf = async (session: Awaited<ReturnType<typeof client.open>>) =>
  (await client.state(session)).body.three_ds.state

async function challenge(number = otp) {
  const session = await client.open()
  const { body, text } = await client.present(session, number)
  expect(body.three_ds.challenge, text).toBeTruthy()
  return { session, url: body.three_ds.challenge.url as string }
}

test.each([
  ['1234', 'authenticated'],
  ['cancel', 'failed'],
])('every step may reach the other process: %s', async (code, state) => {
  for (const first of [one, other]) {
    const { session, url } = await challenge()
    leadTo(...(first === one ? [one, other] : [other, one]).map((each) => each.base_url))
    await runChallenge(url, code)
    expect(await stateOf(session)).toBe(state)
  }
  leadTo(one.base_url, other.base_url)
})

test('a challenge outlives its process, and what had been waited for comes about', async () => {
  const gone: Service = await start()
  leadTo(gone.base_url)
  const { session, url } = await challenge()
  const left_open = await challenge()
  await openChallenge(left_open.url)
  await gone.close()
  leadTo(one.base_url, other.base_url)
  await runChallenge(url)
  expect(await stateOf(session)).toBe('authenticated')
  expect(await other.endChallenges()).toBe(0)
  await clock.advance(606_000)
  await other.endChallenges()
  expect(await stateOf(left_open.session)).not.toBe('awaiting_challenge')
})

test('a checkout without a challenge leaves nothing behind', async () => {
  const rows = () => sql`select 1 from simulator.challenges`
  const before = await rows()
  await client.pay()
  expect(await rows()).toEqual(before)
})

test('what is an hour old is purged, and the oldest beyond the most that are kept', async () => {
  const fresh = await freshDatabase()
  const opened = await fresh.open()
  onTestFinished(async () => {
    await opened.close()
    await fresh.drop()
  })
  await challenge()
  const [row] = await sql<Challenge[]>`select * from simulator.challenges limit 1`
  const store = openChallenges(opened.sql)
  const now = clock.now()
  const keep = (age_seconds: number) =>
    store.insert({
      ...row!,
      acs_transaction_id: String(age_seconds),
      created_at: new Date(now.getTime() - age_seconds * 1000),
    })
  for (const age_seconds of [3_601, 3_600, 3_599, 30, 20, 10]) await keep(age_seconds)
  const left = async () =>
    (await opened.sql`select acs_transaction_id as id from simulator.challenges order by created_at`).map(
      ({ id }) => id,
    )
  expect(await purgeChallenges(opened.sql, now)).toBe(2)
  expect(await left()).toEqual(['3599', '30', '20', '10'])
  expect(await purgeChallenges(opened.sql, now, 2)).toBe(2)
  expect(await left()).toEqual(['20', '10'])
})

test('a change of what has changed since it was read is refused', async () => {
  await challenge(abandoned)
  const store = openChallenges(sql)
  const [row] = await sql<Challenge[]>`
    select * from simulator.challenges where not has_ended order by created_at desc limit 1`
  const changed = await store.change(row!, { tries: 1 })
  expect(changed).toEqual({ ...row, tries: 1, revision: row!.revision + 1 })
  expect(await store.change(row!, { tries: 2 })).toBeNull()
  expect(await store.find(row!.acs_transaction_id)).toEqual(changed)
})
