// Payments against the journal: whoever changes what was paid in the tables is found, by `ripper audit verify` and the doctor.

import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { moneyChecks, readMoney } from '../../src/cli/doctor/work.ts'
import type { AnySql, Sql } from '../../src/database/open.ts'
import type { MoneyFault } from '../../src/payments/reading/money-fault.ts'
import { verifyPayments } from '../../src/payments/reading/verify-payments.ts'
import { purchase } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { answer, ripper } from '../support/programs.ts'
import type { Account } from '../support/service.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const env = settingsOf(service, master_key)

const dear = { ...purchase, amount: 99900, currency: 'EUR' }
const declining = '4000000000000002'

/** A merchant with one payment of 999.00. */
type Paid = { account: Account; merchant_id: string; session_id: string; payment_id: string }

async function pay(number?: string): Promise<Paid> {
  const account = await service.newAccount()
  const { body } = await account.client.pay(number, dear)
  return paid(account, body.session_id, body.payment_id)
}

async function payHeld(verb: 'capture' | 'void' | null): Promise<Paid> {
  const account = await service.newAccount()
  const { session, payment_id } = await hold(account, undefined, dear)
  if (verb) expect((await account.client.decideHold(verb, payment_id)).status).toBe(200)
  return paid(account, session.id, payment_id)
}

const paid = (account: Account, session_id: string, payment_id: string): Paid => ({
  account,
  merchant_id: account.merchant_id,
  session_id,
  payment_id,
})

/** Kind, what is meant, and members with what they are and were. */
function told({ kind, operation_id, sequence, differences }: MoneyFault): string {
  const values = differences.map(({ member, row, line }) =>
    member === 'sha256' ? member : `${member} ${row} was ${line}`,
  )
  return [kind, operation_id && 'operation', sequence, ...values].filter(Boolean).join(', ')
}

/** What is found once the tables are changed, by all that looks; the change is taken back afterwards. */
async function foundAfter({ merchant_id }: Pick<Paid, 'merchant_id'>, tamper: (sql: AnySql) => Promise<unknown>) {
  const undo = new Error('taken back')
  let found: { faults: string[]; not_bound: number; doctor: string } | undefined
  const reading = service.sql.begin(async (tx) => {
    // Whoever can write to the tables can also lift what they check.
    await tx`set local session_replication_role = replica`
    await tamper(tx)
    const sql = tx as unknown as Sql
    const { faults, fault_count, not_bound } = await verifyPayments(sql, merchant_id)
    expect(fault_count).toBe(faults.length)
    const facts = await readMoney(sql, service.context.world.clock.now())
    const doctor = moneyChecks[0]!.judge(facts).status
    found = { faults: faults.map(told), not_bound, doctor }
    throw undo
  })
  await expect(reading).rejects.toBe(undo)
  return found!
}

/** Puts another text into the event's body, at its every place. */
const inEvents = (sql: AnySql, { payment_id }: Paid, from: string, to: string) =>
  sql`update events set body = replace(body, ${from}, ${to}) where payment_id = ${payment_id}`

/** Makes 999.00 one everywhere. */
async function makeCheap(sql: AnySql, of: Paid): Promise<void> {
  const { payment_id, session_id } = of
  await sql`update payments set amount = 100 where payment_id = ${payment_id}`
  await sql`update acquirer_operations set amount = 100 where payment_id = ${payment_id}`
  await inEvents(sql, of, '"amount":99900', '"amount":100')
  await sql`update sessions set amount = 100 where session_id = ${session_id}`
}

/** Makes a payment a declined one, alone. */
const makeDeclined = (sql: AnySql, { payment_id }: Paid) => sql`
  update payments set status = 'declined', capture_state = null, executed_at = null,
    decline = '{"code": "card_declined"}' where payment_id = ${payment_id}`

/** Puts in so many payments that were never made, declined like the one that is given. */
const invent = (sql: AnySql, { payment_id }: Paid, count: number) => sql`
  insert into payments select q.* from payments p, generate_series(1, ${count}) n,
    json_populate_record(p, json_build_object('payment_id', 'pay_' || n, 'attempt_id', 'att_' || n)) q
  where p.payment_id = ${payment_id}`

