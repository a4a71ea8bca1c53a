// What keeps card testers out: how often, with how many cards, and after how many declines one may try.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Acquirer, AuthoriseRequest, Decline } from '../../src/acquirers/acquirer.ts'
import { testNumber } from '../../src/cards/test-cards.ts'
import type { KnownConnector } from '../../src/connections/connectors.ts'
import { inCell } from '../../src/database/cells/cells.ts'
import { countStatements } from '../../src/database/count.ts'
import { Refusal } from '../../src/kernel/errors.ts'
import type { Context } from '../../src/payments/context.ts'
import { limitSessionCreates } from '../../src/payments/limits/card-testing.ts'
import type { AuthenticationOutcome, PostedThreeDs } from '../../src/three-ds/three-ds.ts'
import { type Answer, type Client, cardOf, refusal, visa } from '../support/client.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { shopperAt } from '../support/live-shopper.ts'
import { type Account, drivenClock, type Service, startService } from '../support/service.ts'

const clock = drivenClock()
const statements = countStatements()
let database: FreshDatabase
let service: Service
let client: Client
beforeAll(async () => {
  database = await freshDatabase()
  const { onStatement } = statements
  service = await startService({
    clock,
    connectors: [bankConnector],
    database: { ...database, open: (options) => database.open({ ...options, onStatement }) },
    trusted_proxies: ['127.0.0.1'],
    // A live 3DS Server that knows no scheme: no card is enrolled, and each is charged without.
    three_ds: {
      server_reference_number: 'R',
      operator_id: 'O',
      requestor_id: 'I',
      requestor_name: 'N',
      requestor_url: 'https://ripper.example',
      directory_servers: [],
    },
  })
  client = service.client
})
afterAll(async () => {
  await service.close()
  await database.drop()
})

/** The bank of live payments: what it was asked, and what it answers. */
let asked: AuthoriseRequest[] = []
let answer: { result: 'declined' | 'failed'; decline: Decline } | 'approved'
const unused = async () => {
  throw new Error('not asked for here')
}
const bank: Acquirer = {
  name: 'bank',
  learned_by: 'reference',
  lists: true,
  capture: unused,
  void: unused,
  reverse: unused,
  refund: unused,
  lookUp: unused,
  listAuthorisations: unused,
  safe_window_ms: 300_000,
  reference_life_ms: 24 * 3_600_000,
  late_approval_ms: 0,
  async authorise(request) {
    asked.push(request)
    const acquirer_transaction_id = `t_${asked.length}`
    const { amount, currency } = request
    return answer === 'approved'
      ? { result: 'approved', captured: true, amount, currency, acquirer_transaction_id }
      : { ...answer, acquirer_transaction_id }
  },
}
const bankConnector: KnownConnector = {
  name: 'bank',
  kind: 'acquirer',
  credentials: z.object({}),
  open: ({ name }) => ({ ...bank, name, authorise: (request) => bank.authorise(request) }),
}

const limited = '429 rate_limit_exceeded'
const testCards = ['000', '005', '051', '054', '041', '043'].map((abc) => testNumber('visa', { abc }))

/** What a refusal says of time: the header, and the message's words. */
function told({ headers, body }: Answer): [string | null, string] {
  expect(body.message).not.toMatch(/\d{3}/)
  return [headers.get('retry-after'), body.message]
}

const times = async (count: number, once: (index: number) => Promise<Answer>) => {
  const answers: string[] = []
  for (let index = 0; index < count; index++) {
    const answer = await once(index)
    answers.push(answer.status < 300 ? String(answer.status) : refusal(answer))
  }
  return answers
}

