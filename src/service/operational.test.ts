import { expect, test } from 'vitest'
import type { Context } from '../payments/context.ts'
import { operationalPages } from './operational.ts'

test('however many ask for readiness, the database is asked once at a time', async () => {
  const { handle } = operationalPages({ now: false }).find(({ path }) => path === '/readyz')!
  const answers: PromiseWithResolvers<void>[] = []
  const sql = () => {
    answers.push(Promise.withResolvers())
    return answers.at(-1)!.promise
  }
  const context = { sql, metrics: { readiness() {} } } as unknown as Context
  const ask = async () => (await handle(context, {} as never)).status
  const first = [ask(), ask(), ask()]
  expect(answers).toHaveLength(1)
  answers[0]!.resolve()
  expect(await Promise.all(first)).toEqual([200, 200, 200])
  const second = [ask(), ask()]
  expect(answers).toHaveLength(2)
  answers[1]!.reject(new Error('away'))
  expect(await Promise.all(second)).toEqual([503, 503])
})
