// The connector to Checkout.com's Sessions against the fake ones, which have our simulated banks behind them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkoutSessions } from '../../src/three-ds/checkout-com/checkout-sessions.ts'
import { type AuthenticationAnswer, ProviderUnavailable } from '../../src/three-ds/three-ds.ts'
import { openWire } from '../../src/vendor-wire/wire.ts'
import { manualClock } from '../support/clock.ts'
import { openLoopbackHttp } from '../support/vendor-http.ts'
import { cardThat } from './fakes/bank.ts'
import type { Fault } from './fakes/checkout-sessions/faults.ts'
import { openSessionsFake } from './fakes/checkout-sessions/server.ts'
import { threeDsSuite } from './three-ds.ts'
import { strictest, type ThreeDsBench } from './three-ds-bench.ts'
import { post } from './three-ds-browser.ts'
import { fakeWorld, purchase } from './three-ds-fixtures.ts'

const connection_name = 'checkout-sessions:conn_0123456789abcdef01234567'
const pages = 'https://pay.example/3ds/'

async function openUnderTest() {
  const clock = manualClock()
  const fake = await openSessionsFake({ clock, pages_url: () => pages })
  const http = openLoopbackHttp(clock)
  const wire = openWire(http)
  const world = fakeWorld({ post: () => Promise.reject(new Error('nobody posts')) })
  const { secret_key } = fake
  const credentials = { secret_key, signature_key: 'unused', api_url: fake.url }
  const openWith = (change: object | null) =>
    checkoutSessions.openThreeDs({
      name: connection_name,
      mode: 'test',
      wire,
      world: { clock, log: world.log },
      credentials: async () => change && { ...credentials, ...change },
    })
  return {
    clock,
    fake,
    wire,
    credentials,
    log: world.lines,
    openWith,
    threeDs: openWith({}),
    async close() {
      await http.close()
      await fake.close()
      if (fake.wrong.length > 0) throw new Error(fake.wrong.join('\n'))
    },
  }
}

const traits = { tells_down_apart: false, tells_silence_apart: false, knows_ranges: false }
threeDsSuite("Checkout.com's Sessions", openBench, { ...strictest, ...traits })

async function openBench(): Promise<ThreeDsBench> {
  const { fake, threeDs, clock, log, close } = await openUnderTest()
  return {
    threeDs,
    clock,
    log,
    close,
    card: cardThat,
    notification_url: `${pages}notification`,
    method_notification_url: `${pages}method-notification`,
    results_url: `${pages}results`,
    visit: (form) => post(form, (url) => url.startsWith(pages)),
    async results(count = 1) {
      const found = fake.sessions.slice(-count).map(async ({ id, transaction_id }) => {
        const asked = { server_transaction_id: transaction_id, handle: id }
        const result = await threeDs.fetchResult(asked)
        if (typeof result === 'string') throw new Error(result)
        return result
      })
      return Promise.all(found)
    },
    resultCount: fake.results,
  }
}

let under: Awaited<ReturnType<typeof openUnderTest>>
beforeEach(async () => {
  under = await openUnderTest()
})
afterEach(() => under.close())

const number = (behaviour: Parameters<typeof cardThat>[1] = {}) => cardThat('visa', behaviour)
const ask = (changes: Parameters<typeof purchase>[0] = {}): Promise<AuthenticationAnswer> =>
  under.threeDs.authenticate(purchase({ number: number(), notification_url: `${pages}n`, ...changes }))
const unavailable = { kind: 'outcome', outcome: { status: 'U', authentication_value: null } }

