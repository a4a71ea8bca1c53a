// Live cards are authenticated through the 3-D Secure connection that the acquiring profile names, and charged with what it
// brought.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createConnection, disableConnection, rotateCredentials } from '../../src/connections/manage-connections.ts'
import { changeMerchant } from '../../src/merchants/manage.ts'
import { fetchResults } from '../../src/payments/authentication/fetch-result.ts'
import { cardThat } from '../adapters/fakes/bank.ts'
import { cardOf, refusal, runChallenge, runMethod, type SessionSecret } from '../support/client.ts'
import { driving, until } from '../support/service.ts'
import { everythingStored } from '../support/stored.ts'
import { liveNumber, openThreeDsStage, profile, type ThreeDsStage, type } from './three-ds-stage.ts'

let stage: ThreeDsStage
let account: Awaited<ReturnType<ThreeDsStage['newMerchant']>>
let session: SessionSecret
beforeAll(async () => {
  stage = await openThreeDsStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  account = await stage.newMerchant()
  session = await until(
    async () => (await account.client.create()).body,
    (body) => body.mode === 'live',
  )
  stage.service.log.length = 0
  stage.acquirer.charged_with.length = 0
  stage.charges.length = 0
  for (const calls of Object.values(stage.provider.calls)) calls.length = 0
})

const authenticate = async (card_reference: string) => (await account.client.authenticate(session, card_reference)).body
const stateNow = async () => (await account.client.state(session)).body.three_ds.state
const paid = async () => (await account.client.confirm(session)).body

/** Types a card and goes on to its challenge, whose page is returned. */
async function challenged(last4: string): Promise<string> {
  const { card_reference } = await type(account, session, last4)
  const { three_ds } = await authenticate(card_reference)
  expect(three_ds.state).toBe('awaiting_challenge')
  return three_ds.challenge.url
}

/** The challenge ends at the bank, and the shopper's browser never comes back. */
async function passedAndClosed(url: string): Promise<void> {
  const page = await (await fetch(url)).text()
  const action = /action="([^"]+)"/.exec(page)![1]!.replaceAll('&#58;', ':').replaceAll('&#47;', '/')
  const creq = /name="creq" value="([^"]+)"/.exec(page)![1]!
  await fetch(action, { method: 'POST', body: new URLSearchParams({ creq }) })
}

const jobs = () => fetchResults(stage.service.context)

