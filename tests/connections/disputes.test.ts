// Disputes from the first notice to the end, at each vendor: late, twice, out of turn, of other amounts, unsigned, and of payments that
// nobody here knows. Only what is new counts, and each merchant hears of it once.

import { afterEach, describe, expect, test } from 'vitest'
import type { NoticePost } from '../../src/acquirers/acquirer.ts'
import { refusal } from '../support/client.ts'
import { type DisputeFacts, type DisputeStep, disputeSteps } from '../support/dispute-posts.ts'
import { disputeOf } from '../support/disputing.ts'
import { quick } from '../support/fault-table.ts'
import { findingsOf } from '../support/holding.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { until } from '../support/service.ts'
import { day_ms, minute_ms } from '../support/settling.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const stages = await Promise.all(vendor_names.map(async (name) => [name, await useVendorStage(name)] as const))

afterEach(() => {
  for (const [, { vendor }] of stages) expect(vendor.wrong.splice(0)).toEqual([])
})

describe.each(stages)('%s', (name, stage) => {
  const { clock, vendor, account, other, connection_id } = stage
  const { client } = account
  const { sql } = other
  const get = (path: string) => client.send('GET', path, { headers: client.withKey })

  async function pay() {
    const session = await client.open()
    await client.present(session, quick)
    await client.confirm(session)
    await clock.advance(30_000)
    await stage.rest(true)
    const [row] = await sql<{ payment_id: string; operation_id: string }[]>`
      select payment_id, operation_id from acquirer_operations join payments using (merchant_id, payment_id)
      where session_id = ${session.id} and kind = 'authorise'`
    return { payment_id: row!.payment_id, reference: row!.operation_id, session_id: session.id as string }
  }

  async function send(posts: NoticePost[], to = connection_id): Promise<number[]> {
    const url = `${other.base_url}/acquirers/${to}/notices`
    const answers: number[] = []
    for (const { headers, body } of posts) answers.push((await fetch(url, { method: 'POST', headers, body })).status)
    await stage.run('handle_notices')
    return answers
  }

  const tell = (reference: string, step: DisputeStep, facts: Partial<DisputeFacts> = {}) =>
    send(vendor.dispute(reference, { step, at: clock.now(), ...facts }))

  async function disputesOf(payment_id: string) {
    const { status, body } = await get(`/v1/disputes?payment_id=${payment_id}`)
    expect(status).toBe(200)
    return body.data as Record<string, unknown>[]
  }

  /** Type and status of each event of the payment's disputes, oldest first. */
  async function toldOf(payment_id: string) {
    const { body } = await get(`/v1/events?payment_id=${payment_id}`)
    type Envelope = { type: string; sequence: number; data: { status: string } }
    const events = (body.data as Envelope[]).filter(({ type }) => type.startsWith('dispute.')).toReversed()
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1))
    return events.map(({ type, data }) => `${type} ${data.status}`)
  }

  const posts = (step: DisputeStep) => disputeSteps[step][name] !== null

  test('a dispute is opened as the vendor tells it, and told once', async () => {
    const { payment_id, reference } = await pay()
    const at = clock.now()
    const facts = { step: 'opened', at, amount: 1200 } as const
    const again = vendor.dispute(reference, facts)
    expect(await send([...again, ...again])).toEqual([200, 200])
    await clock.advance(minute_ms)
    await send(again)
    const [dispute, ...others] = await disputesOf(payment_id)
    expect(others).toEqual([])
    expect(dispute).toEqual({
      ...{ id: expect.stringMatching(/^dsp_[0-9a-f]{24}$/), payment_id, status: 'needs_response' },
      reason: expect.stringMatching(/fraud/i),
      ...{ amount: 1200, currency: 'GBP', mode: 'test', closed_at: null },
      respond_by: expect.stringMatching(/^20\d\d-.*\.0000000\+00:00$/),
      opened_at: expect.stringMatching(/^20\d\d-.*\+00:00$/),
      vendor_url: expect.stringMatching(/^https:\/\//),
    })
    expect((await get(`/v1/disputes/${dispute!.id}`)).body).toEqual(dispute)
    expect(await toldOf(payment_id)).toEqual(['dispute.opened needs_response'])
    const lines = await sql<{ change: string; detail: object }[]>`
      select change, detail from journal where subject = ${dispute!.id as string} order by entry_id`
    const money = { payment_id, status: 'needs_response', amount: 1200, currency: 'GBP', mode: 'test' }
    expect(lines).toMatchObject([{ change: 'dispute.opened', detail: { ...money, event_sha256: expect.any(String) } }])
  })

  type Row = [title: string, steps: DisputeStep[], status: string, told: string[]]
  const rows: Row[] = [
    ['answered', ['opened', 'answered'], 'under_review', ['dispute.opened needs_response']],
    ['won', ['opened', 'won'], 'won', ['dispute.opened needs_response', 'dispute.closed won']],
    ['lost', ['opened', 'answered', 'lost'], 'lost', ['dispute.opened needs_response', 'dispute.closed lost']],
    ['closed', ['opened', 'closed'], 'closed', ['dispute.opened needs_response', 'dispute.closed closed']],
    ['heard of at its end alone', ['won'], 'won', ['dispute.closed won']],
    [
      'lost the second time',
      ['opened', 'won', 'lost_again'],
      'lost',
      ['dispute.opened needs_response', 'dispute.closed won', 'dispute.closed lost'],
    ],
    [
      'won at last',
      ['opened', 'won', 'lost_again', 'won_at_last'],
      'won',
      ['dispute.opened needs_response', 'dispute.closed won', 'dispute.closed lost', 'dispute.closed won'],
    ],
  ]
  const own = rows.filter(([, steps]) => steps.every(posts))

  test.each(own)('%s', async (_, steps, status, told) => {
    const { payment_id, reference } = await pay()
    for (const step of steps) {
      await clock.advance(minute_ms)
      await tell(reference, step)
    }
    expect(await disputesOf(payment_id)).toMatchObject([{ status }])
    expect(await toldOf(payment_id)).toEqual(told)
  })

  const turned = own.filter(([, steps]) => steps.length > 1)
  test.each(turned)('%s, of which the vendor tells in the other order', async (_, steps, status, told) => {
    const { payment_id, reference } = await pay()
    const from = clock.now().getTime()
    await clock.advance(steps.length * minute_ms)
    for (const [place, step] of [...steps.entries()].reverse()) {
      await tell(reference, step, { at: new Date(from + place * minute_ms) })
    }
    expect(await disputesOf(payment_id)).toMatchObject([{ status }])
    // Nobody hears of a step that is over already.
    const [last] = told.slice(-1)
    expect(await toldOf(payment_id)).toEqual([last!.startsWith('dispute.closed') ? last : `dispute.opened ${status}`])
  })

  test('a suspicion of fraud is no dispute', async () => {
    const { payment_id, reference } = await pay()
    await tell(reference, 'fraud_suspected')
    expect(await disputesOf(payment_id)).toEqual([])
  })

  test('what is signed otherwise changes nothing', async () => {
    const { payment_id, reference } = await pay()
    const forged = vendor
      .dispute(reference)
      .map(({ headers, body }) => ({ headers, body: body.replace('4200', '4300').replace('4200', '4300') }))
    expect(await send(forged)).toEqual([401])
    expect(await disputesOf(payment_id)).toEqual([])
  })

  test('two disputes of a payment are two', async () => {
    const { payment_id, reference } = await pay()
    await tell(reference, 'opened', { vendor_id: `A${reference}`, amount: 1000 })
    await clock.advance(minute_ms)
    await tell(reference, 'opened', { vendor_id: `B${reference}`, amount: 500 })
    expect(await disputesOf(payment_id)).toMatchObject([{ amount: 500 }, { amount: 1000 }])
  })

  test('one that two processes hear of at once is told once', async () => {
    const { payment_id } = await pay()
    const key = { merchant_id: account.merchant_id, payment_id }
    const tellings = [stage.service, other, stage.service, other].map((each) => disputeOf(each, key))
    const ids = (await Promise.all(tellings)).map(({ dispute_id }) => dispute_id)
    expect(new Set(ids).size).toBe(1)
    expect(await toldOf(payment_id)).toEqual(['dispute.opened needs_response'])
  })

  test('another currency than the payment’s is shown', async () => {
    const { payment_id, reference } = await pay()
    await tell(reference, 'opened', { amount: 4800, currency: 'EUR' })
    expect(await disputesOf(payment_id)).toMatchObject([{ amount: 4800, currency: 'EUR' }])
  })

  test('months later the payment is still found', async () => {
    const { payment_id, reference } = await pay()
    await clock.advance(120 * day_ms)
    await tell(reference, 'opened')
    expect(await disputesOf(payment_id)).toHaveLength(1)
  })

  const disputed = '409 payment_disputed'
  const refunds: [DisputeStep[], string][] = [
    [['opened'], disputed],
    [['opened', 'answered'], disputed],
    [['opened', 'lost'], disputed],
    [['opened', 'won', 'lost_again'], disputed],
    [['opened', 'won'], '201'],
    [['opened', 'closed'], '201'],
  ]
  test.each(refunds.filter(([steps]) => steps.every(posts)))('a refund after %j', async (steps, expected) => {
    const { payment_id, reference } = await pay()
    for (const step of steps) {
      await clock.advance(minute_ms)
      await tell(reference, step)
    }
    const asked = await client.refund(payment_id, { amount: 100 })
    expect(asked.status === 201 ? '201' : refusal(asked)).toBe(expected)
    if (expected === '201') return
    expect(refusal(await client.refund(payment_id, { amount: 100, accept_dispute: false }))).toBe(disputed)
    expect((await client.refund(payment_id, { amount: 100, accept_dispute: true })).status).toBe(201)
    await clock.advance(30_000)
    await stage.rest(true)
  })

  test('a dispute that arrives while a refund waits for its payment counts', async () => {
    const { payment_id, reference } = await pay()
    const { waiting } = await sql.begin(async (tx) => {
      await tx`update payments set dispute = 'standing' where payment_id = ${payment_id}`
      const waiting = client.refund(payment_id, { amount: 100 })
      await until(() => countLockWaits(sql), Boolean)
      return { waiting }
    })
    expect(refusal(await waiting)).toBe(disputed)
    expect(vendor.charges().find((each) => each.reference === reference)!.refunded).toBe(0)
  })

  test('the other platform’s words say it of charge, refund and event', async () => {
    const { payment_id, reference, session_id } = await pay()
    const bearer = { authorization: `Bearer ${account.secret_key}` }
    const charge = `ch_${payment_id.slice(4)}`
    const read = async (path: string) => (await client.send('GET', path, { headers: bearer })).body
    expect(await read(`/v1/charges/${charge}`)).toMatchObject({ disputed: false })
    await tell(reference, 'opened')
    await clock.advance(minute_ms)
    await tell(reference, 'won')
    expect(await read(`/v1/charges/${charge}`)).toMatchObject({ disputed: true })
    const { data } = await read('/v1/events?type=charge.dispute.*&limit=2')
    const object = {
      object: 'dispute',
      charge,
      payment_intent: session_id,
      amount: 4200,
      currency: 'gbp',
      ripper: { payment_id },
    }
    const reason = name === 'adyen' ? 'general' : 'fraudulent'
    expect(data).toMatchObject([
      {
        type: 'charge.dispute.closed',
        data: { object: { ...object, reason, status: 'won', is_charge_refundable: true } },
      },
      { type: 'charge.dispute.created', data: { object: { ...object, status: 'needs_response' } } },
    ])
    await tell(reference, 'opened', { vendor_id: `B${reference}` })
    const answer = await client.send('POST', '/v1/refunds', { headers: bearer, body: { charge } })
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'charge_disputed' } } })
  })

  // Adyen tells by notices alone.
  const lists = name !== 'adyen'
  test.runIf(lists)(
    'what no notice told is found by the daily comparison, and so is its end months later',
    async () => {
      const { payment_id, reference } = await pay()
      vendor.listDispute(reference, { amount: 1000 })
      await clock.advance(day_ms)
      await stage.run('compare_books')
      expect(await disputesOf(payment_id)).toMatchObject([{ status: 'needs_response', amount: 1000 }])
      await clock.advance(60 * day_ms)
      vendor.listDispute(reference, { step: 'lost', amount: 1000, at: new Date(clock.now().getTime() - 60 * day_ms) })
      await stage.run('compare_books')
      expect(await disputesOf(payment_id)).toMatchObject([{ status: 'lost' }])
      expect(await toldOf(payment_id)).toEqual(['dispute.opened needs_response', 'dispute.closed lost'])
      // It is no difference between the books.
      expect(await findingsOf(other, payment_id)).toEqual([])
    },
  )

  test.runIf(lists)('a key that may not read disputes leaves the comparison as it was', async () => {
    const { payment_id, reference } = await pay()
    await clock.advance(day_ms)
    const before = other.log.length
    vendor.rights.disputes = false
    vendor.listDispute(reference)
    await stage.run('compare_books')
    vendor.rights.disputes = true
    expect(await disputesOf(payment_id)).toEqual([])
    const told = other.log.slice(before).filter(({ level }) => level === 'warn' || level === 'error')
    expect(told.map(({ message }) => message)).toEqual(['the acquirer does not list its disputes'])
    const [compared] = await sql<{ failure: string | null }[]>`
      select failure from acquirer_comparisons where acquirer = ${stage.acquirer}`
    expect(compared!.failure).toBeNull()
  })
})
