// Runs the table of faults over one vendor: each fault at each step, until nothing is due any more, and then where the money is.

import { afterEach, describe, expect, test } from 'vitest'
import type { Session } from '../../src/payments/session.ts'
import { type End, faultRowsOf, type Operation, operations } from './fault-rows.ts'
import { eventsOf, openUnverified, runJob } from './holding.ts'
import { driving, type LogLine, type Service, until } from './service.ts'
import { second_ms } from './settling.ts'
import { useVendorStage, type VendorStage } from './vendor-stage.ts'
import type { VendorName } from './vendors.ts'

/** A card that no bank has to be asked about, which is quicker. */
export const quick = '4000009000030000'
const amount = 4200
const refunded = 1200

type Begun = { session_id: string; act(): Promise<unknown> }

export async function faultTable(name: VendorName): Promise<void> {
  const stage = await useVendorStage(name)
  const { other, vendor } = stage

  afterEach(() => {
    expect(vendor.wrong).toEqual([])
    vendor.wrong.length = 0
  })

  const rows = faultRowsOf(name).map((row) => ({ ...row, title: `${row.step}, ${row.fault}` }))
  for (const [operation, own] of Map.groupBy(rows, (row) => row.operation)) {
    describe(operations[operation], () => {
      test.each(own)('$title: $end', async ({ at, fault, end }) => {
        const before = vendor.charges().length
        const { session_id, act } = await begin(stage, operation)
        const met = stage.meet(at, fault)
        const acting = act().catch(() => null)
        await driving(stage.clock, met)
        await lookMeanwhile(stage, fault === 'arrives_too_late' ? 50 : 5)
        if (fault === 'arrives_too_late') await arriveGivenUp(stage, session_id)
        await driving(stage.clock, acting)
        stage.calm()
        await stage.rest(name === 'adyen')
        await expectEnd(stage, { session_id, before, end })
      })
    })
  }

  test('nothing without our mark was made, and nothing waits for a person', async () => {
    expect(vendor.charges().filter(({ is_marked }) => !is_marked)).toEqual([])
    const waiting = await other.sql`
      select 1 from acquirer_operations where waits_for_person_since is not null
        or state in ('sent', 'unknown', 'reversing', 'accepted')`
    expect(waiting).toEqual([])
  })
}

/** While the first process is dead or stands still, the other looks for answers: thirteen times, so many seconds apart. */
async function lookMeanwhile(stage: VendorStage, seconds: number): Promise<void> {
  for (let moment = 0; moment < 13; moment++) await lookAfter(stage, seconds)
}

async function lookAfter(stage: VendorStage, seconds: number): Promise<void> {
  await stage.clock.advance(seconds * second_ms)
  if (stage.vendor.name === 'adyen') await stage.post()
  for (const job of ['handle_notices', 'reconcile']) await stage.run(job)
}

/** A look that has no answer may come again only after many minutes: until the charge is given up, its request is on its way. */
async function arriveGivenUp(stage: VendorStage, session_id: string): Promise<void> {
  const { other, service, asked } = stage
  const find = async () => {
    const [payment] = await other.sql<{ payment_id: string; status: string }[]>`
      select payment_id, status from payments where session_id = ${session_id}`
    return payment!
  }
  for (let look = 0; look < 100 && (await find()).status !== 'failed'; look++) await lookAfter(stage, 50)
  const { payment_id, status } = await find()
  expect(status).toBe('failed')
  const request = asked.at(-1)!
  await stage.arrive()
  if (!moves.request.test(request)) return
  const isOfIt = ({ message, fields }: LogLine) =>
    message === 'late answer' && 'payment_id' in fields && fields.payment_id === payment_id
  await until(async () => service.log.some(isOfIt), Boolean)
}