describe('without a challenge', () => {
  test('the charge bears what the bank proved', async () => {
    const { card_reference, three_ds_method } = await type(account, session, '2003')
    expect(three_ds_method.url).toMatch(/\/3ds\/method\//)
    const { three_ds } = await authenticate(card_reference)
    expect(three_ds).toMatchObject({ state: 'authenticated', version: '2.2.0' })
    const confirmed = await paid()
    expect(confirmed.status).toBe('captured')
    expect(stage.acquirer.charged_with).toEqual([
      {
        enabled: true,
        eci: '05',
        version: '2.2.0',
        status: 'Y',
        cryptogram: expect.any(String),
        xid: expect.any(String),
      },
    ])
    expect(stage.charges).toMatchObject([{ status: 'Y', ares_status: 'Y' }])
    const { body } = await account.client.readPayment(confirmed.payment_id)
    expect(body.authentication).toEqual({ outcome: 'Authenticated', liability_shifted: true, eci: '05' })
    const { preauth, auth, postauth } = stage.provider.calls
    expect([preauth.length, auth.length, postauth.length]).toEqual([1, 1, 0])
    expect(auth[0]).toMatchObject({
      acquirerBIN: '400551',
      acquirerMerchantID: 'TEA-1',
      mcc: '5499',
      threeDSCompInd: 'N',
      merchantName: 'TEA',
      merchantCountryCode: '826',
    })
  })

  test.each([
    ['2013', 'failed'],
    ['2023', 'attempted'],
    ['2033', 'rejected'],
    ['2043', 'informational'],
    ['2053', 'unavailable'],
    ['1103', 'authenticated'],
  ])('%s of the sandbox: %s', async (last4, state) => {
    const { card_reference } = await type(account, session, last4)
    expect((await authenticate(card_reference)).three_ds.state).toBe(state)
  })

  test('the bank is told that its 3DS Method ran', async () => {
    const { card_reference, three_ds_method } = await type(account, session, '2003')
    await runMethod(three_ds_method.url)
    await authenticate(card_reference)
    expect(stage.provider.calls.auth[0]!.threeDSCompInd).toBe('Y')
  })

  test('an id that died is replaced, and the 3DS Method did not run for the new one', async () => {
    const { card_reference, three_ds_method } = await type(account, session, '2003')
    await runMethod(three_ds_method.url)
    await stage.clock.advance(80_000)
    expect((await authenticate(card_reference)).three_ds.state).toBe('authenticated')
    const { preauth, auth } = stage.provider.calls
    expect(preauth).toHaveLength(2)
    expect(auth).toMatchObject([{ threeDSCompInd: 'N' }])
  })

  test('whoever takes over from a process that died asks under a new id', async () => {
    const { card_reference, three_ds_method } = await type(account, session, '2003')
    await runMethod(three_ds_method.url)
    await authenticate(card_reference)
    await stage.service.sql`
      update attempts set three_ds_state = 'not_started', asking_until = created_at
      where session_id = ${session.id}`
    expect((await authenticate(card_reference)).three_ds.state).toBe('authenticated')
    const { auth } = stage.provider.calls
    expect(auth.map(({ threeDSCompInd }) => threeDSCompInd)).toEqual(['Y', 'N'])
    expect(auth[1]!.threeDSServerTransID).not.toBe(auth[0]!.threeDSServerTransID)
    const [attempt] = await stage.service.sql`
      select server_transaction_id from attempts where session_id = ${session.id}`
    expect(attempt!.server_transaction_id).toBe(auth[1]!.threeDSServerTransID)
  })

  test('a card that is not enrolled is charged without', async () => {
    const { card_reference, three_ds_method } = await type(account, session, '9999')
    expect(three_ds_method).toBeNull()
    expect((await authenticate(card_reference)).three_ds.state).toBe('not_enrolled')
    expect((await paid()).status).toBe('captured')
    expect(stage.acquirer.charged_with).toEqual([{ enabled: false }])
  })
})

describe('a challenge', () => {
  test('is passed, and the charge bears its result and both statuses', async () => {
    await runChallenge(await challenged('2072'))
    expect(await stateNow()).toBe('authenticated')
    expect((await paid()).status).toBe('captured')
    expect(stage.acquirer.charged_with).toMatchObject([
      { enabled: true, eci: '05', status: 'Y', cryptogram: expect.any(String) },
    ])
    expect(stage.charges).toMatchObject([{ eci: '05', status: 'Y', ares_status: 'C' }])
    const [attempt] = await stage.service.sql`
      select three_ds_provider, authentication_outcome, ds_transaction_id from attempts
      where session_id = ${session.id}`
    expect(attempt).toMatchObject({
      three_ds_provider: `3dsecureio:${account.connection_id}`,
      authentication_outcome: { status: 'Y', eci: '05' },
    })
  })

  test.each([
    ['failed', '2071', undefined, 'authentication_failed'],
    ['cancelled', '2072', 'cancel' as const, 'authentication_canceled'],
  ])('is %s: declined', async (_, last4, code, decline) => {
    await runChallenge(await challenged(last4), code)
    expect(await paid()).toMatchObject({ status: 'declined', decline: { code: decline } })
    expect(stage.acquirer.charged_with).toEqual([])
  })

  test('of a shopper who closed the page is heard of by the job, once by however many', async () => {
    await passedAndClosed(await challenged('2070'))
    expect(stage.provider.calls.postauth).toHaveLength(0)
    expect(await stateNow()).toBe('awaiting_challenge')
    const counts = await Promise.all([jobs(), jobs(), jobs()])
    expect(counts.toSorted()).toEqual([0, 0, 1])
    expect(await stateNow()).toBe('authenticated')
    const lines = await stage.service.sql`
      select actor from journal where session_id = ${session.id} and change = 'attempt.moved'`
    expect(lines.map(({ actor }) => actor).toSorted()).toEqual(['bank', 'shopper'])
    expect((await paid()).status).toBe('captured')
  })

  test('whose result cannot be fetched at once is heard of by the job', async () => {
    stage.provider.next('lose_answer_after', 'postauth')
    await runChallenge(await challenged('2070'))
    expect(await stateNow()).toBe('awaiting_challenge')
    expect(await jobs()).toBe(1)
    expect(await stateNow()).toBe('authenticated')
  })

  test('that is under way is asked after, and goes on', async () => {
    const url = await challenged('2072')
    expect(await jobs()).toBe(0)
    expect(stage.provider.calls.postauth).toHaveLength(1)
    expect(await stateNow()).toBe('awaiting_challenge')
    await runChallenge(url)
    expect(await stateNow()).toBe('authenticated')
  })

  test('whose result is not there yet is asked after again before the page ends', async () => {
    const url = await challenged('2072')
    const done = fetch(`${url}/result`, { method: 'POST', body: new URLSearchParams({ cres: '' }) })
    expect((await driving(stage.clock, done)).status).toBe(200)
    expect(stage.provider.calls.postauth).toHaveLength(3)
    expect(await stateNow()).toBe('awaiting_challenge')
  })

  test.each(['2070', '2071'])('whose result is kept no longer (%s) has timed out', async (last4) => {
    await passedAndClosed(await challenged(last4))
    await stage.clock.advance(301_000)
    await jobs()
    expect(await stateNow()).toBe('failed')
    expect(await paid()).toMatchObject({ decline: { code: 'authentication_timeout' } })
    expect(stage.acquirer.charged_with).toEqual([])
  })

  test('that another card superseded changes nothing any more', async () => {
    const url = await challenged('2070')
    const other = await type(account, session, '2013')
    expect((await authenticate(other.card_reference)).three_ds.state).toBe('failed')
    await runChallenge(url)
    await jobs()
    expect(stage.provider.calls.postauth).toHaveLength(0)
    const rows = await stage.service.sql`
      select three_ds_state from attempts where session_id = ${session.id} order by number`
    expect(rows.map(({ three_ds_state }) => three_ds_state)).toEqual(['superseded', 'failed'])
  })

  test('whose result is on its way while another card supersedes it changes nothing', async () => {
    await passedAndClosed(await challenged('2070'))
    const other = await type(account, session, '2013')
    await Promise.all([jobs(), authenticate(other.card_reference)])
    const rows = await stage.service.sql`
      select three_ds_state from attempts where session_id = ${session.id} order by number`
    expect(rows[1]!.three_ds_state).toBe('failed')
    expect(await paid()).toMatchObject({ decline: { code: 'authentication_failed' } })
  })

  test('that ended is asked after for a minute more, and stays failed whatever comes', async () => {
    await passedAndClosed(await challenged('2070'))
    const [row] = await stage.service.sql`
      select challenge_expires_at from attempts where session_id = ${session.id}`
    const left_ms = row!.challenge_expires_at.getTime() - stage.clock.now().getTime()
    // As the bank would have had it if the shopper had passed at the last moment.
    await stage.service.sql`
      update attempts set challenge_expires_at = challenge_expires_at - ${`${left_ms} ms`}::interval
      where session_id = ${session.id}`
    expect(await stateNow()).toBe('failed')
    await stage.clock.advance(59_999)
    expect(await jobs()).toBe(1)
    expect(await stateNow()).toBe('failed')
    expect(await paid()).toMatchObject({ decline: { code: 'authentication_timeout' } })
  })

  test('that ended more than a minute ago is asked after no more', async () => {
    await passedAndClosed(await challenged('2070'))
    await stage.clock.advance(11 * 60_000 + 60_000)
    expect(await jobs()).toBe(0)
    expect(stage.provider.calls.postauth).toHaveLength(0)
  })

  test.each(['another_bank', 'another_transaction', 'another_version'] as const)(
    'is not ended by the result of another: %s',
    async (fault) => {
      stage.provider.next(fault, 'postauth')
      await runChallenge(await challenged('2070'))
      expect(await stateNow()).toBe('awaiting_challenge')
      expect(stage.service.log).toContainEqual(
        expect.objectContaining({ message: 'the provider gave the result of another challenge' }),
      )
      await jobs()
      expect(await stateNow()).toBe('authenticated')
    },
  )
})

describe('a provider that fails', () => {
  const unavailable = '503 three_ds_provider_unavailable'
  const authenticated = async (card_reference: string) => {
    const answer = await account.client.authenticate(session, card_reference)
    return answer.status === 200 ? answer.body.three_ds.state : refusal(answer)
  }
  const attempts = async () => (await account.client.state(session)).body.session.attempt_count
  const connectionLogged = () =>
    expect(stage.service.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({ connection: `3dsecureio:${account.connection_id}` }),
      }),
    )

  test.each([
    ...(['lose_answer_before', 'unauthorised', 'forbidden', 'too_many', 'error_before'] as const),
    ...(['html', 'empty', 'truncated', 'another_message', 'no_version', 'erro'] as const),
  ])('when a card is typed (%s) is asked again when it is authenticated', async (fault) => {
    stage.provider.next(fault, 'preauth')
    const { card_reference } = await type(account, session, '2003')
    expect(card_reference).toMatch(/^card_/)
    connectionLogged()
    expect(await authenticated(card_reference)).toBe('authenticated')
  })

  test('when its card is authenticated is not there, and no attempt is spent', async () => {
    for (let time = 0; time < 2; time++) stage.provider.next('unauthorised', 'preauth')
    const { card_reference } = await type(account, session, '2003')
    expect(await authenticated(card_reference)).toBe(unavailable)
    expect(await attempts()).toBe(0)
    expect(await authenticated(card_reference)).toBe('authenticated')
  })

  test.each(['unauthorised', 'forbidden', 'too_many'] as const)(
    'and turns an AReq away (%s) has asked no bank: no attempt is spent',
    async (fault) => {
      const { card_reference } = await type(account, session, '2003')
      stage.provider.next(fault, 'auth')
      expect(await authenticated(card_reference)).toBe(unavailable)
      connectionLogged()
      expect(await attempts()).toBe(0)
      expect(await authenticated(card_reference)).toBe('authenticated')
    },
  )

  test.each([
    ...(['lose_answer_before', 'lose_answer_after', 'error_before', 'error_after'] as const),
    ...(['error_with_message', 'html', 'empty', 'truncated', 'another_message'] as const),
    ...(['another_transaction', 'another_version', 'strange_status', 'erro'] as const),
  ])('and may have asked the bank (%s) is never asked again: unavailable', async (fault) => {
    const { card_reference } = await type(account, session, '2003')
    stage.provider.next(fault, 'auth')
    expect(await authenticated(card_reference)).toBe('unavailable')
    expect(stage.provider.calls.auth).toHaveLength(1)
    expect((await paid()).status).toBe('captured')
    expect(stage.acquirer.charged_with).toEqual([{ enabled: false }])
  })

  test('is asked so late that another request may ask: nothing leaves, and no attempt is spent', async () => {
    const { card_reference } = await type(account, session, '2003')
    const { sql } = stage.service
    const stalled = stage.stallBeforeSending(() => stage.clock.advance(40_000))
    expect(await authenticated(card_reference)).toBe(unavailable)
    stalled.end()
    expect(stage.provider.calls.auth).toHaveLength(0)
    const attempts_left = await sql`select 1 from attempts where session_id = ${session.id}`
    expect(attempts_left).toHaveLength(0)
  })

  test('is not reached: no attempt is spent', async () => {
    const { card_reference } = await type(account, session, '2003')
    // Nobody listens at the port of nothing.
    const credentials = { api_key: 'k', api_url: 'http://127.0.0.1:1' }
    await rotateCredentials(stage.service.operator, account.connection_id, credentials)
    await stage.clock.advance(10_000)
    expect(await authenticated(card_reference)).toBe(unavailable)
    connectionLogged()
    expect(await attempts()).toBe(0)
  })
})

