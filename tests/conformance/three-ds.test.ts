// 3-D Secure around the attempt: method page, challenge page, results, forgeries, and what never comes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OutgoingFailure } from '../../src/kernel/world.ts'
import {
  type Client,
  cardOf,
  type Json,
  openChallenge,
  refusal,
  runChallenge,
  runMethod,
  type SessionSecret,
  visa,
} from '../support/client.ts'
import { drivenClock, driving, type Service, startService } from '../support/service.ts'

const clock = drivenClock()
let lose_results = false
const areqs: Json[] = []
let service: Service
let client: Client
beforeAll(async () => {
  const http: Parameters<typeof startService>[0] = {
    clock,
    http: ({ post }) => ({
      async post(request) {
        const message = JSON.parse(request.body)
        if (message.messageType === 'AReq') areqs.push(message)
        const lost = lose_results && request.url.endsWith('/3ds/results')
        if (lost) throw new OutgoingFailure('not_sent', false, 'lost')
        return post(request)
      },
    }),
  }
  service = await startService(http)
  client = service.client
})
afterAll(() => service.close())

const otp = '4000000000003220'
const areqOf = async (session: SessionSecret) => {
  const [row] = await service.sql<{ server_transaction_id: string }[]>`
    select server_transaction_id from attempts where session_id = ${session.id} order by number desc`
  return areqs.filter(({ threeDSServerTransID }) => threeDSServerTransID === row!.server_transaction_id)
}

describe('the 3DS Method', () => {
  const open = async (number = visa) => {
    const session = await client.open()
    const { body } = await client.referenceCard(session, cardOf(number))
    return { session, reference: body.card_reference, url: body.three_ds_method?.url }
  }

  test('its page was not opened: authenticate goes on at once', async () => {
    const { session, reference } = await open()
    const before = clock.now()
    await client.authenticate(session, reference)
    expect(clock.now()).toEqual(before)
    expect(await areqOf(session)).toMatchObject([{ threeDSCompInd: 'N' }])
  })

  test('it reported', async () => {
    const { session, reference, url } = await open()
    await runMethod(url)
    await client.authenticate(session, reference)
    expect(await areqOf(session)).toMatchObject([{ threeDSCompInd: 'Y', messageVersion: '2.2.0' }])
  })

  test('it never reports: authenticate waits 10 s from when the page was opened', async () => {
    const { session, reference, url } = await open('4000009300000000')
    await runMethod(url)
    await clock.advance(4_000)
    const before = clock.now().getTime()
    await driving(clock, client.authenticate(session, reference))
    expect(clock.now().getTime() - before).toBe(6_000)
    expect(await areqOf(session)).toMatchObject([{ threeDSCompInd: 'N' }])
  })

  test('it reports while authenticate waits', async () => {
    const { session, reference, url } = await open('4000009300000000')
    const other = await open()
    await runMethod(url)
    const waiting = client.authenticate(session, reference)
    await clock.pause()
    const forged = await forgeMethod(url, other.session)
    expect(forged).toBe(200)
    const ids = await service.sql<{ server_transaction_id: string }[]>`
      select server_transaction_id from vault.cards where card_reference = ${reference}`
    await postMethod(url, ids[0]!.server_transaction_id)
    await driving(clock, waiting)
    expect(await areqOf(session)).toMatchObject([{ threeDSCompInd: 'Y' }])
  })

  test.each([
    ['4000009200010000', 'U', '2.2.0'],
    ['4000009400090000', 'N', '2.1.0'],
    ['4000009500080000', 'N', '2.2.0'],
  ])('%s: threeDSCompInd %s, version %s', async (number, threeDSCompInd, messageVersion) => {
    const { session, reference } = await open(number)
    const { body } = await client.authenticate(session, reference)
    expect(body.three_ds.version).toBe(messageVersion)
    expect(await areqOf(session)).toMatchObject([{ threeDSCompInd, messageVersion }])
  })

  const postMethod = async (url: string, threeDSServerTransID: string) => {
    const data = Buffer.from(JSON.stringify({ threeDSServerTransID })).toString('base64url')
    const body = new URLSearchParams({ threeDSMethodData: data })
    return (await fetch(`${url}/done`, { method: 'POST', body })).status
  }
  const forgeMethod = async (url: string, { id }: SessionSecret) => {
    const [row] = await service.sql<{ server_transaction_id: string }[]>`
      select server_transaction_id from vault.cards where session_id = ${id}`
    return postMethod(url, row!.server_transaction_id)
  }
})

