// Statements whose prepared form no longer fits, with many others on their way on the same connection.

import { afterAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../src/database/open.ts'
import { freshDatabase } from '../support/database.ts'

const database = await freshDatabase('empty')
const { sql: few, close: closeFew } = await database.open({ connections_max: 2 })
const { sql: people, close: closePeople } = await database.open({ connections_max: 1 })
afterAll(async () => {
  await Promise.all([closeFew(), closePeople()])
  await database.drop()
})

await people.unsafe('create table notes (id text primary key, amount bigint not null)')

const insert = (sql: Pick<Sql, never> & typeof few, id: string) =>
  sql<{ id: string }[]>`insert into notes (id, amount) values (${id}, ${id.length}) returning *`
const read = (id: string) => few<{ id: string }[]>`select * from notes where id = ${id}`

/** Both kinds of statement, many at once; returns those that did not get their own answer. */
async function strays(ids: string[]): Promise<string[]> {
  const inserted = await Promise.all(ids.map((id) => insert(few, id)))
  const found = await Promise.all(ids.map((id) => read(id)))
  return ids.filter((id, index) => inserted[index]?.[0]?.id !== id || found[index]?.[0]?.id !== id)
}
const many = (name: string) => Array.from({ length: 40 }, (_, index) => `${name} ${index}`)

describe.each([
  ['a column is added', 'alter table notes add column added_at timestamptz'],
  ['a column is removed', 'alter table notes drop column added_at'],
  ['a column gets another type', 'alter table notes alter column amount type numeric'],
])('%s', (name, change) => {
  test('and each statement gets its own answer', async () => {
    expect(await strays(many(`before ${name}`))).toEqual([])
    await people.unsafe(change)
    expect(await strays(many(`after ${name}`))).toEqual([])
  })
})

test('after the server has forgotten all prepared statements each gets its own answer', async () => {
  expect(await strays(many('before forgetting'))).toEqual([])
  await Promise.all([1, 2, 3, 4].map(() => few.unsafe('deallocate all')))
  expect(await strays(many('after forgetting'))).toEqual([])
})

test('a transaction is repeated as a whole', async () => {
  const write = (name: string) =>
    few.begin(async (tx) => {
      const first = await tx<{ id: string }[]>`
        insert into notes (id, amount) values (${`${name} 1`}, 1) returning *`
      const second = await tx<{ id: string }[]>`select * from notes where id = ${`${name} 1`}`
      return [...first, ...second].map(({ id }) => id)
    })
  await Promise.all(many('transaction').map(write))
  await people.unsafe('alter table notes add column changed_at timestamptz')
  const names = many('transaction after')
  const written = await Promise.all(names.map(write))
  expect(written).toEqual(names.map((name) => [`${name} 1`, `${name} 1`]))
})

test.each(['commit', 'rollback'])('a %s has no prepared form that may be forgotten', async (end) => {
  let tries = 0
  const note = { id: `ended by ${end}`, amount: 1 }
  const failing = async (write: boolean) =>
    people.begin(async (tx) => {
      tries += 1
      if (write) await tx`insert into notes (id, amount) values (${note.id}, ${note.amount})`
      if (tries === 3) await tx.unsafe('deallocate all')
      if (end === 'rollback') throw new Error('no')
    })
  const ended = async (write: boolean) => failing(write).catch((error: Error) => error.message)
  const expected = end === 'commit' ? undefined : 'no'
  expect(await ended(false)).toBe(expected)
  expect(await ended(false)).toBe(expected)
  expect(await ended(true)).toBe(expected)
  const found = await people`select id from notes where id = ${note.id}`
  expect(found).toHaveLength(end === 'commit' ? 1 : 0)
})

test('an error of the statement itself is not repeated', async () => {
  await expect(insert(few, 'twice')).resolves.toHaveLength(1)
  await expect(insert(few, 'twice')).rejects.toMatchObject({ code: '23505' })
})