/** Makes a declined payment a captured one everywhere. */
async function makePaid(sql: AnySql, of: Paid): Promise<void> {
  const { payment_id } = of
  await sql`update payments set status = 'captured', capture_state = 'captured', decline = null,
    executed_at = created_at where payment_id = ${payment_id}`
  await sql`update acquirer_operations set state = 'approved' where payment_id = ${payment_id}`
  await sql`update events set type = 'payment.captured' where payment_id = ${payment_id}`
  await inEvents(sql, of, '"payment.declined"', '"payment.captured"')
}

describe('a captured payment', () => {
  let of: Paid
  beforeAll(async () => {
    of = await pay()
  })
  const whole = { faults: [], not_bound: 0, doctor: 'ok' }

  test('that nobody has touched', async () => {
    expect(await foundAfter(of, async () => {})).toEqual(whole)
  })

  type Row = [what: string, tamper: (sql: AnySql, of: Paid) => Promise<unknown>, ...told: string[]]
  const rows: Row[] = [
    [
      'made cheap',
      makeCheap,
      'payment_changed, amount 100 was 99900',
      'operation_changed, operation, amount 100 was 99900',
      'event_changed, 1, sha256',
      'session_changed, amount 100 was 99900',
    ],
    [
      'its amount alone',
      (sql, { payment_id }) => sql`update payments set amount = 100 where payment_id = ${payment_id}`,
      'payment_changed, amount 100 was 99900',
    ],
    [
      'its currency and mode',
      (sql, { payment_id }) =>
        sql`update payments set currency = 'JPY', mode = 'live' where payment_id = ${payment_id}`,
      'payment_changed, currency JPY was EUR, mode live was test',
    ],
    [
      "its operation's currency",
      (sql, { payment_id }) => sql`update acquirer_operations set currency = 'JPY' where payment_id = ${payment_id}`,
      'operation_changed, operation, currency JPY was EUR',
    ],
    [
      'its operation, as if nobody had answered',
      (sql, { payment_id }) => sql`update acquirer_operations set state = 'unknown' where payment_id = ${payment_id}`,
      'operation_changed, operation, state unknown was approved',
    ],
    [
      'as if it had been declined',
      makeDeclined,
      'payment_changed, status declined was captured, capture_state null was captured, decline_code card_declined was null',
    ],
    [
      "its event's words for the customer",
      (sql, paid) => inEvents(sql, paid, 'ada@example.com', 'eve@example.com'),
      'event_changed, 1, sha256',
    ],
    [
      'its event removed',
      (sql, { payment_id }) => sql`delete from events where payment_id = ${payment_id}`,
      'event_removed, 1',
    ],
    [
      'an event put in',
      (sql, { payment_id }) => sql`
        insert into events select merchant_id, payment_id, 2, 'evt_7', 'payment.voided', body, created_at
        from events where payment_id = ${payment_id}`,
      'event_without_line, 2',
    ],
    [
      'its operation removed',
      (sql, { payment_id }) => sql`delete from acquirer_operations where payment_id = ${payment_id}`,
      'operation_removed, operation',
    ],
    [
      'an operation put in',
      (sql, { payment_id }) => sql`
        insert into acquirer_operations select o.* from acquirer_operations p, json_populate_record(p,
          ${{ operation_id: '0'.repeat(32), kind: 'void', asked_by: 'merchant' } as never}::json) o
        where p.payment_id = ${payment_id}`,
      'operation_without_line, operation',
    ],
    [
      'its outcome removed from the journal',
      (sql, { payment_id }) => sql`
        delete from journal where subject = ${payment_id} and change = 'payment.captured'`,
      'payment_without_line',
      'operation_changed, operation, state approved was sent or unknown or reversing',
      'event_without_line, 1',
    ],
    [
      'a line that tells of another outcome',
      (sql, { payment_id }) => sql`
        insert into journal (merchant_id, entry_id, session_id, subject, change, detail, actor, at)
        select merchant_id, repeat('f', 32), session_id, subject, 'payment.declined', detail, actor, at
        from journal where subject = ${payment_id} and change = 'payment.captured'`,
      'outcome_told_twice',
    ],
  ]

  test.each(rows)('%s', async (_, tamper, ...expected) => {
    const found = await foundAfter(of, (sql) => tamper(sql, of))
    expect(found).toMatchObject({ faults: expected, not_bound: 0 })
    expect(found.doctor).toBe('problem')
  })

  test('that waits for its answer', async () => {
    const wait = async (sql: AnySql) => {
      await sql`update payments set status = 'pending', capture_state = null, executed_at = null
        where payment_id = ${of.payment_id}`
      await sql`update acquirer_operations set state = 'unknown' where payment_id = ${of.payment_id}`
      await sql`delete from events where payment_id = ${of.payment_id}`
      await sql`delete from journal where subject = ${of.payment_id} and change = 'payment.captured'`
    }
    expect(await foundAfter(of, wait)).toEqual(whole)
    const { faults } = await foundAfter(of, async (sql) => {
      await wait(sql)
      await makeCheap(sql, of)
    })
    expect(faults).toEqual([
      'payment_changed, amount 100 was 99900',
      'operation_changed, operation, amount 100 was 99900',
      'session_changed, amount 100 was 99900',
    ])
  })

  test('that is gone, with all that belonged to it', async () => {
    const found = await foundAfter(of, async (sql) => {
      for (const table of ['payments', 'acquirer_operations', 'events']) {
        await sql`delete from ${sql(table)} where payment_id = ${of.payment_id}`
      }
    })
    expect(found).toMatchObject({ faults: ['payment_removed'], doctor: 'problem' })
  })

  test('whose session is gone, or was changed before anybody paid', async () => {
    const { id } = await of.account.client.open()
    const gone = await foundAfter(of, (sql) => sql`delete from sessions where session_id = ${id}`)
    expect(gone.faults).toEqual(['session_removed'])
    const changed = await foundAfter(of, (sql) => sql`update sessions set currency = 'JPY' where session_id = ${id}`)
    expect(changed.faults).toEqual(['session_changed, currency JPY was GBP'])
  })

  test('of an early release: what its lines do not say is not bound, what they say is compared', async () => {
    const unbind = (sql: AnySql) => sql`
      update journal set detail = (detail::jsonb - '{amount,currency,mode,status,event_sha256}'::text[])::json
      where subject = ${of.payment_id}`
    expect(await foundAfter(of, unbind)).toEqual({ ...whole, not_bound: 1 })
    const found = await foundAfter(of, async (sql) => {
      await unbind(sql)
      await makeCheap(sql, of)
      await makeDeclined(sql, of)
    })
    expect(found).toMatchObject({
      faults: [
        'payment_changed, status declined was captured, capture_state null was captured, decline_code card_declined was null',
        'session_changed, amount 100 was 99900',
      ],
      not_bound: 1,
      doctor: 'problem',
    })
  })
})

