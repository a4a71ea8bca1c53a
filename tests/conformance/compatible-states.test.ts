// What a payment intent reads as, after real payments with test cards: one row for each state of session, attempt and payment.

import { describe, expect, test } from 'vitest'
import { openChallenge, runChallenge, type SessionSecret, visa } from '../support/client.ts'
import { openCompatible, tea } from '../support/compatible.ts'
import { openUnverified, runJob } from '../support/holding.ts'
import { drivenClock, driving, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service
const compatible = openCompatible(client, service.account)

const insufficient = '4000009105150000'
const otp = '4000000000003220'
const expiry_ms = 30 * 60_000

const open = async (): Promise<SessionSecret> => (await compatible.create()).body
const read = async (session: SessionSecret) => (await compatible.read(session.id)).body
const pay = async (session: SessionSecret, number = visa) => {
  const shown = await client.present(session, number)
  if (shown.body.three_ds.challenge) await runChallenge(shown.body.three_ds.challenge.url)
  const { body } = await driving(clock, client.confirm(session))
  return body
}

const unpaid = { status: 'requires_payment_method', cancellation_reason: null }
const failure = (code: string, decline_code: string | null = null) => ({
  last_payment_error: {
    type: code === 'processing_error' ? 'api_error' : 'card_error',
    code,
    ...(decline_code !== null && { decline_code }),
    message: expect.stringMatching(/\w/),
  },
})

test('new, and until it expires', async () => {
  const session = await open()
  expect(await read(session)).toMatchObject({
    ...unpaid,
    last_payment_error: null,
    ripper: { hold: null },
  })
  await clock.advance(expiry_ms - 1)
  expect(await read(session)).toMatchObject(unpaid)
  await clock.advance(1)
  expect(await read(session)).toMatchObject({ status: 'canceled', cancellation_reason: 'expired' })
})

test('at the bank, back from it, and paid', async () => {
  const session = await open()
  const { body } = await client.present(session, otp)
  expect(await read(session)).toMatchObject({ status: 'requires_action', next_action: null })
  await openChallenge(body.three_ds.challenge.url)
  expect(await read(session)).toMatchObject({ status: 'requires_action' })
  await runChallenge(body.three_ds.challenge.url)
  const back = await until(
    () => read(session),
    ({ status }) => status !== 'requires_action',
  )
  expect(back).toMatchObject({ status: 'requires_confirmation', last_payment_error: null })
  await client.confirm(session)
  const paid = await read(session)
  expect(paid).toMatchObject({ status: 'succeeded', capture_method: 'automatic', amount: 4200 })
  await clock.advance(expiry_ms)
  expect(await read(session)).toEqual(paid)
})

test('while the bank is asked', async () => {
  const session = await open()
  const silence = clock.nextSleep(60_000)
  const authenticating = client.present(session, '4000009100090060')
  await silence
  expect(await read(session)).toMatchObject({ status: 'requires_confirmation' })
  await clock.advance(10_000)
  await driving(clock, authenticating)
  expect(await read(session)).toMatchObject({ status: 'requires_confirmation' })
})

describe('authentication that failed', () => {
  test.each([
    ['4000009100000010', 'payment_intent_authentication_failure', 'requires_payment_method'],
    ['4000009100060030', 'payment_intent_authentication_failure', 'canceled'],
  ])('%s, before and after confirm', async (number, code, after) => {
    const session = await open()
    await client.present(session, number)
    expect(await read(session)).toMatchObject({ ...unpaid, ...failure(code) })
    await client.confirm(session)
    expect(await read(session)).toMatchObject({ status: after, ...failure(code) })
  })
})

test.each([
  [insufficient, 'card_declined', 'insufficient_funds'],
  ['4000009100510000', 'card_declined', 'do_not_honor'],
  ['4000000000000002', 'card_declined', 'generic_decline'],
  ['4000009104160000', 'card_declined', 'lost_card'],
  ['4000009105490000', 'expired_card', null],
  ['4000009108200000', 'incorrect_cvc', null],
  ['4000009109110000', 'card_declined', 'issuer_not_available'],
  ['4000009106550000', 'card_declined', 'authentication_required'],
  ['4000009190110000', 'processing_error', null],
])('declined or failed, attempts left: %s', async (number, code, decline_code) => {
  const session = await open()
  await pay(session, number)
  expect(await read(session)).toMatchObject({ ...unpaid, ...failure(code, decline_code) })
})

test('declined, then another card at the bank, then paid', async () => {
  const session = await open()
  await pay(session, insufficient)
  const { body } = await client.present(session, otp)
  expect(await read(session)).toMatchObject({ status: 'requires_action', last_payment_error: null })
  await runChallenge(body.three_ds.challenge.url)
  await client.confirm(session)
  expect(await read(session)).toMatchObject({ status: 'succeeded', last_payment_error: null })
})

test('declined, and nothing more until it expires', async () => {
  const session = await open()
  await pay(session, insufficient)
  await clock.advance(expiry_ms)
  expect(await read(session)).toMatchObject({
    status: 'canceled',
    cancellation_reason: 'expired',
    ...failure('card_declined', 'insufficient_funds'),
  })
})

const closed = { status: 'canceled', cancellation_reason: 'automatic' }

test('three attempts used up, expired or not', async () => {
  const session = await open()
  for (const number of [insufficient, insufficient, '4000009105490000']) await pay(session, number)
  expect(await read(session)).toMatchObject({ ...closed, ...failure('expired_card') })
  await clock.advance(expiry_ms)
  expect(await read(session)).toMatchObject(closed)
})

test('closed by a suspicion of fraud', async () => {
  const session = await open()
  await pay(session, '4000009105980000')
  expect(await read(session)).toMatchObject({
    ...closed,
    ...failure('card_declined', 'fraudulent'),
  })
})

test('charging, and an answer that does not come: expiry says nothing', async () => {
  const slow = await open()
  await client.present(slow, '4000009190780000')
  const confirming = client.confirm(slow)
  await clock.pause()
  expect(await read(slow)).toMatchObject({ status: 'processing', last_payment_error: null })
  await driving(clock, confirming)
  expect(await read(slow)).toMatchObject({ status: 'succeeded' })

  const lost = await open()
  expect((await pay(lost, '4000009190450000')).status).toBe('processing')
  expect(await read(lost)).toMatchObject({ status: 'processing', cancellation_reason: null })
  await clock.advance(2 * expiry_ms)
  expect(await read(lost)).toMatchObject({ status: 'processing', cancellation_reason: null })
})

describe('held', () => {
  async function holding(number = visa) {
    const session = await openUnverified(service.account)
    const { payment_id } = await pay(session, number)
    return { session, payment_id }
  }
  const held = { capture_method: 'manual', last_payment_error: null }

  test('waiting, also past expiry, and looked at by a person', async () => {
    const { session, payment_id } = await holding()
    const waiting = {
      ...held,
      status: 'requires_capture',
      ripper: {
        checkout_session_id: session.id,
        amount_verified: false,
        hold: { status: 'pending_review', reason: 'no_price_list', decided_by: null },
      },
    }
    expect(await read(session)).toMatchObject(waiting)
    await clock.advance(expiry_ms)
    expect(await read(session)).toMatchObject(waiting)
    await client.decideHold('escalate', payment_id)
    const escalated = await read(session)
    expect(escalated).toMatchObject({
      status: 'requires_capture',
      ripper: { hold: { status: 'escalated' } },
    })
    expect(escalated.ripper.hold).toEqual((await client.readSession(session.id)).body.hold)
  })

  test('a capture that was refused, then done', async () => {
    const { session, payment_id } = await holding('4000009190520000')
    await client.decideHold('capture', payment_id)
    const refused = { hold: { operation_refusal: { kind: 'capture' } } }
    expect(await read(session)).toMatchObject({ status: 'requires_capture', ripper: refused })
    await client.decideHold('capture', payment_id)
    expect(await read(session)).toMatchObject({
      ...held,
      status: 'succeeded',
      ripper: { hold: { status: 'captured' } },
    })
  })

  test('voided by the merchant', async () => {
    const { session, payment_id } = await holding()
    await client.decideHold('void', payment_id)
    expect(await read(session)).toMatchObject({
      ...held,
      status: 'canceled',
      cancellation_reason: 'requested_by_customer',
    })
  })

  test('voided by the rules', async () => {
    const { session } = await holding()
    await clock.advance(6 * 24 * 3_600_000)
    await runJob(service, 'apply_hold_rules')
    expect(await read(session)).toMatchObject({ ...held, ...closed })
  })
})

test('what the browser adds, and a session of the API’s own', async () => {
  const { body: session } = await compatible.create({ ...tea, receipt_email: null })
  await client.present(session)
  await client.confirm(session, { customer: { email: 'late@example.com' } })
  expect(await read(session)).toMatchObject({ receipt_email: 'late@example.com' })
  const own = await client.open()
  expect(await read(own)).toMatchObject({
    id: own.id,
    ...unpaid,
    currency: 'gbp',
    client_secret: null,
    receipt_email: 'ada@example.com',
  })
})
