// The connector to 3dsecure.io by itself: what a check finds, which address is called, and answers that no suite brings.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { threeDsecureIo } from '../../src/three-ds/3dsecureio/3dsecureio.ts'
import { apiUrlOf } from '../../src/three-ds/3dsecureio/credentials.ts'
import { ProfileIncomplete, ProviderUnavailable } from '../../src/three-ds/three-ds.ts'
import type { Fault } from './fakes/3dsecureio/faults.ts'
import {
  connection_name,
  openThreeDsecureIoUnderTest,
  pages,
  type ThreeDsecureIoUnderTest,
} from './fakes/3dsecureio/under-test.ts'
import { cardThat } from './fakes/bank.ts'
import { purchase } from './three-ds-fixtures.ts'

let under: ThreeDsecureIoUnderTest
beforeEach(async () => {
  under = await openThreeDsecureIoUnderTest()
})
afterEach(() => under.close())

const visa = cardThat('visa', {})

describe('a check', () => {
  const check = (change: object = {}) =>
    threeDsecureIo.check({ credentials: { ...under.credentials, ...change }, mode: 'live', wire: under.wire })

  test('finds a key that is taken, and begins no authentication', async () => {
    expect(await check()).toEqual({ result: 'works', notes: [] })
    expect(under.fake.calls).toMatchObject({ preauth: [expect.anything()], auth: [] })
  })

  test.each<[Fault, string]>([
    ['unauthorised', 'its credentials were refused (401)'],
    ['too_many', 'its answer is not JSON (status 429)'],
    ['html', 'its answer is not JSON (status 200)'],
    ['truncated', 'its answer is not JSON (status 400)'],
    ['another_message', 'its answer is not the expected message (status 400)'],
    ['error_before', 'its answer is not JSON (status 500)'],
    ['erro', 'it answered Erro 404 (status 400)'],
  ])('fails: %s', async (fault, reason) => {
    under.fake.next(fault, 'preauth')
    expect(await check()).toEqual({ result: 'fails', reason: `3dsecure.io: ${reason}` })
  })

  test('fails with another key, and where nobody listens', async () => {
    expect(await check({ api_key: 'other' })).toMatchObject({ result: 'fails' })
    expect(await check({ api_url: 'http://127.0.0.1:1' })).toMatchObject({ result: 'fails' })
  })
})

test('the mode decides the address, unless the credentials name one', () => {
  expect(apiUrlOf({ api_key: 'k' }, 'live')).toBe('https://service.3dsecure.io')
  expect(apiUrlOf({ api_key: 'k' }, 'sandbox')).toBe('https://service.sandbox.3dsecure.io')
  expect(apiUrlOf({ api_key: 'k', api_url: 'https://proxy.example/' }, 'live')).toBe('https://proxy.example')
})

test('a vendor that is away fills no log, however many challenges wait', async () => {
  const asked = { server_transaction_id: purchase().server_transaction_id, handle: null }
  for (let time = 0; time < 3; time++) {
    under.fake.next('unauthorised', 'postauth')
    await expect(under.threeDs.fetchResult(asked)).rejects.toThrow(ProviderUnavailable)
  }
  expect(under.log).toMatchObject([{ level: 'error', fields: { step: 'postauth' } }])
})

test('a connection without credentials asks nobody, and is named in the log', async () => {
  const threeDs = under.openWith(null)
  const asked = threeDs.enrolment({ number: visa, brand: 'visa' })
  await expect(asked).rejects.toThrow(ProviderUnavailable)
  expect(under.log).toEqual([
    {
      level: 'error',
      fields: {
        connection: connection_name,
        step: 'preauth',
        reason: `${connection_name}: it has no credentials`,
      },
      message: '3-D Secure provider cannot be used',
    },
  ])
  expect(under.fake.calls.preauth).toEqual([])
})

test('a live AReq is never filled up with data of no acquirer', async () => {
  const { acquirer_bin, ...merchant } = { ...purchase().merchant, mcc: '5499', country: '826' }
  const request = purchase({
    number: visa,
    notification_url: `${pages}n`,
    merchant: { ...merchant, acquirer_bin, acquirer_merchant_id: 'TEA-1' },
  })
  const asked = under.openWith({}, 'live').authenticate(request)
  await expect(asked).rejects.toThrow(ProfileIncomplete)
  await expect(under.openWith({}, 'live').authenticate(request)).rejects.toThrow(
    'the acquiring profile lacks acquirer_bin for visa, which 3-D Secure needs',
  )
  expect(under.fake.calls.auth).toEqual([])
})

test('an authentication value without padding is that of the bank', async () => {
  const { wire, credentials, clock } = under
  const unpadded = {
    ...wire,
    send: async (request: Parameters<typeof wire.send>[0]) => {
      const answer = await wire.send(request)
      const text = answer.text.replace('="', '"')
      return { ...answer, text, json: JSON.parse(text) }
    },
  }
  const world = { clock, log: { debug() {}, info() {}, warn() {}, error() {} } }
  const threeDs = threeDsecureIo.openThreeDs({
    name: connection_name,
    mode: 'test',
    wire: unpadded,
    world,
    credentials: async () => credentials,
  })
  const enrolment = await threeDs.enrolment({ number: visa, brand: 'visa' })
  if (!enrolment.enrolled) throw new Error('not enrolled')
  const answer = await threeDs.authenticate(
    purchase({ ...enrolment.transaction, number: visa, notification_url: `${pages}n`, method_completion: 'N' }),
  )
  expect(answer).toMatchObject({
    outcome: { status: 'Y', authentication_value: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/) },
  })
})

describe('a result', () => {
  async function challenged() {
    const number = cardThat('visa', { three_ds: 'challenge_otp' })
    const enrolment = await under.threeDs.enrolment({ number, brand: 'visa' })
    if (!enrolment.enrolled) throw new Error('not enrolled')
    const { server_transaction_id } = enrolment.transaction!
    await under.threeDs.authenticate(
      purchase({ server_transaction_id, number, notification_url: `${pages}n`, method_completion: 'N' }),
    )
    return { server_transaction_id, handle: null }
  }

  test('that nobody sent yet is not there', async () => {
    expect(await under.threeDs.fetchResult(await challenged())).toBe('not_yet')
  })

  test('of no transaction is gone', async () => {
    const asked = { server_transaction_id: purchase().server_transaction_id, handle: null }
    expect(await under.threeDs.fetchResult(asked)).toBe('gone')
  })

  test.each<Fault>([
    ...(['lose_answer_after', 'unauthorised', 'too_many', 'error_after', 'html', 'empty'] as const),
    ...(['truncated', 'another_message', 'strange_status', 'erro'] as const),
  ])('that cannot be read is asked for again: %s', async (fault) => {
    const asked = await challenged()
    await under.clock.advance(30_000)
    under.fake.next(fault, 'postauth')
    await expect(under.threeDs.fetchResult(asked)).rejects.toThrow(ProviderUnavailable)
    expect(await under.threeDs.fetchResult(asked)).toMatchObject({ outcome: { status: 'N' } })
  })
})