test('a declined payment made a captured one', async () => {
  const of = await pay(declining)
  expect((await foundAfter(of, async () => {})).faults).toEqual([])
  const { faults, doctor } = await foundAfter(of, (sql) => makePaid(sql, of))
  expect(faults).toEqual([
    'payment_changed, status captured was declined, capture_state captured was null, decline_code null was card_declined',
    'operation_changed, operation, state approved was declined or failed or refused or not_sent',
    'event_changed, 1, type payment.captured was payment.declined, sha256',
  ])
  expect(doctor).toBe('problem')
})

test('a payment that the acquirer was never asked about', async () => {
  // The bank itself says no.
  const of = await pay('4000000000002537')
  expect((await foundAfter(of, async () => {})).faults).toEqual([])
  const found = await foundAfter(of, (sql) => sql`delete from payments where payment_id = ${of.payment_id}`)
  expect(found).toMatchObject({ faults: ['payment_removed'], doctor: 'problem' })
})

describe('a held payment', () => {
  test('that waits, captured without a decision', async () => {
    const of = await payHeld(null)
    const { faults } = await foundAfter(
      of,
      (sql) => sql`update payments set status = 'captured', capture_state = 'captured',
        executed_at = created_at where payment_id = ${of.payment_id}`,
    )
    expect(faults).toEqual(['payment_changed, status captured was held, capture_state captured was authorised'])
  })

  test.each([
    ['capture', 'captured', 'voided', 'captured'],
    ['void', 'voided', 'captured', 'voided'],
  ] as const)('%s, and its rows changed', async (verb, status, other, capture_state) => {
    const of = await payHeld(verb)
    const untouched = { faults: [], not_bound: 0, doctor: 'ok' }
    expect(await foundAfter(of, async () => {})).toEqual(untouched)
    const { faults } = await foundAfter(of, async (sql) => {
      await sql`update payments set status = ${other}, capture_state = ${other},
        executed_at = case ${other} when 'captured' then created_at end where payment_id = ${of.payment_id}`
      await sql`update acquirer_operations set state = 'refused', amount = 1
        where payment_id = ${of.payment_id} and kind = ${verb}`
      await sql`update events set body = body || ' ' where payment_id = ${of.payment_id} and sequence = 2`
    })
    expect(faults).toEqual([
      `payment_changed, status ${other} was ${status}, capture_state ${other} was ${capture_state}`,
      'operation_changed, operation, state refused was approved, amount 1 was 99900',
      'event_changed, 2, sha256',
    ])
  })
})

