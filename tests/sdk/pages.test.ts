// Lists of the SDK: a page when awaited, every row when looped over.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, dies, type FaultServer, openFaultServer } from '../support/sdk-fault-server.ts'

let server: FaultServer
beforeAll(async () => {
  server = await openFaultServer()
})
afterAll(() => server.close())

const page = (numbers: number[], next_cursor: string | null) =>
  answers(200, {
    data: numbers.map((attempt_number) => ({ attempt_number })),
    has_more: next_cursor !== null,
    next_cursor,
  })

async function numbersOf(rows: AsyncIterable<{ attempt_number: number }>): Promise<number[]> {
  const numbers: number[] = []
  for await (const { attempt_number } of rows) numbers.push(attempt_number)
  return numbers
}

const paths = () => server.asked.map(({ path }) => path)

test('awaited it is the first page, and nothing more is asked for', async () => {
  server.treat(page([1, 2], 'c1'))
  const first = await server.client().webhooks.deliveries.list()
  expect(first.data).toEqual([{ attempt_number: 1 }, { attempt_number: 2 }])
  expect(first.next_cursor).toBe('c1')
  expect(paths()).toEqual(['/v1/webhooks/deliveries'])
})

test('looped over it is every row, with the same filters on each page', async () => {
  server.treat(page([1, 2], 'c/1'), dies, page([], 'c2'), page([3], null))
  const rows = server
    .client()
    .webhooks.deliveries.list({ limit: 2, status: 'failed', event_type: 'webhook.payment.held' })
  expect(await numbersOf(rows)).toEqual([1, 2, 3])
  const query = 'limit=2&status=failed&event_type=webhook.payment.held'
  expect(paths()).toEqual([
    `/v1/webhooks/deliveries?${query}`,
    `/v1/webhooks/deliveries?${query}&after=c%2F1`,
    `/v1/webhooks/deliveries?${query}&after=c%2F1`,
    `/v1/webhooks/deliveries?${query}&after=c2`,
  ])
})

test('a loop that ends early asks for no more pages', async () => {
  server.treat(page([1, 2], 'c1'))
  for await (const row of server.client().webhooks.deliveries.list()) {
    if (row.attempt_number === 2) break
  }
  expect(paths()).toHaveLength(1)
})

test('it begins at the given place', async () => {
  server.treat(page([7], null))
  expect(await numbersOf(server.client().webhooks.deliveries.list({ after: 'c6' }))).toEqual([7])
  expect(paths()).toEqual(['/v1/webhooks/deliveries?after=c6'])
})

test('looped over twice it is the same twice', async () => {
  server.treat(page([1], null))
  const rows = server.client().webhooks.deliveries.list()
  expect(await numbersOf(rows)).toEqual([1])
  expect(await numbersOf(rows)).toEqual([1])
})

test.each<[string, (rows: ReturnType<typeof list>) => Promise<unknown>]>([
  ['awaited', (rows) => rows.then(() => {})],
  ['looped over', numbersOf],
])('a refused one throws where it is %s', async (_, use) => {
  server.treat(answers(400, { error: 'invalid_pagination', message: 'no' }))
  await expect(use(list())).rejects.toMatchObject({ code: 'invalid_pagination', status: 400 })
})

function list() {
  return server.client().webhooks.deliveries.list({ after: 'x' })
}
