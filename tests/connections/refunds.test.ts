// Refunds through each connector, against its fake vendor: answered at once or later, refused, lost, and failing days later.

import { afterAll, describe, expect, test } from 'vitest'
import type { Acquirer, Notice, NoticePost } from '../../src/acquirers/acquirer.ts'
import { adyen } from '../../src/acquirers/adyen/adyen.ts'
import { checkout } from '../../src/acquirers/checkout-com/checkout.ts'
import { stripe } from '../../src/acquirers/stripe/stripe.ts'
import type { VendorHttp } from '../../src/kernel/world.ts'
import { compareAcquirer } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { saveNotices } from '../../src/payments/notices/notice-store.ts'
import { openWire, type Wire } from '../../src/vendor-wire/wire.ts'
import { openAdyenFake } from '../adapters/fakes/adyen/server.ts'
import { posted, signed } from '../adapters/fakes/adyen/views.ts'
import { openCheckoutFake } from '../adapters/fakes/checkout/server.ts'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'
import { refusal } from '../support/client.ts'
import { eventsOf } from '../support/holding.ts'
import { type DrivenClock, drivenClock } from '../support/service.ts'
import { day_ms, minute_ms, useStage } from '../support/settling.ts'
import { openLoopbackHttp } from '../support/vendor-http.ts'

const connection_id = `conn_${'2'.repeat(24)}`
const settles_after_ms = 20_000

/** A vendor with books of its own, and our connector to it. */
type Vendor = {
  open(installation: string): Acquirer
  /** The next request that moves money goes wrong so: carried out, and its answer lost. */
  loseAnswer(): void
  /** What was refunded of everything, in all. */
  refunded(): number
  moves(): number
  /** What it posts for all that happened by now. */
  notices(installation: string): Notice[]
  /** A refund that it had carried out comes back. */
  failLate(installation: string): Notice[]
  wrong: string[]
  close(): Promise<void>
}

const opened: VendorHttp[] = []
afterAll(() => Promise.all(opened.map((http) => http.close())))

function wireOf(clock: DrivenClock): Wire {
  const http = openLoopbackHttp(clock)
  opened.push(http)
  return openWire(http)
}

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)

async function openStripe(clock: DrivenClock): Promise<Vendor> {
  const fake = await openStripeFake({ clock })
  const { url: api_url, secret_key, webhook_secret } = fake
  const credentials = { secret_key, webhook_secret, api_url }
  const read = (installation: string) => (post: NoticePost) =>
    stripe.notices!.read(post, { credentials, mode: 'sandbox', installation, now: clock.now() })
  const given = () => fake.books.refunds().filter(({ failed }) => !failed)
  return {
    wrong: fake.wrong,
    moves: fake.moves,
    close: fake.close,
    open: (installation) =>
      stripe.open({
        name: `stripe:${connection_id}`,
        installation,
        clock,
        wire: wireOf(clock),
        credentials: async () => credentials,
      }),
    loseAnswer: () => fake.next('lose_answer_after'),
    refunded: () => sum(given().map(({ amount }) => amount)),
    notices: (installation) => fake.notices().flatMap(read(installation)),
    failLate(installation) {
      given().at(-1)!.failed = true
      return fake.notices().flatMap(read(installation)).slice(-1)
    },
  }
}

