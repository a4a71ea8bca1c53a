// The job that fetches results of challenges: no failure, and no provider that is silent, holds up the others.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fetchResults } from '../../src/payments/authentication/fetch-result.ts'
import type { Context } from '../../src/payments/context.ts'
import type { FetchedThreeDs } from '../../src/three-ds/three-ds.ts'
import { until } from '../support/service.ts'
import { openThreeDsStage, type ThreeDsStage, type } from './three-ds-stage.ts'

type Merchant = Awaited<ReturnType<ThreeDsStage['newMerchant']>>
/** What a provider answers; it is given the connection's name and the challenge's transaction. */
type Answer = (name: string, id: string) => ReturnType<FetchedThreeDs['fetchResult']>

let stage: ThreeDsStage
beforeAll(async () => {
  stage = await openThreeDsStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  await stage.service.sql`delete from attempts`
  stage.service.log.length = 0
})

/** Begins a challenge that the shopper leaves alone, and returns its transaction. */
async function challenge(account: Merchant): Promise<string> {
  await stage.clock.advance(1)
  const session = await until(
    async () => (await account.client.create()).body,
    (body) => body.mode === 'live',
  )
  const { card_reference } = await type(account, session, '2072')
  const { body } = await account.client.authenticate(session, card_reference)
  expect(body.three_ds.state).toBe('awaiting_challenge')
  const [attempt] = await stage.service.sql`
    select server_transaction_id from attempts where session_id = ${session.id}`
  return attempt!.server_transaction_id
}

async function challenges(account: Merchant, count: number): Promise<string[]> {
  const begun: string[] = []
  for (let number = 0; number < count; number++) begun.push(await challenge(account))
  return begun
}

function run(answer: Answer): Promise<number> {
  const { context } = stage.service
  const threeDsOf: Context['threeDsOf'] = (mode, name) => {
    const provider = context.threeDsOf(mode, name) as FetchedThreeDs
    const fetchResult: FetchedThreeDs['fetchResult'] = ({ server_transaction_id }) =>
      answer(provider.name, server_transaction_id)
    return { ...provider, fetchResult }
  }
  return fetchResults({ ...context, threeDsOf })
}

test('one whose fetching fails is logged, and the others are fetched', async () => {
  const [bad] = await challenges(await stage.newMerchant(), 3)
  const count = await run(async (_, id) => {
    if (id === bad) throw new Error('a fault of ours')
    return 'gone'
  })
  expect(count).toBe(2)
  const { attempt_id, three_ds_provider } = await attemptOf(bad!)
  expect(stage.service.log).toContainEqual({
    level: 'error',
    message: 'the result of a challenge could not be fetched',
    fields: { connection: three_ds_provider, attempt_id, error: 'a fault of ours' },
  })
})

test('a provider that is silent holds up no results of another connection', async () => {
  await challenges(await stage.newMerchant(), 9)
  const id = await challenge(await stage.newMerchant())
  const { three_ds_provider: other } = await attemptOf(id)
  const silence = Promise.withResolvers<'not_yet'>()
  const done = run(async (name) => (name === other ? 'gone' : silence.promise))
  const state = async () => (await attemptOf(id)).three_ds_state
  await until(state, (now) => now === 'failed').finally(() => silence.resolve('not_yet'))
  expect(await done).toBe(1)
})

test('whoever began earliest is asked after first', async () => {
  const begun = await challenges(await stage.newMerchant(), 3)
  await stage.service.sql`
    update attempts set challenge_expires_at = challenge_expires_at + interval '1 minute'
    where server_transaction_id = ${begun[0]!}`
  const asked: string[] = []
  await run(async (_, id) => {
    asked.push(id)
    return 'not_yet'
  })
  expect(asked).toEqual(begun)
})

test('a provider that is slow is asked no more in this run after half a minute', async () => {
  const begun = await challenges(await stage.newMerchant(), 9)
  const asked: string[] = []
  let half_a_minute: Promise<void> | null = null
  await run(async (_, id) => {
    asked.push(id)
    half_a_minute ??= stage.clock.advance(30_000)
    await half_a_minute
    return 'not_yet'
  })
  expect(asked).toEqual(begun.slice(0, 8))
})

async function attemptOf(id: string) {
  const [attempt] = await stage.service.sql`
    select attempt_id, three_ds_provider, three_ds_state from attempts
    where server_transaction_id = ${id}`
  return attempt!
}