describe('the challenge', () => {
  const open = async (number = otp) => {
    const session = await client.open()
    const { body } = await client.present(session, number)
    return { session, url: body.three_ds.challenge.url as string }
  }
  const stateOf = async (session: SessionSecret) => (await client.state(session)).body.three_ds.state

  test.each([
    ['1234', 'authenticated', 'captured'],
    ['cancel', 'failed', 'declined'],
  ])('%s: %s, %s', async (code, state, status) => {
    const { session, url } = await open()
    await runChallenge(url, code)
    expect(await stateOf(session)).toBe(state)
    expect((await client.confirm(session)).body.status).toBe(status)
  })

  test('three wrong codes', async () => {
    const { session, url } = await open()
    for (const _ of [1, 2]) await runChallenge(url, '0000')
    expect(await stateOf(session)).toBe('awaiting_challenge')
    await runChallenge(url, '0000')
    expect((await client.confirm(session)).body.decline.code).toBe('authentication_failed')
  })

  test('a page that is loaded again goes on; after the end it says so', async () => {
    const { session, url } = await open()
    await openChallenge(url)
    await runChallenge(url)
    const page = await (await fetch(url)).text()
    expect(page).toContain('Your bank has answered')
    expect(page).not.toContain('<form')
    expect((await client.confirm(session)).body.status).toBe('captured')
  })

  test('what the browser brings back changes nothing', async () => {
    const { session, url } = await open()
    const cres = Buffer.from(JSON.stringify({ messageType: 'CRes', transStatus: 'Y' }))
    const body = new URLSearchParams({ cres: cres.toString('base64url') })
    expect((await fetch(`${url}/result`, { method: 'POST', body })).status).toBe(200)
    expect(await stateOf(session)).toBe('awaiting_challenge')
    expect(refusal(await client.confirm(session))).toBe('409 authentication_incomplete')
  })

  test('a page address that is not ours shows nothing', async () => {
    const { url } = await open()
    const forged = url.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    for (const at of [forged, `${forged}/result`, url.replace('challenge', 'method')]) {
      const method = at.endsWith('result') ? 'POST' : 'GET'
      const answer = await fetch(at, { method })
      expect(answer.status).toBe(404)
    }
  })

  test('without an answer or a result it has failed after 11 minutes', async () => {
    lose_results = true
    const { session, url } = await open()
    await openChallenge(url)
    await clock.advance(11 * 60_000 - 1)
    expect(await stateOf(session)).toBe('awaiting_challenge')
    await clock.advance(1)
    expect(await stateOf(session)).toBe('failed')
    lose_results = false
    expect((await client.confirm(session)).body).toMatchObject({
      status: 'declined',
      decline: { code: 'authentication_timeout', category: 'soft' },
    })
  })

  test('a session that expires meanwhile', async () => {
    const session = await client.open()
    await clock.advance(25 * 60_000)
    const { body } = await client.present(session, otp)
    const { expires_at } = (await client.readSession(session.id)).body
    expect(body.three_ds.challenge.expires_at).toBe(expires_at)
    await clock.advance(5 * 60_000)
    expect(refusal(await client.confirm(session))).toBe('409 session_expired')
  })
})

test.each([
  ['4000009100010050', 'unavailable'],
  ['4000009000030000', 'not_enrolled'],
  ['4000009100050080', 'unavailable'],
])('%s: %s, and the integration declines what is not authenticated', async (number, state) => {
  const strict = await service.newAccount({ integration: { on_3ds_unavailable: 'decline' } })
  const session = await strict.client.open()
  expect((await strict.client.present(session, number)).body.three_ds.state).toBe(state)
  const { body } = await strict.client.confirm(session)
  expect(body).toMatchObject({
    status: 'declined',
    decline: { code: 'authentication_unavailable', category: 'soft' },
  })
  const payment = (await strict.client.readPayment(body.payment_id)).body
  expect(payment).toMatchObject({ status: 'declined', acquirer_transaction_id: null })
  expect(payment).not.toHaveProperty('authentication')
})

test('an attempt whose method page is still waited for gives way to another card', async () => {
  const session = await client.open()
  const { body } = await client.referenceCard(session, cardOf('4000009300000000'))
  await runMethod(body.three_ds_method.url)
  const waiting = client.authenticate(session, body.card_reference)
  await clock.pause()
  expect((await client.present(session)).body.attempt.number).toBe(2)
  expect((await driving(clock, waiting)).body).toMatchObject({
    attempt: { number: 1 },
    three_ds: { state: 'superseded' },
  })
  expect((await client.confirm(session)).body).toMatchObject({ status: 'captured' })
})
