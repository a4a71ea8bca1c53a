// POST …/authenticate and its attempts: one card tried once, three at most, and what each end of one allows.

import { expect, test } from 'vitest'
import { testNumber } from '../../src/cards/test-cards.ts'
import { cardOf, refusal, runChallenge, type SessionSecret, visa } from '../support/client.ts'
import { drivenClock, driving } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service

const declining = '4000000000009995'
const hard = '4000000000009987'
const fraud = '4000000000004954'
const otp = '4000000000003220'
const rejected = testNumber('visa', { yz: '30' })
const lost = '4100000000000001'
const down = '4000009900040000'
const minutes = (count: number) => clock.advance(count * 60_000)

const decline = async (session: SessionSecret, number: string) => {
  expect((await client.present(session, number)).status).toBe(200)
  return (await client.confirm(session)).body
}

test('the answer has its members and no others', async () => {
  const session = await client.open()
  const { body } = await client.present(session, otp, { challenge_window_size: '02' })
  expect(body).toEqual({
    session_id: session.id,
    attempt: {
      id: expect.stringMatching(/^att_[0-9a-f]{24}$/),
      number: 1,
      card: { brand: 'visa', last4: '3220' },
    },
    three_ds: {
      state: 'awaiting_challenge',
      version: '2.2.0',
      challenge: {
        url: expect.stringContaining(`${service.base_url}/3ds/challenge/`),
        window_size: '02',
        expires_at: expect.any(String),
      },
      cardholder_info: null,
    },
    attempts_left: 2,
  })
  const { attempt, three_ds } = (await client.state(session)).body
  expect({ attempt, three_ds }).toEqual({ attempt: body.attempt, three_ds: body.three_ds })
})

test.each<[object, string]>([
  [{ browser: undefined }, 'browser is required'],
  [{ browser: { language: 'en' } }, 'browser.'],
  [{ challenge_window_size: '06' }, 'challenge_window_size'],
  [{ card_reference: 7 }, 'card_reference'],
  [{ card_number: visa }, 'card_number is not a field'],
])('refuses %j', async (more, words) => {
  const answer = await client.authenticate(await client.open(), 'card_x', more)
  expect(refusal(answer)).toBe('400 invalid_request')
  expect(answer.body.message).toContain(words)
  expect(answer.text).not.toContain(visa)
})

test('the same reference answers the same attempt', async () => {
  const session = await client.open()
  const reference = await client.reference(session)
  const answers = [await client.authenticate(session, reference)]
  await client.confirm(await client.open())
  answers.push(await client.authenticate(session, reference))
  expect(answers[1]!.text).toBe(answers[0]!.text)
  expect((await client.readSession(session.id)).body.attempt_count).toBe(1)
})

test('another card supersedes an unfinished attempt', async () => {
  const session = await client.open()
  const first = await client.reference(session, otp)
  await client.authenticate(session, first)
  const { body } = await client.present(session)
  expect(body).toMatchObject({ attempt: { number: 2 }, attempts_left: 1 })
  const again = await client.authenticate(session, first)
  expect(again.body).toMatchObject({
    attempt: { number: 1 },
    three_ds: { state: 'superseded', challenge: null },
    attempts_left: 1,
  })
  const result = (await client.confirm(session)).body
  expect(result).toMatchObject({ status: 'captured', attempt: { number: 2 }, attempts_left: 1 })
})

test('three attempts at most', async () => {
  const session = await client.open()
  for (const left of [2, 1]) {
    expect(await decline(session, declining)).toMatchObject({
      status: 'declined',
      attempts_left: left,
    })
    expect((await client.readSession(session.id)).body.status).toBe('requires_payment')
  }
  const fourth = await client.reference(session)
  expect(await decline(session, declining)).toMatchObject({
    status: 'declined',
    attempts_left: 0,
  })
  expect((await client.readSession(session.id)).body).toMatchObject({
    status: 'declined',
    attempt_count: 3,
    last_decline: { code: 'insufficient_funds', category: 'soft' },
  })
  expect(refusal(await client.authenticate(session, fourth))).toBe('409 attempts_exhausted')
  expect(refusal(await client.referenceCard(session, cardOf(visa)))).toBe('409 attempts_exhausted')
  const payments = await service.sql`select 1 from payments where session_id = ${session.id}`
  expect(payments).toHaveLength(3)
})

test('three unfinished attempts: no fourth, but the third may go on', async () => {
  const session = await client.open()
  for (let count = 0; count < 3; count++) await client.present(session)
  expect(refusal(await client.present(session))).toBe('409 attempts_exhausted')
  expect((await client.confirm(session)).body).toMatchObject({
    status: 'captured',
    attempts_left: 0,
  })
})

const abandon = async (session: SessionSecret, attempt_id?: string) => {
  const named = attempt_id ?? (await client.state(session)).body.attempt.id
  return client.confirm(session, { abandon: named })
}

