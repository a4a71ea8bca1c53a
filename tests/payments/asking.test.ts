// A bank is asked once for an attempt, and what it said is kept, though the database goes away or somebody takes over.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BehindProxy, startBehindProxy } from '../support/behind-proxy.ts'
import { refusal, type SessionSecret, visa } from '../support/client.ts'
import { type DrivenClock, drivenClock, driving, until } from '../support/service.ts'

/** Its Directory Server is not there. */
const down = '4000009900040000'

let clock: DrivenClock
let proxy: BehindProxy['proxy']
let service: BehindProxy['service']
let client: BehindProxy['client']
let close: BehindProxy['close']
/** What the bank was asked, oldest first. */
let asked: { transaction_id: string; answer: { dsTransID: string }; release: () => void }[] = []
let holding = false

beforeAll(async () => {
  clock = drivenClock()
  const stage = await startBehindProxy({
    clock,
    http: (http) => ({
      async post(request) {
        const answer = await http.post(request)
        const message = JSON.parse(request.body)
        if (message.messageType !== 'AReq' || answer.status !== 200) return answer
        const { promise, resolve: release } = Promise.withResolvers<void>()
        asked.push({ transaction_id: message.threeDSServerTransID, release, answer: JSON.parse(answer.body) })
        if (holding) await promise
        return answer
      },
    }),
  })
  ;({ proxy, service, client, close } = stage)
})
afterAll(() => close())

async function opened(number = visa): Promise<{ session: SessionSecret; reference: string }> {
  asked = []
  const session = await client.open()
  return { session, reference: await client.reference(session, number) }
}

const elapsed = async <T>(work: Promise<T>): Promise<[T, number]> => {
  const began_ms = clock.now().getTime()
  const done = await driving(clock, work)
  return [done, clock.now().getTime() - began_ms]
}

const stops: [statement: string, when: 'before' | 'after'][] = [
  ['attempt.opened', 'after'],
  ['attempt.moved', 'before'],
  ['attempt.moved', 'after'],
]

test.each(stops)('the store fails at %s, %s it is done', async (statement, when) => {
  const { session, reference } = await opened()
  proxy.stopAt(statement, when)
  const asking = client.authenticate(session, reference)
  await until(async () => proxy.isStopped(), Boolean)
  expect(refusal(await client.authenticate(session, reference))).toBe('503 store_unavailable')
  proxy.start()
  const [first, first_ms] = await elapsed(asking)
  const [again, again_ms] = await elapsed(client.authenticate(session, reference))
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  expect(first.body.three_ds.state).toBe('authenticated')
  expect(first_ms + again_ms).toBeLessThan(5_000)
  expect(asked).toHaveLength(1)
})

test.each(['before', 'after'] as const)('the store fails %s an attempt is taken back', async (when) => {
  const { session, reference } = await opened(down)
  proxy.stopAt('attempt.withdrawn', when)
  const asking = client.authenticate(session, reference)
  await until(async () => proxy.isStopped(), Boolean)
  proxy.start()
  const [first, first_ms] = await elapsed(asking)
  expect(refusal(first)).toBe('503 three_ds_provider_unavailable')
  expect(first_ms).toBeLessThan(5_000)
  expect((await client.state(session)).body.session.attempt_count).toBe(0)
})

test.each<[string, number, string, number, number]>([
  ['comes back', 2_000, '200', 1, 1],
  // Whoever takes over at 45 s would ask as well.
  ['comes back too late to ask', 40_000, '503 three_ds_provider_unavailable', 0, 0],
  ['stays away', 44_600, '503 store_unavailable', 0, 1],
])('before the bank is asked the store %s', async (end, away_ms, told, count, spent) => {
  const { session, reference } = await opened()
  await service.sql`update vault.cards set method_opened_at = ${clock.now()}
    where card_reference = ${reference}`
  const asking = client.authenticate(session, reference)
  // For the bank's 3DS Method page.
  await clock.pause()
  proxy.stop()
  await clock.advance(away_ms)
  if (end !== 'stays away') {
    // Until it has failed once, and tries again.
    await clock.pause()
    proxy.start()
  }
  const [first] = await elapsed(asking)
  expect(first.status === 200 ? '200' : refusal(first)).toBe(told)
  proxy.start()
  expect(asked).toHaveLength(count)
  expect((await client.state(session)).body.session.attempt_count).toBe(spent)
  const [again] = await elapsed(client.authenticate(session, reference))
  expect([again.body.three_ds.state, asked.length]).toEqual(['authenticated', 1])
})

test('a right to ask that a wrong clock wrote for days is taken over at once', async () => {
  const { session, reference } = await opened()
  await client.authenticate(session, reference)
  const in_days = new Date(clock.now().getTime() + 6 * 86_400_000)
  await service.sql`update attempts set three_ds_state = 'not_started', asking_until = ${in_days}
    where session_id = ${session.id}`
  const [again, again_ms] = await elapsed(client.authenticate(session, reference))
  expect(again.body.three_ds.state).toBe('authenticated')
  expect(again_ms).toBeLessThan(5_000)
})

test("a bank's page that a wrong clock opened in days is not waited for", async () => {
  const { session, reference } = await opened()
  const in_days = new Date(clock.now().getTime() + 6 * 86_400_000)
  await service.sql`update vault.cards set method_opened_at = ${in_days}
    where card_reference = ${reference}`
  const [first, first_ms] = await elapsed(client.authenticate(session, reference))
  expect(first.body.three_ds.state).toBe('authenticated')
  expect(first_ms).toBeLessThan(5_000)
})

test('the store fails after an attempt was taken over', async () => {
  const { session, reference } = await opened()
  await client.authenticate(session, reference)
  await service.sql`update attempts set three_ds_state = 'not_started', asking_until = created_at
    where session_id = ${session.id}`
  proxy.stopAt('attempt.asking_taken_over', 'after')
  const asking = client.authenticate(session, reference)
  await until(async () => proxy.isStopped(), Boolean)
  proxy.start()
  const [again, again_ms] = await elapsed(asking)
  expect(again.body.three_ds.state).toBe('authenticated')
  expect(again_ms).toBeLessThan(5_000)
  expect(asked).toHaveLength(2)
})

test('a bank’s answer after another request took over is not kept', async () => {
  const { session, reference } = await opened()
  holding = true
  const first = client.authenticate(session, reference)
  const nextAsked = (count: number) =>
    until(
      async () => asked.length,
      (length) => length === count,
    )
  await nextAsked(1)
  await clock.advance(46_000)
  const second = client.authenticate(session, reference)
  await nextAsked(2)
  holding = false
  const attempt = async () => {
    const [row] = await service.sql`select * from attempts where session_id = ${session.id}`
    return row!
  }
  asked[0]!.release()
  // It waits now, as the second one's answer has not come.
  await clock.pause()
  expect((await attempt()).three_ds_state).toBe('not_started')
  asked[1]!.release()
  const answers = await driving(clock, Promise.all([first, second]))
  expect(answers.map(({ text }) => text)).toEqual([answers[1].text, answers[1].text])
  expect(await attempt()).toMatchObject({
    three_ds_state: 'authenticated',
    server_transaction_id: asked[1]!.transaction_id,
    ds_transaction_id: asked[1]!.answer.dsTransID,
  })
})
