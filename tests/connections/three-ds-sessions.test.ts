// Live cards are authenticated through Checkout.com's Sessions, and charged with what those brought.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fetchResults } from '../../src/payments/authentication/fetch-result.ts'
import { runChallenge, type SessionSecret } from '../support/client.ts'
import { until } from '../support/service.ts'
import { everythingStored } from '../support/stored.ts'
import { liveNumber, openThreeDsStage, type ThreeDsStage, type } from './three-ds-stage.ts'

let stage: ThreeDsStage
let account: Awaited<ReturnType<ThreeDsStage['newMerchant']>>
let session: SessionSecret
beforeAll(async () => {
  stage = await openThreeDsStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  account = await stage.newMerchant('checkout-sessions')
  session = await until(
    async () => (await account.client.create()).body,
    (body) => body.mode === 'live',
  )
  stage.acquirer.charged_with.length = 0
  stage.charges.length = 0
  stage.sessions.sessions.length = 0
})

const authenticated = async (last4: string) => {
  const { card_reference } = await type(account, session, last4)
  return (await account.client.authenticate(session, card_reference)).body.three_ds
}
const stateNow = async () => (await account.client.state(session)).body.three_ds.state
const paid = async () => (await account.client.confirm(session)).body

describe('the charge bears what the bank proved', () => {
  test('without a challenge', async () => {
    expect(await authenticated('2003')).toMatchObject({ state: 'authenticated', version: '2.2.0' })
    expect((await paid()).status).toBe('captured')
    expect(stage.charges).toMatchObject([{ eci: '05', status: 'Y', ares_status: 'Y' }])
    expect(stage.acquirer.charged_with).toMatchObject([
      { enabled: true, eci: '05', status: 'Y', version: '2.2.0', cryptogram: expect.any(String) },
    ])
  })

  test('after a challenge', async () => {
    const { challenge } = await authenticated('2072')
    await runChallenge(challenge.url)
    expect(await stateNow()).toBe('authenticated')
    expect((await paid()).status).toBe('captured')
    expect(stage.charges).toMatchObject([{ eci: '05', status: 'Y', ares_status: 'C' }])
    expect(stage.acquirer.charged_with).toMatchObject([{ enabled: true, eci: '05', status: 'Y' }])
  })
})

test.each([
  ['2013', 'failed'],
  ['2023', 'attempted'],
  ['2033', 'rejected'],
  ['2043', 'informational'],
  ['2053', 'unavailable'],
  ['1103', 'authenticated'],
])('%s: %s', async (last4, state) => {
  expect((await authenticated(last4)).state).toBe(state)
})

test('a challenge that is cancelled is declined', async () => {
  const { challenge } = await authenticated('2072')
  await runChallenge(challenge.url, 'cancel')
  expect(await paid()).toMatchObject({ decline: { code: 'authentication_canceled' } })
  expect(stage.acquirer.charged_with).toEqual([])
})

test.each([
  ['ended by an error', 'rreq_error' as const],
  ['not found', 'forgotten' as const],
])('a challenge whose session is %s has timed out', async (_, fault) => {
  await authenticated('2072')
  stage.sessions.next(fault, 'read')
  expect(await fetchResults(stage.service.context)).toBe(1)
  expect(await stateNow()).toBe('failed')
  expect(await paid()).toMatchObject({ decline: { code: 'authentication_timeout' } })
  expect(stage.acquirer.charged_with).toEqual([])
})

test('the result of a shopper who closed the page is fetched by the job', async () => {
  stage.sessions.next('lose_answer_after', 'read')
  const { challenge } = await authenticated('2070')
  await runChallenge(challenge.url)
  expect(await stateNow()).toBe('awaiting_challenge')
  expect(await fetchResults(stage.service.context)).toBe(1)
  expect(await stateNow()).toBe('authenticated')
})

test("the vendor's post of a result only says that now is the time to ask", async () => {
  const { challenge } = await authenticated('2070')
  const { callback_url } = stage.sessions.sessions[0]!.body.completion
  const page = await (await fetch(challenge.url)).text()
  const creq = /name="creq" value="([^"]+)"/.exec(page)![1]!
  const { acsURL } = stage.sessions.sessions[0]!.ares as { acsURL: string }
  await fetch(acsURL, { method: 'POST', body: new URLSearchParams({ creq }) })
  const lie = { status: 'declined', response_code: 'N' }
  const headers = { 'content-type': 'application/json' }
  await fetch(callback_url, { method: 'POST', headers, body: JSON.stringify(lie) })
  expect(await stateNow()).toBe('authenticated')
})

test('nothing secret is stored or logged', async () => {
  await authenticated('2003')
  expect((await paid()).status).toBe('captured')
  const { sql, log } = stage.service
  const stored = await everythingStored(sql)
  const all = JSON.stringify([[...stored], log])
  for (const secret of [liveNumber('2003'), stage.sessions.secret_key]) {
    expect(all).not.toContain(secret)
  }
})