describe('which provider', () => {
  const tell = (changes: object) =>
    changeMerchant(stage.service.operator, account.merchant_id, {
      acquiring_profile: { ...profile, three_ds: 'bank-checks', ...changes },
    })
  const config = async () => {
    const path = `/v1/checkout/config/${account.publishable_key}`
    const answer = await account.client.send('GET', path)
    return answer.status === 200 ? answer.body.mode : refusal(answer)
  }
  const unavailable = '503 three_ds_provider_unavailable'
  const configured = (wanted: string) => until(config, (told) => told === wanted)

  test('none where the profile names none, and no Directory Server is configured', async () => {
    expect(await configured('live')).toBe('live')
    await tell({ three_ds: undefined })
    expect(await configured(unavailable)).toBe(unavailable)
    const { card_reference } = await type(account, session, '2003')
    expect(refusal(await account.client.authenticate(session, card_reference))).toBe(unavailable)
  })

  test('none where its connection is disabled, but a challenge under way is finished there', async () => {
    const url = await challenged('2070')
    await disableConnection(stage.service.operator, account.connection_id)
    expect(await configured(unavailable)).toBe(unavailable)
    await runChallenge(url)
    expect(await stateNow()).toBe('authenticated')
  })

  test('never one of the sandbox', async () => {
    await createConnection(stage.service.operator, account.merchant_id, {
      kind: 'three_ds',
      connector: '3dsecureio',
      label: 'trial',
      mode: 'sandbox',
      credentials: { api_key: 'k' },
    })
    await tell({ three_ds: 'trial' })
    expect(await configured(unavailable)).toBe(unavailable)
  })

  test.each([
    ['acquirer_bin', { acquirer_bin: undefined }],
    ['acquirer_merchant_id', { acquirer_merchant_id: { mastercard: 'M' } }],
  ])('asks nobody without %s, says so, and spends no attempt', async (member, changes) => {
    await tell(changes)
    await stage.clock.advance(31_000)
    const { card_reference } = await type(account, session, '2003')
    const answer = await account.client.authenticate(session, card_reference)
    expect(refusal(answer)).toBe(unavailable)
    expect(answer.body.message).toContain(`the acquiring profile lacks ${member} for visa`)
    expect(stage.provider.calls.auth).toHaveLength(0)
    expect((await account.client.state(session)).body.session.attempt_count).toBe(0)
  })
})