describe('an authentication', () => {
  test('is known by the ids of the vendor', async () => {
    const answer = await ask()
    const { id, transaction_id } = under.fake.sessions[0]!
    expect(answer).toMatchObject({
      handle: id,
      server_transaction_id: transaction_id,
      version: '2.2.0',
      outcome: { status: 'Y', eci: '05' },
    })
    expect(under.fake.calls).toEqual({ create: 1, fingerprint: 1, read: 0 })
  })

  test('of a card without a 3DS Method needs one call', async () => {
    await ask({ number: number({ ranges: 'no_method' }) })
    expect(under.fake.calls).toEqual({ create: 1, fingerprint: 0, read: 0 })
  })

  test('of an amount that the vendor cannot express is not begun', async () => {
    await expect(ask({ currency: 'BHD', amount: 4201 })).rejects.toThrow(ProviderUnavailable)
    expect(under.fake.calls.create).toBe(0)
  })

  test.each(['create', 'fingerprint'] as const)(
    'whose %s shows no more than that it ended is read for its result',
    async (step) => {
      const ranges = step === 'create' ? 'no_method' : undefined
      under.fake.next('short', step)
      expect(await ask({ number: number({ ranges }) })).toMatchObject({
        ds_transaction_id: expect.any(String),
        outcome: { status: 'Y', eci: '05', authentication_value: expect.stringMatching(/^.{28}$/) },
      })
      expect(under.fake.calls.read).toBe(1)
      under.fake.next('short', step)
      const challenged = number({ ranges, three_ds: 'challenge_otp' })
      expect(await ask({ number: challenged })).toMatchObject({
        kind: 'challenge',
        acs_url: expect.stringContaining('http'),
        acs_transaction_id: expect.any(String),
      })
    },
  )

  test('whose result cannot be read keeps what the bank said', async () => {
    under.fake.next('short', 'fingerprint')
    under.fake.next('error_before', 'read')
    expect(await ask()).toMatchObject({ outcome: { status: 'Y', authentication_value: null } })
  })

  test.each<Fault>(['unauthorised', 'forbidden', 'too_many', 'unprocessable', 'malformed'])(
    'that is turned away (%s) has asked no bank, and the log names the connection',
    async (fault) => {
      under.fake.next(fault, 'create')
      await expect(ask()).rejects.toThrow(ProviderUnavailable)
      expect(under.log).toMatchObject([
        { level: 'error', fields: { connection: connection_name, step: 'authenticate' } },
      ])
      expect(JSON.stringify(under.log)).not.toContain(number())
    },
  )

  test.each<Fault>([
    ...(['lose_answer_before', 'lose_answer_after', 'error_before', 'error_after'] as const),
    ...(['error_with_session', 'html', 'empty', 'truncated', 'strange_status'] as const),
    ...(['contradiction', 'bad_cryptogram'] as const),
  ])('that may have asked the bank (%s) is unavailable, and not repeated', async (fault) => {
    under.fake.next(fault, 'create')
    expect(await ask({ number: number({ ranges: 'no_method' }) })).toMatchObject(unavailable)
    expect(under.fake.calls.create).toBe(1)
  })

  test.each<Fault>([
    ...(['lose_answer_before', 'lose_answer_after', 'unauthorised', 'unprocessable'] as const),
    ...(['error_after', 'html', 'truncated', 'strange_status', 'bad_cryptogram'] as const),
  ])('whose second call fails (%s) is unavailable, and not repeated', async (fault) => {
    under.fake.next(fault, 'fingerprint')
    expect(await ask()).toMatchObject(unavailable)
    expect(under.fake.calls).toMatchObject({ create: 1, fingerprint: 1 })
  })

  test('whose connection has no credentials asks nobody', async () => {
    const asked = under.openWith(null).authenticate(purchase({ number: number() }))
    await expect(asked).rejects.toThrow(`${connection_name}: it has no credentials`)
    expect(under.fake.calls.create).toBe(0)
  })
})

test.each<[Fault, string]>([
  ['bad_cryptogram', 'N'],
  ['strange_status_of_no', 'N'],
])("a bank's no stands, whatever else is said: %s", async (fault, status) => {
  const refused = number({ three_ds: 'not_authenticated' })
  under.fake.next(fault, 'fingerprint')
  expect(await ask({ number: refused })).toMatchObject({ outcome: { status, eci: null } })
})

describe('a result', () => {
  async function challenged() {
    const answer = await ask({ number: number({ three_ds: 'challenge_otp' }) })
    if (answer.kind !== 'challenge') throw new Error('not a challenge')
    return { server_transaction_id: answer.server_transaction_id!, handle: answer.handle! }
  }

  test('that is not there yet, and one of no session', async () => {
    const asked = await challenged()
    expect(await under.threeDs.fetchResult(asked)).toBe('not_yet')
    const other = { ...asked, handle: 'sid_other' }
    expect(await under.threeDs.fetchResult(other)).toBe('gone')
  })

  test.each<Fault>(['rreq_error', 'no_response_code'])('that is a U of nobody’s is gone: %s', async (fault) => {
    const asked = await challenged()
    await under.clock.advance(30_000)
    under.fake.next(fault, 'read')
    expect(await under.threeDs.fetchResult(asked)).toBe('gone')
  })

  test.each<Fault>([
    ...(['lose_answer_after', 'unauthorised', 'too_many', 'error_after', 'html', 'empty'] as const),
    ...(['truncated', 'another_session', 'strange_status', 'contradiction'] as const),
  ])('that cannot be read is asked for again: %s', async (fault) => {
    const asked = await challenged()
    await under.clock.advance(30_000)
    under.fake.next(fault, 'read')
    await expect(under.threeDs.fetchResult(asked)).rejects.toThrow(ProviderUnavailable)
    expect(await under.threeDs.fetchResult(asked)).toMatchObject({ outcome: { status: 'N' } })
  })
})

describe('a check', () => {
  const check = (change: object = {}) =>
    checkoutSessions.check({ credentials: { ...under.credentials, ...change }, mode: 'sandbox', wire: under.wire })

  test('finds a key that is taken, and makes no session', async () => {
    expect(await check()).toEqual({ result: 'works', notes: [] })
    expect(under.fake.calls.create).toBe(0)
  })

  test.each<[Fault, string]>([
    ['unauthorised', 'its credentials were refused (401)'],
    ['forbidden', 'its answer cannot be used (status 403)'],
    ['html', 'its answer cannot be used (status 200)'],
    ['error_before', 'its answer cannot be used (status 500)'],
  ])('fails: %s', async (fault, reason) => {
    under.fake.next(fault, 'read')
    expect(await check()).toEqual({ result: 'fails', reason: `Checkout.com: ${reason}` })
  })
})