async function begin(stage: VendorStage, operation: Operation): Promise<Begun> {
  const { account, service, clock } = stage
  const { client } = account
  const open = async (is_held: boolean) => {
    const session = is_held ? await openUnverified(account) : await client.open()
    await client.present(session, quick)
    return { session_id: session.id, confirm: () => driving(clock, client.confirm(session)) }
  }
  const lose = async (fault: 'lost_before' | 'lost_after') => {
    const { session_id, confirm } = await open(false)
    const met = stage.meet(moves, fault)
    await confirm()
    await met
    return session_id
  }
  switch (operation) {
    case 'charge':
    case 'hold': {
      const { session_id, confirm } = await open(operation === 'hold')
      return { session_id, act: confirm }
    }
    case 'capture':
    case 'void': {
      const { session_id, confirm } = await open(true)
      const { payment_id } = (await confirm()).body
      return { session_id, act: () => driving(clock, client.decideHold(operation, payment_id)) }
    }
    case 'refund': {
      const { session_id, confirm } = await open(false)
      await confirm()
      await stage.rest(stage.vendor.name === 'adyen')
      const [payment] = await stage.other.sql<{ payment_id: string }[]>`
        select payment_id from payments where session_id = ${session_id} and status = 'captured'`
      const act = () => driving(clock, client.refund(payment!.payment_id, { amount: refunded }))
      return { session_id, act }
    }
    case 'give_up':
      return { session_id: await lose('lost_before'), act: () => search(stage, 'reconcile') }
    case 'look_up':
      return { session_id: await lose('lost_after'), act: () => search(stage, 'reconcile') }
    case 'take_back': {
      const { session_id, confirm } = await open(false)
      stage.vendor.next('wrong_amount')
      await confirm()
      return { session_id, act: () => search(stage, 'reverse_orphans') }
    }
    case 'list': {
      const { session_id, confirm } = await open(false)
      await confirm()
      await stage.rest(stage.vendor.name === 'adyen')
      await clock.advance(3 * 60 * second_ms)
      return { session_id, act: () => runJob(service, 'sweep_orphans') }
    }
  }
}

const moves = { request: /confirm$|^POST (\/v72)?\/payments$/ }

/** The first process looks for answers until its fault is met: time passes from one look to the next. */
async function search(stage: VendorStage, job: string): Promise<void> {
  const { clock, service, other } = stage
  for (let look = 0; look < 40 && !stage.isMet(); look++) {
    const [row] = await other.sql<{ due: Date | null }[]>`
      select min(at) as due from (
        select next_check_at as at from acquirer_operations
        union all select next_try_at from orphan_authorisations where state = 'found') as each`
    if (!row?.due) return
    await clock.advance(Math.max(0, row.due.getTime() - clock.now().getTime()))
    if (stage.isMet()) return
    await runJob(service, job)
  }
}

export async function expectEnd(
  { other, vendor, acquirer }: VendorStage,
  { session_id, before, end }: { session_id: string; before: number; end: End },
): Promise<void> {
  const payments = await other.sql<{ payment_id: string; status: string; acquirer: string }[]>`
    select payment_id, status, acquirer from payments where session_id = ${session_id}`
  const status = end === 'refunded' ? 'captured' : end
  expect(payments).toMatchObject([{ status, acquirer }])
  const charges = vendor.charges().slice(before)
  expect(charges.length).toBeLessThanOrEqual(1)
  const money = charges.map(({ reserved, taken, refunded }) => ({
    reserved,
    taken: taken - refunded,
  }))
  const there = money.filter(({ reserved, taken }) => reserved !== 0 || taken !== 0)
  const expected = {
    captured: { reserved: 0, taken: amount },
    held: { reserved: amount, taken: 0 },
    refunded: { reserved: 0, taken: amount - refunded },
  }
  expect(there).toEqual(end === 'failed' || end === 'voided' ? [] : [expected[end]])
  const { payment_id } = payments[0]!
  const types = (await eventsOf(other, payment_id)).map(({ type }) => type)
  const decided = types.length === 2 ? ['payment.held', `payment.${status}`] : [`payment.${status}`]
  expect(types).toEqual(decided)
  await expectRefunds(other, payment_id, end === 'refunded' ? 1 : 0)
  const [session] = await other.sql<Pick<Session, 'settlement' | 'answer_by'>[]>`
    select settlement, answer_by from sessions where session_id = ${session_id}`
  expect(session).toEqual({ settlement: null, answer_by: null })
  const kept = await other.sql`select 1 from vault.cards c join attempts a using (merchant_id, card_reference)
    where a.session_id = ${session_id}`
  expect(kept).toEqual([])
}

/** Each succeeded, and the merchant heard of it once. */
async function expectRefunds(other: Service, payment_id: string, count: number): Promise<void> {
  const refunds = await other.sql<{ refund_id: string; status: string; amount: number }[]>`
    select refund_id, status, amount from refunds where payment_id = ${payment_id}`
  expect(refunds).toHaveLength(count)
  for (const { refund_id, ...refund } of refunds) {
    expect(refund).toEqual({ status: 'succeeded', amount: refunded })
    const types = (await eventsOf(other, refund_id)).map(({ type }) => type)
    expect(types).toEqual(['refund.succeeded'])
  }
}