test('a held payment that was captured in the portal of the acquirer is bound like any other', async () => {
  const of = await payHeld(null)
  const { account, payment_id } = of
  await service.sql`update simulator.ledger set captured_at = authorised_at where reference = (
    select operation_id from acquirer_operations where payment_id = ${payment_id} and kind = 'authorise')`
  await account.client.decideHold('capture', payment_id)
  expect((await account.client.readPayment(payment_id)).body.status).toBe('captured')
  const [line] = await service.sql<{ detail: object }[]>`
    select detail from journal where subject = ${payment_id} and change = 'payment.captured'`
  expect(line!.detail).toMatchObject({ found: 'captured' })
  const untouched = { faults: [], not_bound: 0, doctor: 'ok' }
  expect(await foundAfter(of, async () => {})).toEqual(untouched)
})

test('payments that never were, in pages; faults beyond a hundred are counted', async () => {
  const of = await pay(declining)
  const { faults } = await foundAfter(of, (sql) => invent(sql, of, 1))
  expect(faults).toEqual(['payment_without_line'])
  const undo = new Error('taken back')
  const reading = service.sql.begin(async (tx) => {
    await invent(tx, of, 450)
    expect(await verifyPayments(tx as unknown as Sql, of.merchant_id)).toMatchObject({
      payments: 451,
      not_bound: 450,
      fault_count: 450,
      faults: { length: 100 },
    })
    throw undo
  })
  await expect(reading).rejects.toBe(undo)
})

test('what was paid yesterday, or longer ago, is not looked at by the doctor', async () => {
  const { payment_id } = await pay()
  const { sql, context } = service
  await sql`update payments set amount = 1 where payment_id = ${payment_id}`
  const now = context.world.clock.now().getTime()
  const hours = (count: number) => new Date(now + count * 3600 * 1000)
  expect((await readMoney(sql, hours(23))).fault_count).toBe(1)
  expect(await readMoney(sql, hours(25))).toMatchObject({ payments: 0, fault_count: 0 })
  await sql`update payments set amount = 99900 where payment_id = ${payment_id}`
})

describe('as people read it', () => {
  test('by audit verify and doctor', async () => {
    const { merchant_id, payment_id } = await pay()
    const of = { ...(await pay(declining)), account: service.account }
    await makePaid(service.sql, of)
    await service.sql`update payments set amount = 100 where payment_id = ${payment_id}`
    const run = (...args: string[]) => ripper(args, { env })
    const verified = await run('audit', 'verify')
    const line = ', by line [0-9a-f]{32}'
    expect(verified.status).toBe(1)
    const words = [
      `${merchant_id}: payment ${payment_id} was changed: amount is 100 and was 99900${line}`,
      `${of.merchant_id}: payment ${of.payment_id} was changed: status is captured and was declined, .*${line}`,
      `${of.merchant_id}: event 1 of ${of.payment_id} was changed: type is payment.captured and was payment.declined, its body is another${line}`,
    ]
    for (const each of words) expect(verified.stdout).toMatch(new RegExp(`\n${each}\n`))
    expect(verified.stdout).toMatch(/\nSomething is wrong: 4 faults\.\n$/)
    const json = await ripper(['audit', 'verify', '--merchant', merchant_id, '--json'], { env })
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      faults: 1,
      chains: [{ fault_count: 0, payments: { compared: 1, not_bound: 0, fault_count: 1 } }],
    })
    const doctor = await run('doctor', '--base-url', service.base_url)
    expect(doctor.status).toBe(1)
    expect(doctor.stdout).toMatch(/PROBLEM +Payments +rows that contradict the journal: pay_/)
    await service.sql`update payments set amount = 99900 where payment_id = ${payment_id}`
    const again = await answer(['audit', 'verify', '--merchant', merchant_id], { env })
    expect(again).toMatchObject({ ok: true, faults: 0 })
  }, 60_000)
})