describe('a session', () => {
  test('takes ten cards within any minute', async () => {
    const session = await client.open()
    const reference = () => client.referenceCard(session, cardOf(visa))
    expect(await times(4, reference)).toEqual(Array(4).fill('201'))
    await clock.advance(40_000)
    expect(await times(6, reference)).toEqual(Array(6).fill('201'))
    const eleventh = await reference()
    expect(refusal(eleventh)).toBe(limited)
    expect(told(eleventh)).toEqual(['20', 'Too many cards were entered in this session. Try again in 20 seconds.'])
    await clock.advance(19_500)
    expect((await reference()).headers.get('retry-after')).toBe('1')
    await clock.advance(500)
    // The four places of the first minute are free; the six beyond them are not.
    expect(await times(5, reference)).toEqual([...Array(4).fill('201'), limited])
    expect(await times(1, async () => client.referenceCard(await client.open(), cardOf(visa)))).toEqual(['201'])
  })

  test('counts a number that is refused, and judges none beyond the limit', async () => {
    const session = await client.open()
    const wrong = { ...cardOf(visa), number: '4242424242424241' }
    const refused = Array(10).fill('400 invalid_request')
    expect(await times(11, () => client.referenceCard(session, wrong))).toEqual([...refused, limited])
    expect(refusal(await client.referenceCard(session, cardOf(visa)))).toBe(limited)
  })

  test('takes five different cards, and each of them again', async () => {
    const session = await client.open()
    const type = (number: string) => client.referenceCard(session, cardOf(number))
    await clock.advance(60_000)
    expect(await times(6, (index) => type(testCards[index]!))).toEqual([...Array(5).fill('201'), limited])
    await clock.advance(120_000)
    const sixth = await type(testCards[5]!)
    expect(refusal(sixth)).toBe(limited)
    expect(told(sixth)).toEqual([
      '1620',
      'Too many different cards were entered in this session. It takes no other one before it ends in 27 minutes.',
    ])
    expect(await times(5, (index) => type(testCards[index]!))).toEqual(Array(5).fill('201'))
    const held = await service.sql`select 1 from vault.cards where session_id = ${session.id}`
    expect(held).toHaveLength(10)
  })

  test.each(Array.from({ length: 10 }, (_, round) => round))(
    'at the edge one of two requests at once comes through, round %i',
    async () => {
      const session = await client.open()
      const type = (number: string) => client.referenceCard(session, cardOf(number))
      const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort()
      await times(4, (index) => type(testCards[index]!))
      const different = await Promise.all([type(testCards[4]!), type(testCards[5]!)])
      expect(statuses(different)).toEqual([201, 429])
      await times(3, () => type(testCards[0]!))
      const same = await Promise.all([1, 2].map(() => type(testCards[0]!)))
      expect(statuses(same)).toEqual([201, 429])
      const { headers } = same.find(({ status }) => status === 429)!
      expect(headers.get('retry-after')).toBe('60')
    },
  )

  test('limits of addresses hold in live mode only', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => client.open()))
    for (const session of sessions) {
      expect(await times(9, () => client.referenceCard(session, cardOf(visa)))).not.toContain(limited)
    }
    const { merchant_id } = service.account
    const asked = { merchant_id, public_key: 'rip_pk_test', address: '192.0.2.1', text_bytes: 0 }
    for (let count = 0; count < 25; count++) {
      await limitSessionCreates(service.context, { ...asked, mode: 'test', now: clock.now() })
    }
    const names = await service.sql`
      select name from limit_uses
      where merchant_id = ${merchant_id} and name !~ '^(references|cards)_of_session '`
    expect(names).toEqual([])
  })
})

const profile = { acquirer: 'bank', descriptor_name: 'TEA', mcc: '5499', country: 'GB' }
const merchant = { live: true, live_enabled: true, acquiring_profile: profile }