test("a shopper who leaves the bank's check for good", async () => {
  const session = await client.open()
  for (const [left, status] of [
    [2, 'requires_payment'],
    [1, 'requires_payment'],
    [0, 'declined'],
  ] as const) {
    const { three_ds } = (await client.present(session, otp)).body
    const answer = await abandon(session)
    expect(answer.body).toMatchObject({
      status: 'declined',
      decline: { code: 'authentication_canceled', category: 'soft' },
      attempts_left: left,
    })
    // The bank's word comes too late, and a repeat finds what was recorded.
    await runChallenge(three_ds.challenge.url)
    expect((await client.confirm(session)).text).toBe(answer.text)
    expect((await client.readSession(session.id)).body.status).toBe(status)
  }
  expect(refusal(await client.referenceCard(session, cardOf(visa)))).toBe('409 attempts_exhausted')
})

test('what was left is not charged, although the bank has authenticated it', async () => {
  const session = await client.open()
  expect((await client.present(session)).body.three_ds.state).toBe('authenticated')
  expect((await abandon(session)).body).toMatchObject({ status: 'declined', attempts_left: 2 })
  const operations = await service.sql`
    select 1 from acquirer_operations o join payments p using (merchant_id, payment_id)
    where p.session_id = ${session.id}`
  expect(operations).toEqual([])
})

test('what the bank has refused stays refused as it was', async () => {
  const session = await client.open()
  await client.present(session, rejected)
  expect((await abandon(session)).body.decline).toMatchObject({ code: 'authentication_rejected' })
})

test('one who leaves an attempt ends no later one', async () => {
  const session = await client.open()
  const { attempt } = (await client.present(session, otp)).body
  await client.present(session, otp)
  for (const named of [attempt.id, 'att_unknown']) {
    const answer = await abandon(session, named)
    expect([refusal(answer), answer.body.field]).toEqual(['400 invalid_request', undefined])
    expect(answer.body.message).toContain('abandon must be the id of the newest attempt')
  }
  expect((await client.state(session)).body.three_ds.state).toBe('awaiting_challenge')
})

test('nothing is left where nothing was begun, and nothing that was charged', async () => {
  const untouched = await client.open()
  expect(refusal(await abandon(untouched, 'att_0'))).toBe('400 invalid_request')
  const paid = await client.open()
  await client.present(paid)
  await client.confirm(paid)
  expect((await abandon(paid)).body.status).toBe('captured')
})

test('one who leaves needs no email', async () => {
  const session = await client.open({ amount: 4200, currency: 'GBP' })
  await client.present(session, otp)
  expect((await abandon(session)).body).toMatchObject({ status: 'declined' })
})

test('a hard decline leaves the session open, one for fraud closes it', async () => {
  const session = await client.open()
  await decline(session, hard)
  const third = await client.reference(session)
  expect(await decline(session, fraud)).toMatchObject({
    decline: { category: 'fraud' },
    attempts_left: 0,
  })
  expect(refusal(await client.authenticate(session, third))).toBe('409 session_declined')
  expect((await client.readSession(session.id)).body.status).toBe('declined')
})

test('a decline for fraud on the third attempt: the three are used up', async () => {
  const session = await client.open()
  for (const number of [declining, declining, fraud]) await decline(session, number)
  expect(refusal(await client.authenticate(session, 'card_x'))).toBe('409 attempts_exhausted')
})

test('a paid, processing or expired session takes no card', async () => {
  const paid = await client.open()
  await client.present(paid)
  await client.confirm(paid)
  expect(refusal(await client.authenticate(paid, 'card_x'))).toBe('409 session_completed')
  const waiting = await client.open()
  const other = await client.reference(waiting)
  await client.present(waiting, lost)
  await driving(clock, client.confirm(waiting))
  expect(refusal(await client.authenticate(waiting, other))).toBe('409 session_processing')
  const old = await client.open()
  const unused = await client.reference(old)
  await client.present(old)
  await minutes(30)
  expect(refusal(await client.authenticate(old, unused))).toBe('409 session_expired')
  expect(refusal(await client.referenceCard(old, cardOf(visa)))).toBe('409 session_expired')
  expect(refusal(await client.confirm(old))).toBe('409 session_expired')
  expect((await client.state(old)).body.session).toMatchObject({
    status: 'expired',
    expires_in_seconds: 0,
  })
  expect((await client.readSession(waiting.id)).body.status).toBe('processing')
  expect((await client.readSession(paid.id)).body.status).toBe('succeeded')
})

test('a provider that is down spends nothing, and gives way to another card', async () => {
  const session = await client.open()
  await decline(session, declining)
  expect(refusal(await client.present(session, down))).toBe('503 three_ds_provider_unavailable')
  expect((await client.readSession(session.id)).body.attempt_count).toBe(1)
  expect((await client.present(session)).body.attempt.number).toBe(2)
  expect((await client.confirm(session)).body.status).toBe('captured')
})