describe('a test session of an integration with a sandbox connection', () => {
  const card = cardThat('visa', {})
  const trial = { kind: 'three_ds', connector: '3dsecureio', label: 'trial' } as const
  const credentials = () => ({ api_key: stage.provider.api_key, api_url: stage.provider.url })

  async function rehearsal() {
    const { merchant_id } = await stage.service.newAccount({ integration: null })
    const { operator } = stage.service
    const asked = { ...trial, mode: 'sandbox' as const, credentials: credentials() }
    const { connection_id } = await createConnection(operator, merchant_id, asked)
    const integration = { test_connections: ['trial'] }
    const { client } = await stage.service.addPlace(merchant_id, integration)
    return { client, connection_id, open: () => client.create() }
  }

  test('is authenticated there, with made-up data of an acquirer, and charged at the simulator', async () => {
    const { client, open } = await rehearsal()
    const { body } = await open()
    expect(body.mode).toBe('test')
    expect((await client.present(body, card)).body.three_ds.state).toBe('authenticated')
    expect(stage.provider.calls.auth).toMatchObject([{ acquirerBIN: '400000', mcc: '5999' }])
    expect((await client.confirm(body)).body.status).toBe('captured')
    expect(stage.acquirer.charged_with).toEqual([])
  })

  test('takes the numbers of the vendor’s sandbox, and no other session does', async () => {
    const { client, open } = await rehearsal()
    const { body } = await open()
    const { three_ds } = (await client.present(body, '4000100511192072')).body
    expect(three_ds.state).toBe('awaiting_challenge')
    const { client: other } = await stage.service.newAccount()
    const refused = await other.referenceCard(await other.open(), cardOf('4000100511192072'))
    expect(refusal(refused)).toBe('400 invalid_request')
  })

  test('is not begun once the connection is disabled, and one that was is not sent to the simulator', async () => {
    const { client, connection_id, open } = await rehearsal()
    const { body } = await open()
    await disableConnection(stage.service.operator, connection_id)
    const refused = await until(
      async () => refusal(await open()),
      (told) => told === '422 acquiring_profile_incomplete',
    )
    expect(refused).toBe('422 acquiring_profile_incomplete')
    const answer = await client.present(body, card)
    expect(refusal(answer)).toBe('503 three_ds_provider_unavailable')
    expect(stage.provider.calls.auth).toEqual([])
  })
})

test('nothing secret is stored or logged', async () => {
  await runChallenge(await challenged('2072'))
  expect((await paid()).status).toBe('captured')
  const { sql, log } = stage.service
  const stored = await everythingStored(sql)
  const all = JSON.stringify([[...stored], log])
  const { api_key } = stage.provider
  const secrets = [liveNumber('2072'), api_key, stage.acquirer.secret_key]
  for (const secret of secrets) expect(all).not.toContain(secret)
})