describe('an address in live mode', () => {
  test('enters thirty cards within a minute, with all sessions of the merchant', async () => {
    const account = await service.newAccount({ merchant })
    const other = await service.newAccount({ merchant })
    const sessions = await Promise.all(Array.from({ length: 5 }, () => account.client.open()))
    const shopper = shopperAt(account, '2001:db8:1:2::1')
    for (const session of sessions.slice(0, 3)) {
      expect(await times(11, () => shopper.type(session, 1))).toEqual([...Array(10).fill('201'), limited])
    }
    // The same /64 is the same customer.
    const refused = await shopperAt(account, '2001:db8:1:2:ffff::9').type(sessions[3]!, 2)
    expect(refusal(refused)).toBe(limited)
    expect(told(refused)).toEqual(['60', 'Too many cards were entered from this address. Try again in 60 seconds.'])
    expect((await shopperAt(account, '2001:db8:1:3::1').type(sessions[3]!, 2)).status).toBe(201)
    const elsewhere = await other.client.open()
    expect((await shopperAt(other, '2001:db8:1:2::1').type(elsewhere, 1)).status).toBe(201)
    await clock.advance(60_000)
    expect((await shopper.type(sessions[4]!, 1)).status).toBe(201)
    const rows = await service.sql<{ row: string }[]>`select k::text as row from limit_uses k`
    expect(rows.filter(({ row }) => /2001:db8|4539578763/.test(row))).toEqual([])
  })

  const creates = async (asked: { merchant_id: string; public_key: string; address: string }) => {
    const create = { ...asked, mode: 'live' as const, text_bytes: 0, now: clock.now() }
    const context = await inCell(service.context, asked.merchant_id)
    return limitSessionCreates(context, create).then(
      () => 'made',
      (error) => (error instanceof Refusal ? `${error.retry_after_seconds} ${error.message}` : ''),
    )
  }
  const inTurn = async (asked: Parameters<typeof creates>[0][]) => {
    const answers: string[] = []
    for (const each of asked) answers.push(await creates(each))
    return answers
  }

  test('opens twenty sessions within a minute, and what it is refused costs the key nothing', async () => {
    const { merchant_id } = await service.newAccount({ merchant })
    const public_key = 'rip_pk_a'
    const from = (host: number) => ({ merchant_id, public_key, address: `192.0.2.${host}` })
    const first = await inTurn(Array(220).fill(from(1)))
    expect(first.slice(0, 20)).toEqual(Array(20).fill('made'))
    expect(new Set(first.slice(20))).toEqual(
      new Set(['60 Too many sessions were created from this address. Try again in 60 seconds.']),
    )
    await clock.advance(30_000)
    const others = Array.from({ length: 180 }, (_, index) => from(2 + Math.floor(index / 20)))
    expect(new Set(await inTurn(others))).toEqual(new Set(['made']))
    expect(await creates(from(99))).toBe(
      '30 Too many sessions were created with this publishable key. Try again in 30 seconds.',
    )
    expect(await creates({ ...from(1), public_key: 'rip_pk_b' })).toMatch('from this address')
    expect(await creates({ ...from(98), public_key: 'rip_pk_b' })).toBe('made')
    await clock.advance(30_000)
    expect(await inTurn([from(1), from(99)])).toEqual(['made', 'made'])
  })

  test('opens 120 test sessions within a minute, a key 600, where the gateway has a limit', async () => {
    const { merchant_id } = await service.newAccount()
    const common = await inCell(service.context, merchant_id)
    const counting = { ...common, counts_test_sessions: true }
    const open = (context: Context, host: number) =>
      limitSessionCreates(context, {
        merchant_id,
        public_key: 'rip_pk_d',
        address: `192.0.2.${host}`,
        mode: 'test',
        text_bytes: 0,
        now: clock.now(),
      })
    const opened = async (context: Context, host: number, count: number) => {
      for (let index = 0; index < count; index++) await open(context, host)
    }
    await opened(common, 1, 130)
    await opened(counting, 1, 120)
    await expect(open(counting, 1)).rejects.toThrow('Too many test sessions were created from this')
    for (const host of [2, 3, 4, 5]) await opened(counting, host, 120)
    await expect(open(counting, 6)).rejects.toThrow('with this publishable key')
    await clock.advance(60_000)
    await open(counting, 1)
  })

  test('many at once come through up to the limit', async () => {
    const { merchant_id } = await service.newAccount({ merchant })
    const asked = { merchant_id, public_key: 'rip_pk_c', address: '192.0.2.1' }
    const answers = await Promise.all(Array.from({ length: 60 }, () => creates(asked)))
    expect(answers.filter((answer) => answer === 'made')).toHaveLength(20)
  })
})

