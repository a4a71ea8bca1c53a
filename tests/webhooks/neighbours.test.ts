// What one process says to the others of its database when it has committed events.

import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { type Committed, leaveToNeighbours, type Neighbours, openNeighbours } from '../../src/service/neighbours.ts'
import { manualClock } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { until } from '../support/service.ts'
import { quiet } from '../support/world.ts'

const clock = manualClock()
const open: Neighbours[] = []
/** All that anybody said, in the order of the commits. */
const said: Said[] = []
let fresh: FreshDatabase
let database: Database
let stopListening: () => Promise<void>

type Said = { from: string; kind: string; merchant_ids?: string[] | null }

const saidBy = (payload: string): Said => (payload.startsWith('{') ? JSON.parse(payload) : { from: '', kind: payload })

beforeAll(async () => {
  fresh = await freshDatabase('empty')
  // Of one connection, so that what is sent first is heard first.
  database = await fresh.open({ connections_max: 1 })
  stopListening = await database.listen('ripper_committed', {
    heard: (payload) => void said.push(saidBy(payload)),
    opened() {},
  })
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop()
  await allHeard()
})
afterAll(async () => {
  await stopListening()
  await database.close()
  await fresh.drop()
})

async function process({ delivers = true } = {}) {
  const heard: Committed[] = []
  const world = { clock, random: { bytes: randomBytes }, log: quiet }
  const isAlone = () => open.length < 2
  const hears = { isAlone, heard: (committed: Committed) => heard.push(committed) }
  const neighbours = await openNeighbours({ database, world, delivers, ...hears })
  open.push(neighbours)
  return { ...neighbours, heard }
}

/** Whatever was said until now has been heard by everybody; both lists begin anew. Returns what was said. */
async function allHeard(...processes: { heard: Committed[] }[]): Promise<Said[]> {
  const mark = randomBytes(8).toString('hex')
  await leaveToNeighbours(database, [mark])
  const isMark = ({ merchant_ids }: Pick<Said, 'merchant_ids'>) => merchant_ids?.[0] === mark
  for (const list of [said, ...processes.map(({ heard }) => heard)])
    await until(
      async () => list,
      () => list.some(isMark),
    )
  for (const { heard } of processes) heard.splice(0)
  return said.splice(0).filter((each) => !isMark(each))
}

async function two(options?: { delivers: boolean }) {
  return { one: await process(options), other: await process() }
}

const heardBy = (each: { heard: Committed[] }, count: number) =>
  until(
    async () => each.heard,
    ({ length }) => length >= count,
  )
/** As heardBy, and lets the rests between what is said pass. */
const heardAfterRests = (each: { heard: Committed[] }, count: number) =>
  until(
    async () => {
      await clock.advance(5)
      return each.heard
    },
    ({ length }) => length >= count,
  )

test('a commit is heard by the other process, and not by its own', async () => {
  const { one, other } = await two()
  one.tell('m_a')
  expect(await heardBy(other, 1)).toMatchObject([{ merchant_ids: ['m_a'], is_undelivered: false }])
  expect(one.heard).toEqual([])
})

test('commits that come together are told together, after a rest', async () => {
  const { one, other } = await two()
  for (const merchant_id of ['m_a', 'm_b', 'm_b', 'm_c']) one.tell(merchant_id)
  expect(await heardAfterRests(other, 2)).toMatchObject([{ merchant_ids: ['m_a'] }, { merchant_ids: ['m_b', 'm_c'] }])
  expect(await allHeard(one, other)).toHaveLength(2)
})

test('where too many merchants are concerned none is named', async () => {
  const { one, other } = await two()
  for (let number = 0; number < 500; number += 1) one.tell(`m_${number}`)
  expect((await heardAfterRests(other, 2)).at(-1)).toMatchObject({ merchant_ids: null })
})

test('a process that is alone says nothing of its commits', async () => {
  const one = await process()
  one.tell('m_a')
  await clock.advance(5)
  expect(await allHeard(one)).toEqual([])
})

test('what a process leaves to others is said to be undelivered', async () => {
  const { one, other } = await two({ delivers: false })
  one.tell('m_a')
  expect(await heardBy(other, 1)).toMatchObject([{ merchant_ids: ['m_a'], is_undelivered: true }])
  await leaveToNeighbours(database, ['m_b'])
  expect((await heardBy(other, 2)).at(-1)).toMatchObject({ merchant_ids: ['m_b'], is_undelivered: true })
  await heardBy(one, 1)
})

test('a message of another release is passed over', async () => {
  const { other } = await two()
  const strange = [
    '{}',
    'null',
    'news',
    '{"kind":"later","from":"x"}',
    '{"kind":"committed"}',
    '{"kind":"here","from":"x"}',
  ]
  for (const payload of strange) await database.sql`select pg_notify('ripper_committed', ${payload})`
  await leaveToNeighbours(database, ['m_b'])
  expect(await heardBy(other, 1)).toMatchObject([{ merchant_ids: ['m_b'] }])
})