async function openCheckoutCom(clock: DrivenClock): Promise<Vendor> {
  const fake = await openCheckoutFake({ clock, settles_after_ms })
  const { url: api_url, secret_key, signature_key, books } = fake
  const credentials = { secret_key, signature_key, api_url }
  const read = (installation: string) => (post: NoticePost) =>
    checkout.notices!.read(post, { credentials, mode: 'sandbox', installation, now: clock.now() })
  const refunds = () =>
    books.payments.flatMap(({ actions }) => actions).filter(({ type, approved }) => type === 'Refund' && approved)
  return {
    wrong: fake.wrong,
    moves: fake.moves,
    close: fake.close,
    open: (installation) =>
      checkout.open({
        name: `checkout:${connection_id}`,
        installation,
        clock,
        wire: wireOf(clock),
        credentials: async () => credentials,
      }),
    loseAnswer: () => fake.next('lose_answer_after'),
    refunded: () => sum(refunds().map(({ amount }) => amount)),
    notices: (installation) => fake.notices().flatMap(read(installation)),
    failLate(installation) {
      refunds().at(-1)!.approved = false
      const told = fake.notices().flatMap(read(installation)).slice(-1)
      return told.map((each) => ({ ...each, notice_id: `${each.notice_id}_late` }))
    },
  }
}

async function openAdyen(clock: DrivenClock): Promise<Vendor> {
  const fake = await openAdyenFake({ clock, settles_after_ms })
  const { url: api_url, api_key, merchant_account, hmac_key, books } = fake
  const credentials = { api_key, merchant_account, hmac_key, api_url }
  const read = (installation: string) => (post: NoticePost) =>
    adyen.notices!.read(post, { credentials, mode: 'sandbox', installation, now: clock.now() })
  const refunds = () => books.modifications.filter(({ takes, success }) => takes === 'refund' && success)
  return {
    wrong: fake.wrong,
    moves: fake.moves,
    close: fake.close,
    open: (installation) =>
      adyen.open({
        name: `adyen:${connection_id}`,
        installation,
        clock,
        wire: wireOf(clock),
        credentials: async () => credentials,
      }),
    loseAnswer: () => fake.next('lose_answer_after'),
    refunded: () => sum(refunds().map(({ amount }) => amount)),
    notices: (installation) => fake.notices().flatMap(read(installation)),
    failLate(installation) {
      refunds().at(-1)!.success = false
      const [told] = fake.items().slice(-1)
      const failed = { ...told!, eventCode: 'REFUND_FAILED', success: 'true' as const }
      return [posted([signed(hmac_key, failed)])].flatMap(read(installation))
    },
  }
}