describe('after too many declines in live mode', () => {
  const soft = { code: 'do_not_honor', category: 'soft', reason: 'Do not honour' } as const
  const blocked = { code: 'blocked', category: 'fraud', reason: 'Too many declines' }
  let account: Account
  beforeEach(async () => {
    account = await service.newAccount({ merchant })
    asked = []
    answer = { result: 'declined', decline: soft }
    await clock.advance(60_000)
  })
  const codes = async (count: number, pay: (index: number) => Promise<Answer>) => {
    const told: string[] = []
    for (let index = 0; index < count; index++) {
      const { status, body } = await pay(index)
      told.push(status === 200 ? (body.decline?.code ?? body.status) : `${status} ${body.error}`)
    }
    return told
  }

  test('a card is declined here, whoever uses it, until an hour is over', async () => {
    const shoppers = [1, 2, 3, 4, 5, 6].map((host) => shopperAt(account, `198.51.100.${host}`))
    const [first] = shoppers
    expect(await codes(5, (index) => shoppers[index]!.pay(1))).toEqual(Array(5).fill(soft.code))
    expect(asked).toHaveLength(5)
    answer = 'approved'
    const session = await account.client.open()
    const { body } = await shoppers[5]!.pay(1, session)
    expect(body).toMatchObject({ status: 'declined', decline: blocked, attempts_left: 0 })
    expect(asked).toHaveLength(5)
    const payment = await account.client.readPayment(body.payment_id)
    expect(payment.body).toMatchObject({
      status: 'declined',
      decline: blocked,
      capture_state: null,
    })
    const events = await service.sql`
      select type from events where payment_id = ${body.payment_id}`
    expect(events).toEqual([{ type: 'payment.declined' }])
    expect(refusal(await first!.type(session, 2))).toBe('409 session_declined')
    expect((await account.client.readSession(session.id)).body.status).toBe('declined')
    // Another card at the same address is charged, and so is this one in an hour.
    expect(await codes(1, () => first!.pay(2))).toEqual(['captured'])
    await clock.advance(3_599_000)
    expect(await codes(1, () => first!.pay(1))).toEqual(['blocked'])
    await clock.advance(1_000)
    expect(await codes(1, () => first!.pay(1))).toEqual(['captured'])
  })

  test('an address is declined here, whatever its card, and others are not', async () => {
    const shopper = shopperAt(account, '198.51.100.20')
    expect(await codes(15, (index) => shopper.pay(Math.min(index, 10)))).toEqual([
      ...Array(10).fill(soft.code),
      ...Array(5).fill('blocked'),
    ])
    const line = service.log.findLast(({ fields }) => 'limit' in fields)!
    expect(line.fields).toMatchObject({ limit: 'declines_of_address', times: 1 })
    expect(asked).toHaveLength(10)
    // Blocked payments are no bank's declines: the card's are not made more by them.
    answer = 'approved'
    const another = shopperAt(account, '198.51.100.21')
    expect(await codes(1, () => another.pay(10))).toEqual(['captured'])
    await clock.advance(3_600_000)
    expect(await codes(1, () => shopper.pay(10))).toEqual(['captured'])
  })

  /** A session as a page opens it, so many of them that no page may at once. */
  const openedByPage = async () => {
    const session = await account.client.open()
    await service.sql`update sessions set minted_by = 'client' where session_id = ${session.id}`
    return session
  }
  /** Each with a card of their own, at an address of their own. */
  const strangers = (count: number, from: number, open = openedByPage) =>
    codes(count, async (index) => {
      const shopper = shopperAt(account, `203.0.113.${from + index}`)
      return shopper.pay(from + index, await open())
    })
  const braked = async () => {
    const [, count] = /blocked_total\{limit="merchant"\} (\d+)/.exec(await service.context.metrics.text()) ?? []
    return Number(count ?? 0)
  }

  test('a merchant whose cards come from everywhere is braked, for ten minutes', async () => {
    expect(await strangers(30, 1)).toEqual(Array(30).fill(soft.code))
    expect(asked).toHaveLength(30)
    answer = 'approved'
    const before = await braked()
    expect(await strangers(2, 101)).toEqual(['blocked', 'blocked'])
    expect(asked).toHaveLength(30)
    expect(await braked()).toBe(before + 2)
    const session = await openedByPage()
    const { body } = await shopperAt(account, '203.0.113.110').pay(110, session)
    expect(body).toMatchObject({ status: 'declined', decline: blocked })
    // What the merchant's server opens is counted by itself, and so is another merchant.
    expect(await strangers(1, 111, () => account.client.open())).toEqual(['captured'])
    const { live } = service.context.three_ds
    service.context.three_ds.live = answering({ ...silent, status: 'A', eci: '06' })
    expect(await strangers(1, 112)).toEqual(['blocked'])
    service.context.three_ds.live = answering({ ...silent, status: 'Y', eci: '05' })
    expect(await strangers(3, 113)).toEqual(Array(3).fill('captured'))
    service.context.three_ds.live = live
    await clock.advance(600_000)
    expect(await strangers(1, 120)).toEqual(['captured'])
    account = await service.newAccount({ merchant })
    expect(await strangers(1, 121)).toEqual(['captured'])
  })

  test('a merchant with as many sales as declines is not braked', async () => {
    expect(await strangers(20, 1)).toEqual(Array(20).fill(soft.code))
    answer = 'approved'
    expect(await strangers(10, 31)).toEqual(Array(10).fill('captured'))
    answer = { result: 'declined', decline: soft }
    // Six of the approved ones freed a place each; from half on none does.
    expect(await strangers(17, 51)).toEqual([...Array(16).fill(soft.code), 'blocked'])
  })

  test('an error is no decline, and a repeated answer is not another decline', async () => {
    answer = {
      result: 'failed',
      decline: { code: 'processing_error', category: 'provider_error', reason: null },
    }
    const shopper = shopperAt(account, '198.51.100.30')
    expect(await codes(6, () => shopper.pay(1))).toEqual(Array(6).fill('processing_error'))
    answer = { result: 'declined', decline: soft }
    const session = await account.client.open()
    await shopper.pay(1, session)
    const confirms = await Promise.all(Array.from({ length: 6 }, () => account.client.confirm(session)))
    expect(new Set(confirms.map(({ body }) => body.decline.code))).toEqual(new Set([soft.code]))
    expect(await codes(5, () => shopper.pay(1))).toEqual([...Array(4).fill(soft.code), 'blocked'])
  })

  test.each(['blocked', 'authentication_canceled', 'authentication_timeout', 'authentication_unavailable'])(
    'what the acquirer says counts, even in our own words: %s',
    async (code) => {
      answer = { result: 'declined', decline: { code, category: 'soft', reason: 'Theirs' } }
      const shopper = shopperAt(account, '198.51.100.60')
      expect(await codes(5, () => shopper.pay(1))).toEqual(Array(5).fill(code))
      answer = 'approved'
      expect(await codes(1, () => shopper.pay(1))).toEqual(['blocked'])
      expect(asked).toHaveLength(5)
    },
  )

  test('the payer is looked up once, in one statement', async () => {
    const shopper = shopperAt(account, '198.51.100.70')
    expect(await codes(1, () => shopper.pay(1))).toEqual([soft.code])
    let before: string[] = []
    const { authorise } = bank
    bank.authorise = async (request) => {
      before = statements.texts()
      return authorise(request)
    }
    try {
      const session = await account.client.open()
      const { card_reference } = (await shopper.type(session, 1)).body
      await account.client.authenticate(session, card_reference)
      statements.reset()
      expect((await account.client.confirm(session)).body.decline.code).toBe(soft.code)
    } finally {
      bank.authorise = authorise
    }
    const cards = new Set(before.filter((text) => /limit_uses|\.cards\b/.test(text)))
    expect([...cards].map((text) => /update attempts/.test(text))).toEqual([false, true])
  })

  test.each<[string, Partial<AuthenticationOutcome>, string, boolean]>([
    ['the bank failed the cardholder', { status: 'N' }, 'authentication_failed', true],
    ['the bank rejected the card', { status: 'R' }, 'authentication_rejected', true],
    ['the shopper cancelled', { status: 'N', challenge_cancel: '01' }, 'authentication_canceled', false],
    ['the shopper was too slow', { status: 'N', challenge_cancel: '04' }, 'authentication_timeout', false],
  ])('3-D Secure: %s', async (_, outcome, code, counts) => {
    const { live } = service.context.three_ds
    service.context.three_ds.live = answering({ ...silent, ...outcome })
    const shopper = shopperAt(account, '198.51.100.40')
    expect(await codes(5, () => shopper.pay(1))).toEqual(Array(5).fill(code))
    service.context.three_ds.live = live
    answer = 'approved'
    expect(await codes(1, () => shopper.pay(1))).toEqual([counts ? 'blocked' : 'captured'])
    expect(asked).toHaveLength(counts ? 0 : 1)
  })

  const silent: AuthenticationOutcome = {
    status: 'N',
    eci: null,
    authentication_value: null,
    reason: null,
    challenge_cancel: null,
    unavailable_cause: null,
  }

  /** A live 3DS Server whose banks all answer alike, without a challenge. */
  function answering(outcome: AuthenticationOutcome): PostedThreeDs {
    return {
      ...service.context.three_ds.test!,
      enrolment: async () => ({ enrolled: true, version: '2.2.0', method_url: null }),
      authenticate: async () => ({
        kind: 'outcome',
        outcome,
        ds_transaction_id: null,
        acs_transaction_id: null,
        cardholder_info: null,
      }),
    }
  }

  test('a decline that cannot be counted is logged, and the payment stands', async () => {
    await service.sql`alter table limit_uses add constraint full_up check (name !~ '^declines') not valid`
    try {
      expect(await codes(1, () => shopperAt(account, '198.51.100.50').pay(1))).toEqual([soft.code])
    } finally {
      await service.sql`alter table limit_uses drop constraint full_up`
    }
    expect(service.log.map(({ message }) => message)).toContain('decline not counted')
  })
})
