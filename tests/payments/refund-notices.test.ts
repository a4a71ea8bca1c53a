// What acquirers post about refunds: late, twice, before the answer, about several of one payment, and days after success.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Acquirer, type Notice, type SettleAnswer, Unanswered } from '../../src/acquirers/acquirer.ts'
import { closeFindings, listFindings } from '../../src/payments/acquirer-operations/finding-store.ts'
import { resolveOperation } from '../../src/payments/acquirer-operations/resolve.ts'
import { saveNotices } from '../../src/payments/notices/notice-store.ts'
import { refusal } from '../support/client.ts'
import { eventsOf } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { day_ms, type Fault, faults, gate, minute_ms, useStage } from '../support/settling.ts'

const connection_id = `conn_${'1'.repeat(24)}`
const name = `bank:${connection_id}`

/** Whether the acquirer can be asked, and what it says of refunds where it was told to. */
let can_be_asked = false
let shown: SettleAnswer | 'unreachable' | null = null

const { clock, acquirer, service, other, account, settle, run } = await useStage(
  (simulator): Acquirer => ({
    ...simulator,
    name,
    get learned_by() {
      return can_be_asked ? ('reference' as const) : ('notice' as const)
    },
    async lookUp(request) {
      if (!can_be_asked) return { result: 'only_notices_tell' }
      if (shown === 'unreachable') throw new Unanswered('503 from the gateway')
      if (request.kind === 'refund' && shown) {
        return { result: 'found', kind: 'refund', answer: shown }
      }
      return simulator.lookUp(request)
    },
  }),
)
const { client, merchant_id } = account
const { sql } = service

await sql`
  insert into connections (merchant_id, connection_id, kind, connector, label, mode, sealed_credentials, created_at)
  values (${merchant_id}, ${connection_id}, 'acquirer', 'bank', 'main', 'sandbox', '\\x00', ${clock.now()})`

beforeEach(() => {
  can_be_asked = false
  shown = null
})
afterEach(async () => {
  acquirer.calm()
  await settle()
})

let minted = 0
function notice(said: Partial<Notice>): Notice {
  minted += 1
  return {
    notice_id: `evt_${minted}`,
    about: 'refund',
    reference: null,
    is_ours: true,
    acquirer_transaction_id: null,
    authorisation_transaction_id: null,
    answer: null,
    occurred_at: clock.now(),
    ...said,
  }
}

async function post(...notices: Notice[]): Promise<string[]> {
  await saveNotices(sql, { merchant_id, connection_id }, notices, clock.now())
  await run('handle_notices')
  return outcomesOf(...notices)
}

async function outcomesOf(...notices: Notice[]): Promise<string[]> {
  const ids = notices.map(({ notice_id }) => notice_id)
  const rows = await sql<{ outcome: string | null }[]>`
    select outcome from acquirer_notices where notice_id = any(${ids}) order by notice_id`
  return rows.map(({ outcome }) => outcome ?? 'later')
}

const referenceOf = async (refund_id: string) => {
  const [row] = await sql<{ operation_id: string }[]>`
    select operation_id from refunds where refund_id = ${refund_id}`
  return row!.operation_id
}
const chargeOf = async (payment_id: string) => {
  const [row] = await sql<{ operation_id: string }[]>`
    select operation_id from acquirer_operations where payment_id = ${payment_id} and kind = 'authorise'`
  return row!.operation_id
}
/** By either process. */
const logged = () => [...service.log, ...other.log]
const statusOf = async (id: string) => (await client.readRefund(id)).body.status

const done: SettleAnswer = { result: 'approved', acquirer_transaction_id: 'theirs' }
const refused: SettleAnswer = {
  result: 'refused',
  reason: 'The account is closed',
  decline_code: null,
  authorisation_known: true,
}
let named = 0
const accepts: Fault = async (act) => {
  await act()
  named += 1
  return { result: 'accepted', acquirer_transaction_id: `theirs_${named}` }
}

async function paid(): Promise<string> {
  return (await client.pay()).body.payment_id
}

