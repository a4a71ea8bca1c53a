// The job that fetches results of challenges, whatever goes wrong.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fetchResults } from '../../src/checkout/authentication/fetch-result.ts'
import type { Context } from '../../src/checkout/context.ts'
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

async function attemptOf(id: string) {
  const [attempt] = await stage.service.sql`
    select attempt_id, three_ds_provider from attempts
    where server_transaction_id = ${id}`
  return attempt!
}
