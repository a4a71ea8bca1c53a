// GET /v1/payouts, and what a payment's read says of them: rows, pages, modes, and what is refused.

import { describe, expect, test } from 'vitest'
import { createConnection } from '../../src/connections/manage-connections.ts'
import { acquirerName } from '../../src/merchants/account-connection.ts'
import { importReports } from '../../src/payouts/import-reports.ts'
import { bytesOf, type Cells, columnsOf, fileOf, stripeCells } from '../payouts/reports.ts'
import { openClient, refusal } from '../support/client.ts'
import { disputeOf } from '../support/disputing.ts'
import { drivenClock, newKey } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const account = await service.newAccount()
const other = await service.newAccount()
const { client, merchant_id } = account

const connection = await createConnection(service.operator, merchant_id, {
  ...({ kind: 'acquirer', connector: 'stripe', label: 'main', mode: 'sandbox' } as const),
  credentials: { secret_key: 'sk_test_a', webhook_secret: 'whsec_a' },
})

async function take(...rows: Cells[]): Promise<string[]> {
  await clock.advance(1000)
  const file = { name: 'report.csv', open: () => bytesOf(fileOf(columnsOf.stripe, rows)), paid_on: null }
  const author = { actor: 'operator', request_id: null } as const
  return (await importReports(service.context, { merchant_id, connection }, [file], author)).payouts
}

const { payment_id } = (await client.pay()).body
await service.sql`
  update payments set acquirer = ${acquirerName(connection)}, acquirer_transaction_id = 'pi_1' where payment_id = ${payment_id}`
await disputeOf(service, { merchant_id, payment_id })

const [first] = (await take(
  stripeCells({
    balance_transaction_id: 'txn_1',
    gross: '42.00',
    fee: '1.25',
    net: '40.75',
    payment_intent_id: 'pi_1',
  }),
)) as [string]
const [second] = (await take(
  stripeCells({
    automatic_payout_id: 'po_2',
    automatic_payout_effective_at: '',
    balance_transaction_id: 'txn_2',
    reporting_category: 'dispute',
    gross: '-42.00',
    fee: '15.00',
    net: '-57.00',
    payment_intent_id: 'pi_1',
  }),
  stripeCells({
    automatic_payout_id: 'po_2',
    automatic_payout_effective_at: '',
    balance_transaction_id: 'txn_3',
    gross: '5.00',
    net: '5.00',
    payment_intent_id: 'pi_9',
  }),
)) as [string]

const ask = (path: string, by = client) => by.send('GET', path, { headers: by.withKey })
const main = { connection: 'main', currency: 'GBP' }
const rows = [
  { ...main, id: second, vendor_id: 'po_2', gross: -3700, fee: 1500, net: -5200, paid_on: null, lines: 2, findings: 1 },
  {
    ...main,
    id: first,
    vendor_id: 'po_1',
    gross: 4200,
    fee: 125,
    net: 4075,
    paid_on: '2027-01-31',
    lines: 1,
    findings: 0,
  },
]

describe('the list', () => {
  test('each payout, that read last first', async () => {
    const { status, body } = await ask('/v1/payouts')
    expect([status, body]).toEqual([200, { data: rows, has_more: false, next_cursor: null }])
  })

  test('in pages', async () => {
    const one = (await ask('/v1/payouts?limit=1')).body
    expect(one).toMatchObject({ data: [rows[0]], has_more: true })
    const two = (await ask(`/v1/payouts?limit=1&after=${one.next_cursor}`)).body
    expect(two).toEqual({ data: [rows[1]], has_more: false, next_cursor: null })
  })

  const from = new Date(clock.now().getTime()).toISOString()
  test.each([
    ['mode=test', rows],
    ['mode=live', []],
    [`created_from=${from}`, rows.slice(0, 1)],
    [`created_before=${from}`, rows.slice(1)],
    [`mode=test&created_from=${from}`, rows.slice(0, 1)],
  ])('%s', async (query, expected) => {
    expect((await ask(`/v1/payouts?${query}`)).body.data).toEqual(expected)
  })

  test.each([
    ['limit=0', '400 invalid_pagination limit'],
    ['offset=1', '400 invalid_pagination offset'],
    ['after=x', '400 invalid_pagination after'],
    ['mode=both', '400 invalid_request mode'],
    ['created_from=today', '400 invalid_request created_from'],
    ['status=paid', '400 invalid_request status'],
  ])('%s is refused', async (query, expected) => {
    const answer = await ask(`/v1/payouts?${query}`)
    expect(`${refusal(answer)} ${/\w+/.exec(answer.body.message)![0]}`).toBe(expected)
  })

  test('a cursor is good for the same filters only', async () => {
    const { next_cursor } = (await ask('/v1/payouts?limit=1')).body
    expect(refusal(await ask(`/v1/payouts?limit=1&mode=test&after=${next_cursor}`))).toBe('400 invalid_pagination')
    expect(refusal(await ask(`/v1/payouts?limit=1&after=${next_cursor}`, other.client))).toBe('400 invalid_pagination')
  })

  test('another merchant sees none, nor does a key of the other mode', async () => {
    expect((await ask('/v1/payouts', other.client)).body.data).toEqual([])
    const { secret_key } = await newKey(service.operator, merchant_id, { mode: 'live_only' })
    const live = openClient({ base_url: service.base_url, secret_key })
    expect((await ask('/v1/payouts', live)).body.data).toEqual([])
  })
})

describe('a payment', () => {
  const payouts = [
    { payout_id: first, kind: 'payment', gross: 4200, fee: 125, net: 4075, currency: 'GBP', paid_on: '2027-01-31' },
    { payout_id: second, kind: 'dispute', gross: -4200, fee: 1500, net: -5700, currency: 'GBP', paid_on: null },
  ]

  test('says what was paid out for it, alone and in a list', async () => {
    expect((await client.readPayment(payment_id)).body.payouts).toEqual(payouts)
    expect((await ask('/v1/payments')).body.data[0].payouts).toEqual(payouts)
  })

  test('says nothing where no report has it', async () => {
    const { body } = await client.pay()
    expect((await client.readPayment(body.payment_id)).body).not.toHaveProperty('payouts')
  })

  test('in another currency it says the rate', async () => {
    const paid = (await client.pay()).body.payment_id
    await service.sql`
      update payments set acquirer = ${acquirerName(connection)}, acquirer_transaction_id = 'pi_fx' where payment_id = ${paid}`
    const seen = { customer_facing_amount: '42.00', customer_facing_currency: 'gbp' }
    await take(
      stripeCells({
        balance_transaction_id: 'txn_4',
        currency: 'eur',
        gross: '50.40',
        net: '50.40',
        payment_intent_id: 'pi_fx',
        ...seen,
      }),
    )
    const { body } = await client.readPayment(paid)
    expect(body.payouts).toMatchObject([{ kind: 'payment', currency: 'EUR', gross: 5040, exchange_rate: 1.2 }])
    await service.sql`delete from payout_lines where payment_id = ${paid}`
    await service.sql`delete from payouts where currency = 'EUR'`
  })
})