/** A refund that the acquirer has accepted under its own id. */
async function accepted(payment_id: string, amount = 1000) {
  acquirer.meet('refund', accepts)
  const { body } = await client.refund(payment_id, { amount })
  expect(body.status).toBe('pending')
  return { id: body.id as string, acquirer_transaction_id: `theirs_${named}` }
}

describe('where only notices tell', () => {
  test.each<[string, SettleAnswer]>([
    ['succeeded', done],
    ['failed', refused],
  ])('a refund that was accepted has %s days later', async (status, answer) => {
    const { id } = await accepted(await paid())
    await clock.advance(2 * day_ms)
    const told = notice({ reference: await referenceOf(id), answer })
    expect(await post(told)).toEqual(['settled'])
    expect(await statusOf(id)).toBe(status)
    expect(await post(notice({ reference: await referenceOf(id), answer }))).toEqual(['nothing_new'])
    expect(await eventsOf(service, id)).toMatchObject([{ sequence: 1, type: `refund.${status}` }])
  })

  test('a notice may come before the answer to the request', async () => {
    const payment_id = await paid()
    const { fault, reached, open } = gate('answer')
    acquirer.meet('refund', fault)
    const refunding = client.refund(payment_id)
    const reference = await reached
    expect(await post(notice({ reference, answer: done }))).toEqual(['settled'])
    open()
    const { body } = await refunding
    expect(body.status).toBe('succeeded')
    expect(await eventsOf(service, body.id)).toHaveLength(1)
  })

  test('the same notice twice is one', async () => {
    const { id } = await accepted(await paid())
    const told = notice({ reference: await referenceOf(id), answer: done })
    await post(told)
    expect(await saveNotices(sql, { merchant_id, connection_id }, [told], clock.now())).toBe(0)
    expect(await eventsOf(service, id)).toHaveLength(1)
  })

  test('of several refunds of a payment the acquirer’s own id says which', async () => {
    const payment_id = await paid()
    const [first, second] = [await accepted(payment_id), await accepted(payment_id)]
    // It bears the charge's reference, as some acquirers write it.
    const reference = await chargeOf(payment_id)
    const { acquirer_transaction_id } = second
    const told = notice({ reference, acquirer_transaction_id, answer: refused })
    expect(await post(told)).toEqual(['settled'])
    expect([await statusOf(first.id), await statusOf(second.id)]).toEqual(['pending', 'failed'])
    const { acquirer_transaction_id: theirs } = first
    await post(notice({ reference, acquirer_transaction_id: theirs, answer: done }))
    expect(await statusOf(first.id)).toBe('succeeded')
  })

  test('one that somebody made at the acquirer is none of ours, and a finding', async () => {
    const payment_id = await paid()
    const { id } = await accepted(payment_id)
    const reference = await chargeOf(payment_id)
    const stranger = { reference, acquirer_transaction_id: 'portal', answer: done }
    expect(await post(notice(stranger))).toEqual(['contradicts'])
    expect(await statusOf(id)).toBe('pending')
    expect(logged()).toContainEqual({
      level: 'error',
      fields: expect.objectContaining({ payment_id, reference: 'portal' }),
      message: expect.stringContaining('nobody asked for here'),
    })
    await post(notice({ reference: await referenceOf(id), answer: done }))
  })

  test('a notice that may be about a refund without an answer waits for the answer', async () => {
    const payment_id = await paid()
    acquirer.meet('refund', faults.lost_after, accepts)
    const { body } = await driving(clock, client.refund(payment_id, { amount: 1000 }))
    const reference = await chargeOf(payment_id)
    const acquirer_transaction_id = `theirs_${named + 1}`
    const told = notice({ reference, acquirer_transaction_id, answer: done })
    expect(await post(told)).toEqual(['later'])
    // It is sent again under its own reference, and the acquirer says its id.
    for (let looks = 0; looks < 3; looks++) {
      await clock.advance(minute_ms)
      await run('reconcile')
    }
    await run('handle_notices')
    expect(await outcomesOf(told)).toEqual(['settled'])
    expect(await statusOf(body.id)).toBe('succeeded')
  })

  test('a notice about an operation whose refund is gone names the operation', async () => {
    const { id } = await accepted(await paid())
    const reference = await referenceOf(id)
    await sql`delete from refunds where refund_id = ${id}`
    expect(await post(notice({ reference, answer: done }))).toEqual(['later'])
    expect(logged().filter(({ message }) => message === 'notice not handled')).toMatchObject([
      { fields: { error: `operation ${reference} has no refund` } },
    ])
    await sql`delete from acquirer_notices where reference = ${reference}`
    await sql`delete from acquirer_operations where operation_id = ${reference}`
  })
})

