// Saved filters: each person's own, replaced and dropped by name, bounded whatever windows do at once.

import { expect, test } from 'vitest'
import { saved_filters_max } from '../../src/dashboard/saved-filters/saved-filter-store.ts'
import { newMember, type Person, refusalIn } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const service = await useService({ lock_limit: 'none' })
const { account, sql } = service
const path = `/${account.merchant_id}/saved-filters`
const person = () => newMember(service, { role: 'viewer' })

const save = (who: Person, name: string, filters: string | null = '?status=held', list = 'payments') =>
  who.post(path, { list, name, filters })
const listOf = async (who: Person) => (await who.get(path)).body.saved

test('one is kept, replaced by its name, and dropped; nobody else sees it', async () => {
  const [mine, other] = [await person(), await person()]
  expect((await save(mine, 'Held')).status).toBe(204)
  expect((await save(mine, 'Held', '?status=captured')).status).toBe(204)
  expect((await save(mine, 'Held', '?status=failed', 'refunds')).status).toBe(204)
  expect(await listOf(mine)).toEqual([
    { list: 'payments', name: 'Held', filters: '?status=captured' },
    { list: 'refunds', name: 'Held', filters: '?status=failed' },
  ])
  expect(await listOf(other)).toEqual([])
  // Dropped by two windows.
  const drops = await Promise.all([save(mine, 'Held', null), save(mine, 'Held', null)])
  expect(drops.map(({ status }) => status)).toEqual([204, 204])
  expect(await listOf(mine)).toMatchObject([{ list: 'refunds' }])
})

test('the same name from two windows at once is one', async () => {
  const mine = await person()
  const answers = await Promise.all([1, 2, 3].map((each) => save(mine, 'Mine', `?amount=${each}`)))
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
  expect(await listOf(mine)).toHaveLength(1)
})

test(`at most ${saved_filters_max} of a list, also at once`, async () => {
  const mine = await person()
  for (let count = 1; count < saved_filters_max; count++) await save(mine, `n${count}`)
  const last = await Promise.all([save(mine, 'a'), save(mine, 'b'), save(mine, 'c')])
  expect(last.map(({ status }) => status).sort()).toEqual([204, 400, 400])
  expect(await listOf(mine)).toHaveLength(saved_filters_max)
  expect((await save(mine, 'n1', '?amount=1')).status).toBe(204)
  expect((await save(mine, 'first', '?amount=1', 'holds')).status).toBe(204)
})

test.each([
  ['list', { list: 'keys', name: 'a', filters: '?a=b' }],
  ['name', { list: 'payments', name: ' ', filters: '?a=b' }],
  ['name', { list: 'payments', name: '4111111111111111', filters: '?a=b' }],
  ['name', { list: 'payments', name: 'x'.repeat(61), filters: '?a=b' }],
  ['filters', { list: 'payments', name: 'a', filters: '/elsewhere' }],
  ['filters', { list: 'payments', name: 'a', filters: '?a=4111111111111111' }],
  ['filters', { list: 'payments', name: 'a', filters: `?${'x'.repeat(1000)}` }],
])('a wrong %s is refused: %j', async (field, body) => {
  const mine = await person()
  const answer = await mine.post(path, body)
  expect([refusalIn(answer), answer.headers['rip-error-field']]).toEqual([expect.stringMatching(/^400 /), field])
  expect(await listOf(mine)).toEqual([])
})

test('they go with the membership', async () => {
  const mine = await person()
  await save(mine, 'Held')
  const owner = await newMember(service, { role: 'owner' })
  expect((await owner.remove(`/${account.merchant_id}/team/${mine.user_id}`)).status).toBe(204)
  expect(await sql`select 1 from saved_filters where user_id = ${mine.user_id}`).toHaveLength(0)
})