describe.each([
  ['stripe', openStripe, { is_asked: true, at_once: true }],
  ['checkout', openCheckoutCom, { is_asked: true, at_once: false }],
  ['adyen', openAdyen, { is_asked: false, at_once: false }],
] as const)('%s', async (_, openVendor, { is_asked, at_once }) => {
  const fake_clock = drivenClock()
  const vendor = await openVendor(fake_clock)
  let installation = ''
  const named = vendor.open('')
  const name = `bank:${connection_id}`
  const real = () => vendor.open(installation)
  const stage = await useStage((): Acquirer => {
    return {
      ...named,
      // No connector has this name, so that all goes through here.
      name,
      ...(named.prepare && { prepare: (request) => real().prepare!(request) }),
      authorise: (request) => real().authorise(request),
      refund: (request) => real().refund(request),
      lookUp: (request) => real().lookUp(request),
      listAuthorisations: (within) => real().listAuthorisations(within),
    }
  })
  const { clock, service, account, run } = stage
  installation = service.context.installation
  const { client, merchant_id } = account
  const { sql } = service
  await sql`
    insert into connections (merchant_id, connection_id, kind, connector, label, mode, sealed_credentials, created_at)
    values (${merchant_id}, ${connection_id}, 'acquirer', 'bank', 'main', 'sandbox', '\\x00', ${clock.now()})`
  await fake_clock.advance(clock.now().getTime() - fake_clock.now().getTime())
  afterAll(async () => {
    await vendor.close()
    expect(vendor.wrong).toEqual([])
  })

  const pass = async (ms: number) => {
    await fake_clock.advance(ms)
    await clock.advance(ms)
  }
  const hear = async (notices: Notice[]) => {
    await saveNotices(sql, { merchant_id, connection_id }, notices, clock.now())
    await run('handle_notices')
  }
  /** Lets time pass until looks and notices have told everything. */
  const settle = async () => {
    for (let rounds = 0; rounds < 8; rounds++) {
      await pass(minute_ms)
      await run('reconcile')
      if (!is_asked) await hear(vendor.notices(installation))
      await run('reconcile')
    }
  }
  async function paid(): Promise<string> {
    const session = await client.open()
    await client.present(session)
    const { body } = await client.confirm(session)
    await pass(settles_after_ms)
    // Some vendors capture only after they have answered.
    await run('reconcile')
    expect((await client.readPayment(body.payment_id)).body.status).toBe('captured')
    return body.payment_id
  }
  const statusOf = async (id: string) => (await client.readRefund(id)).body.status

  test('parts of a payment, up to all of it', async () => {
    const payment_id = await paid()
    const before = vendor.refunded()
    const { status, body } = await client.refund(payment_id, { amount: 1200 })
    expect([status, body.status]).toEqual([201, at_once ? 'succeeded' : 'pending'])
    const rest = (await client.refund(payment_id)).body
    expect(rest.amount).toBe(3000)
    expect(refusal(await client.refund(payment_id, { amount: 1 }))).toBe('409 refund_exceeds_captured')
    await settle()
    expect([await statusOf(body.id), await statusOf(rest.id)]).toEqual(['succeeded', 'succeeded'])
    expect(vendor.refunded() - before).toBe(4200)
    expect(await eventsOf(service, rest.id)).toMatchObject([{ type: 'refund.succeeded' }])
  })

  test('one that the issuer refuses, at once or later', async () => {
    const payment_id = await paid()
    const { body } = await client.refund(payment_id, { amount: 1013 })
    await settle()
    expect((await client.readRefund(body.id)).body).toMatchObject({
      status: 'failed',
      failure: { reason: expect.any(String) },
    })
    expect((await client.refund(payment_id)).body.amount).toBe(4200)
    await settle()
  })

  test('one that takes its time', async () => {
    const { body } = await client.refund(await paid(), { amount: 1017 })
    expect(body.status).toBe('pending')
    await settle()
    expect(await statusOf(body.id)).toBe('succeeded')
  })

  test('one whose answer is lost is given once', async () => {
    const payment_id = await paid()
    const before = vendor.refunded()
    vendor.loseAnswer()
    const { body } = await client.refund(payment_id, { amount: 1000 })
    expect(body.status).toBe('pending')
    await settle()
    expect(await statusOf(body.id)).toBe('succeeded')
    expect(vendor.refunded() - before).toBe(1000)
  })

  test('one that had succeeded and comes back days later', async () => {
    const payment_id = await paid()
    const { body } = await client.refund(payment_id, { amount: 1000 })
    await settle()
    expect(await statusOf(body.id)).toBe('succeeded')
    await pass(5 * day_ms)
    await hear(vendor.failLate(installation))
    expect(await statusOf(body.id)).toBe('failed')
    expect(await eventsOf(service, body.id)).toMatchObject([
      { sequence: 1, type: 'refund.succeeded' },
      { sequence: 2, type: 'refund.failed' },
    ])
    expect((await client.refund(payment_id)).body.amount).toBe(4200)
    await settle()
  })

  test('no refund is a difference between the books, nor an orphan', async () => {
    if (!named.lists) return
    const [whole, part] = [await paid(), await paid()]
    await client.refund(whole)
    await client.refund(part, { amount: 1000 })
    await settle()
    await pass(30 * minute_ms)
    await run('sweep_orphans')
    const acquirer = service.context.acquirerOf('test', name)
    const compared = await compareAcquirer(service.context, { mode: 'test', acquirer }, { at_once: true })
    expect(compared).toMatchObject({ failure: null, found: [] })
    expect(compared!.ours).toBeGreaterThan(1)
    const orphans = await sql`select * from orphan_authorisations`
    expect(orphans).toEqual([])
  })
})