describe('a refund that failed here and that the acquirer has carried out', () => {
  const told = (reference: string) =>
    logged().filter(
      ({ fields, message }) =>
        message.includes('has carried out a refund') && 'operation_id' in fields && fields.operation_id === reference,
    )
  const findingsOf = async (reference: string) =>
    (await listFindings(sql, { acquirer: name, closed_too: false, limit: 1000 })).filter(
      (each) => each.reference === reference,
    )

  /** One that failed, by a notice. */
  async function failed() {
    const payment_id = await paid()
    const { id } = await accepted(payment_id)
    const reference = await referenceOf(id)
    expect(await post(notice({ reference, answer: refused }))).toEqual(['settled'])
    return { payment_id, id, reference }
  }

  async function expectFound({ payment_id, id, reference }: Awaited<ReturnType<typeof failed>>) {
    expect(await statusOf(id)).toBe('failed')
    const theirs = { state: 'refunded', amount: 1000, currency: 'GBP' }
    expect(await findingsOf(reference)).toMatchObject([
      { kind: 'reversed_there', payment_id, ours: { state: 'refund_failed' }, theirs },
    ])
    expect(told(reference)).toMatchObject([{ fields: { payment_id, refund_id: id } }])
    expect(await eventsOf(service, id)).toHaveLength(1)
  }

  test('is a finding, told once, until a person closes it', async () => {
    const refund = await failed()
    const { reference } = refund
    expect(await post(notice({ reference, answer: done }))).toEqual(['contradicts'])
    await expectFound(refund)
    expect(await post(notice({ reference, answer: done }))).toEqual(['contradicts'])
    await run('compare_books')
    await clock.advance(2 * day_ms)
    await run('compare_books')
    await expectFound(refund)
    const person = { at: clock.now(), by: 'ada', reason: 'settled with the merchant' }
    await closeFindings(sql, { acquirer: null, references: [reference] }, person)
    await post(notice({ reference, answer: done }))
    expect(await findingsOf(reference)).toEqual([])
  })

  test('is a finding where a person had settled it as refused', async () => {
    const payment_id = await paid()
    const { id } = await accepted(payment_id)
    const reference = await referenceOf(id)
    await clock.advance(4 * day_ms)
    const person = { reason: 'not in the portal', by: 'ada', acquirer_transaction_id: null }
    const asked = { operation_id: reference, outcome: 'refused' as const, ...person }
    await resolveOperation(service.context, { merchant_id, payment_id }, asked)
    expect(await post(notice({ reference, answer: done }))).toEqual(['contradicts'])
    await expectFound({ payment_id, id, reference })
  })

  test('is a finding by the acquirer’s books, where a notice has them asked', async () => {
    const refund = await failed()
    const { reference } = refund
    can_be_asked = true
    shown = refused
    expect(await post(notice({ reference }))).toEqual(['nothing_new'])
    shown = done
    expect(await post(notice({ reference }))).toEqual(['contradicts'])
    await expectFound(refund)
  })

  test('is a finding by an answer that comes late', async () => {
    const payment_id = await paid()
    const { fault, reached, open } = gate('answer')
    acquirer.meet('refund', fault)
    const refunding = client.refund(payment_id, { amount: 1000 })
    const reference = await reached
    expect(await post(notice({ reference, answer: refused }))).toEqual(['settled'])
    open()
    const { body } = await refunding
    await expectFound({ payment_id, id: body.id, reference })
  })
})

describe('a refund that had succeeded and fails days later', () => {
  async function succeeded() {
    const payment_id = await paid()
    const { body } = await client.refund(payment_id, { amount: 4200 })
    expect(body.status).toBe('succeeded')
    await clock.advance(5 * day_ms)
    return { payment_id, id: body.id as string, reference: await referenceOf(body.id) }
  }

  async function expectFailed({ id, payment_id }: { id: string; payment_id: string }) {
    expect((await client.readRefund(id)).body).toMatchObject({
      status: 'failed',
      failure: { reason: 'The account is closed' },
    })
    expect(await eventsOf(service, id)).toMatchObject([
      { sequence: 1, type: 'refund.succeeded' },
      { sequence: 2, type: 'refund.failed', envelope: { data: { id, status: 'failed' } } },
    ])
    const [row] = await sql`select refunded_amount from payments where payment_id = ${payment_id}`
    expect(row).toEqual({ refunded_amount: 0 })
    const lines = await sql`select change from journal where subject = ${id} order by entry_id`
    expect(lines.map(({ change }) => change)).toEqual(['refund.succeeded', 'refund.failed'])
    expect((await client.readPayment(payment_id)).body.status).toBe('captured')
  }

  test('is found by the daily comparison where no notice comes', async () => {
    const refund = await succeeded()
    can_be_asked = true
    shown = done
    await run('compare_books')
    expect((await client.readRefund(refund.id)).body.status).toBe('succeeded')
    shown = refused
    await clock.advance(day_ms)
    await run('compare_books')
    await expectFailed(refund)
  })

  test('is told by a notice, once', async () => {
    const refund = await succeeded()
    const { reference } = refund
    const told = notice({ reference, answer: refused })
    // Both are followed at once, so either may come first.
    const outcomes = await post(told, notice({ reference, answer: refused }))
    expect(outcomes.sort()).toEqual(['nothing_new', 'settled'])
    await expectFailed(refund)
    // Notices come in any order: this success came before the failure.
    expect(await post(notice({ reference, answer: done }))).toEqual(['nothing_new'])
    await expectFailed(refund)
    const findings = await listFindings(sql, { acquirer: name, closed_too: true, limit: 1000 })
    expect(findings.map((each) => each.reference)).not.toContain(reference)
  })

  test('is told by the acquirer’s books, where a notice has them asked', async () => {
    can_be_asked = true
    const refund = await succeeded()
    const { reference } = refund
    // What the notice says does not count, and the books still show a success.
    expect(await post(notice({ reference, answer: refused }))).toEqual(['nothing_new'])
    shown = refused
    expect(await post(notice({ reference }))).toEqual(['settled'])
    await expectFailed(refund)
  })

  test('is asked about again where the acquirer could not be reached', async () => {
    can_be_asked = true
    const refund = await succeeded()
    shown = 'unreachable'
    const told = notice({ reference: refund.reference })
    expect(await post(told)).toEqual(['later'])
    shown = refused
    await clock.advance(minute_ms)
    await run('handle_notices')
    expect(await outcomesOf(told)).toEqual(['settled'])
    await expectFailed(refund)
  })

  test('waits for the success that is still on its way', async () => {
    can_be_asked = true
    const payment_id = await paid()
    const { fault, reached, open } = gate('answer')
    acquirer.meet('refund', fault)
    const refunding = client.refund(payment_id)
    const reference = await reached
    const told = notice({ reference })
    expect(await post(told)).toEqual(['later'])
    open()
    const { body } = await refunding
    shown = refused
    await clock.advance(minute_ms)
    await run('handle_notices')
    expect(await outcomesOf(told)).toEqual(['settled'])
    await expectFailed({ id: body.id, payment_id })
    expect(refusal(await client.refund(payment_id, { amount: 4201 }))).toBe('409 refund_exceeds_captured')
  })
})
