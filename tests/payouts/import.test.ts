// Reports of each vendor, imported as an operator types it: what is matched, what is found, and what a second reading changes.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createConnection } from '../../src/connections/manage-connections.ts'
import { acquirerName } from '../../src/merchants/account-connection.ts'
import type { Json } from '../support/client.ts'
import { disputeOf } from '../support/disputing.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { settingsOf, useService } from '../support/use-service.ts'
import {
  adyenCells,
  type Cells,
  checkoutCells,
  columnsOf,
  fileOf,
  report_names,
  stripeCells,
  type Vendor,
} from './reports.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const { client, account, sql, operator } = service
const { merchant_id } = account
const env = settingsOf(service, master_key)
const folder = mkdtempSync(join(tmpdir(), 'payouts-'))

const credentials: Record<Vendor, object> = {
  stripe: { secret_key: 'sk_test_a', webhook_secret: 'whsec_a' },
  adyen: { api_key: 'key', merchant_account: 'Shop', hmac_key: '00'.repeat(32) },
  checkout: { secret_key: 'sk_sbox_a', signature_key: 'sig' },
}
const names = new Map<Vendor, string>()
for (const connector of ['stripe', 'adyen', 'checkout'] as const) {
  const connection = await createConnection(operator, merchant_id, {
    ...({ kind: 'acquirer', connector, label: connector, mode: 'sandbox' } as const),
    credentials: credentials[connector] as Record<string, unknown>,
  })
  names.set(connector, acquirerName(connection))
}

afterEach(async () => {
  await sql`delete from payout_lines`
  await sql`delete from payouts`
})

/** A captured payment of 42.00 GBP with the vendor's id; and, if asked for, a refund of it. */
async function paid(vendor: Vendor, vendor_id: string): Promise<string> {
  const { payment_id } = (await client.pay()).body
  await sql`
    update payments set acquirer = ${names.get(vendor)!}, acquirer_transaction_id = ${vendor_id}
    where payment_id = ${payment_id}`
  return payment_id
}

async function refunded(vendor: Vendor, payment_id: string, amount: number, vendor_id: string): Promise<string> {
  await sql`update payments set acquirer = 'simulator' where payment_id = ${payment_id}`
  const [row] = await sql<{ acquirer_transaction_id: string }[]>`
    select acquirer_transaction_id from payments where payment_id = ${payment_id}`
  const [own] = await sql<{ acquirer_transaction_id: string }[]>`
    select acquirer_transaction_id from acquirer_operations where payment_id = ${payment_id} and kind = 'authorise'`
  await sql`
    update payments set acquirer_transaction_id = ${own!.acquirer_transaction_id} where payment_id = ${payment_id}`
  const { body } = await client.refund(payment_id, { amount })
  await sql`
    update payments set acquirer = ${names.get(vendor)!}, acquirer_transaction_id = ${row!.acquirer_transaction_id}
    where payment_id = ${payment_id}`
  await sql`
    update acquirer_operations set acquirer = ${names.get(vendor)!}, acquirer_transaction_id = ${vendor_id}
    where payment_id = ${payment_id} and kind = 'refund'`
  return body.id
}

const args = (vendor: Vendor, ...more: string[]) => [
  ...['payout', 'import', '--merchant', merchant_id, '--connection', vendor],
  ...more,
]

function written(vendor: Vendor, text: string | Uint8Array): string {
  const path = join(folder, report_names[vendor])
  writeFileSync(path, text)
  return path
}

const take = (vendor: Vendor, text: string | Uint8Array, ...more: string[]): Promise<Json> =>
  answerOf(args(vendor, written(vendor, text), ...more), { env })
const show = (payout_id: string): Promise<Json> =>
  answerOf(['payout', 'show', payout_id, '--merchant', merchant_id], { env })

const [stripe, adyen, checkout] = [stripeCells, adyenCells, checkoutCells]

type Story = {
  rows(payment: string, refund: string): Cells[]
  sums: { gross: number; fee: number; net: number; lines: number }
}

const stories: Record<Vendor, Story> = {
  stripe: {
    rows: (payment, refund) => [
      stripe({
        balance_transaction_id: 'txn_1',
        gross: '42.00',
        fee: '1.25',
        net: '40.75',
        payment_intent_id: payment,
      }),
      stripe({
        ...{ balance_transaction_id: 'txn_2', gross: '-12.00', net: '-12.00', reporting_category: 'refund' },
        ...{ payment_intent_id: payment, refund_id: refund },
      }),
      stripe({
        ...{
          balance_transaction_id: 'txn_3',
          gross: '-42.00',
          fee: '15.00',
          net: '-57.00',
          reporting_category: 'dispute',
        },
        ...{ payment_intent_id: payment, description: 'a "quoted", text\nof two lines' },
      }),
      stripe({ balance_transaction_id: 'txn_4', gross: '-2.00', net: '-2.00', reporting_category: 'fee' }),
      stripe({
        balance_transaction_id: 'txn_5',
        gross: '-5.00',
        net: '-5.00',
        reporting_category: 'risk_reserved_funds',
      }),
    ],
    sums: { gross: -1700, fee: 1825, net: -3525, lines: 5 },
  },
  adyen: {
    rows: (payment, refund) => [
      adyen({
        ...{
          'Psp Reference': payment,
          Type: 'Settled',
          'Modification Reference': 'CAP1',
          'Gross Credit (GC)': '42.00',
        },
        ...{
          'Net Credit (NC)': '40.75',
          'Markup (NC)': '0.50',
          'Scheme Fees (NC)': '0.25',
          'Interchange (NC)': '0.50',
        },
      }),
      adyen({
        ...{
          'Psp Reference': payment,
          Type: 'Refunded',
          'Modification Reference': refund,
          'Gross Debit (GC)': '12.00',
        },
        ...{ 'Net Debit (NC)': '12.00' },
      }),
      adyen({
        ...{
          'Psp Reference': payment,
          Type: 'Chargeback',
          'Modification Reference': 'CB1',
          'Gross Debit (GC)': '42.00',
        },
        ...{ 'Net Debit (NC)': '57.00', 'Markup (NC)': '15.00' },
      }),
      adyen({ Type: 'Fee', 'Modification Reference': 'Transaction Fees January 2027', 'Net Debit (NC)': '1.00' }),
      adyen({ Type: 'Fee', 'Modification Reference': 'Transaction Fees January 2027', 'Net Debit (NC)': '1.00' }),
      adyen({ Type: 'ReserveAdjustment', 'Modification Reference': 'Reserve', 'Net Debit (NC)': '5.00' }),
      adyen({ Type: 'MerchantPayout', 'Modification Reference': 'TX1', 'Net Credit (NC)': '35.25' }),
    ],
    sums: { gross: -1700, fee: 1825, net: -3525, lines: 6 },
  },
  checkout: {
    rows: (payment, refund) => [
      checkout({
        ...{ 'Payment ID': payment, 'Action ID': 'act_c', 'Action Type': 'Capture', 'Breakdown Type': 'Capture' },
        ...{ 'Processing Currency Amount': '42.00', 'Holding Currency Amount': '42.00000000' },
      }),
      ...['-0.62500000', '-0.62500000'].map((amount) =>
        checkout({
          ...{
            'Payment ID': payment,
            'Action ID': 'act_c',
            'Action Type': 'Capture',
            'Breakdown Type': 'Scheme Fixed Fee',
          },
          'Holding Currency Amount': amount,
        }),
      ),
      checkout({
        ...{ 'Payment ID': payment, 'Action ID': refund, 'Action Type': 'Refund', 'Breakdown Type': 'Refund' },
        ...{ 'Processing Currency Amount': '-12.00', 'Holding Currency Amount': '-12.00' },
      }),
      checkout({
        ...{ 'Payment ID': payment, 'Action ID': 'act_d', 'Action Type': 'Chargeback', 'Breakdown Type': 'Chargeback' },
        ...{ 'Processing Currency Amount': '-42.00', 'Holding Currency Amount': '-42.00' },
      }),
      checkout({
        ...{
          'Payment ID': payment,
          'Action ID': 'act_d',
          'Action Type': 'Chargeback',
          'Breakdown Type': 'Chargeback Fee',
        },
        'Holding Currency Amount': '-15',
      }),
      checkout({
        'Action ID': 'adj_1',
        'Action Type': 'Adjustment',
        'Breakdown Type': 'Scheme Fee',
        'Holding Currency Amount': '-2',
      }),
      checkout({
        ...{ 'Action ID': 'rsv_1', 'Action Type': 'Rolling Reserve', 'Breakdown Type': 'Rolling Reserve' },
        'Holding Currency Amount': '-5',
      }),
    ],
    sums: { gross: -1700, fee: 1825, net: -3525, lines: 8 },
  },
}

describe.each(Object.entries(stories) as [Vendor, Story][])('%s', (vendor, { rows, sums }) => {
  test('a report is matched, and read twice it changes nothing', async () => {
    const payment_id = await paid(vendor, `${vendor}_p1`)
    await refunded(vendor, payment_id, 1200, `${vendor}_r1`)
    await disputeOf(service, { merchant_id, payment_id })
    const all = rows(`${vendor}_p1`, `${vendor}_r1`)
    const text = fileOf(columnsOf[vendor], all)
    const first = await take(vendor, text)
    const { length } = all
    const id = expect.stringMatching(/^po_[0-9a-f]{24}$/)
    expect(first).toEqual({ lines: length, matched: length, known: 0, payouts: [id], findings: [] })
    const payout = await show(first.payouts[0])
    expect(payout).toMatchObject({
      connection: vendor,
      currency: 'GBP',
      paid_on: '2027-01-31',
      ...sums,
      findings: 0,
    })
    expect(await take(vendor, text)).toEqual({ ...first, matched: 0, known: length })
    const written_lines =
      await sql`select actor, detail->>'added' as added from journal where change = 'payout.imported' and subject = ${first.payouts[0]}`
    expect(written_lines).toEqual([{ actor: 'operator', added: String(sums.lines) }])
    const part = fileOf([...columnsOf[vendor]].reverse(), all.slice(1, 3), {
      delimiter: ';',
      end: '\r\n',
      mark: '\uFEFF',
    })
    expect(await take(vendor, part)).toMatchObject({ lines: 2, known: 2, findings: [] })
    expect(await show(first.payouts[0])).toEqual(payout)
  })
})

const run = (vendor: Vendor, text: string | Uint8Array, ...more: string[]) =>
  ripper(args(vendor, written(vendor, text), ...more), { env })
const charge = (more: Cells) =>
  stripe({ balance_transaction_id: 'txn_1', gross: '42.00', net: '42.00', payment_intent_id: 'pi_1', ...more })
const file = (...rows: Cells[]) => fileOf(columnsOf.stripe, rows)

describe('what does not fit is a finding', () => {
  type Row = { name: string; more: Cells; reason: string; change?: (payment_id: string) => Promise<unknown> }
  const rows: Row[] = [
    { name: 'an id that no payment has', more: { payment_intent_id: 'pi_2' }, reason: 'unknown_transaction' },
    { name: 'no id at all', more: { payment_intent_id: '' }, reason: 'unknown_transaction' },
    { name: 'another amount', more: { gross: '41.99', net: '41.99' }, reason: 'another_amount' },
    {
      name: 'less than was authorised, where all was taken',
      more: { gross: '50.00', net: '50.00', customer_facing_amount: '41.99', customer_facing_currency: 'gbp' },
      reason: 'another_amount',
    },
    {
      name: 'another currency and no word on what the shopper saw',
      more: { currency: 'eur' },
      reason: 'amount_not_told',
    },
    {
      name: 'a refund that is not known',
      more: { reporting_category: 'refund', refund_id: 're_2' },
      reason: 'unknown_refund',
    },
    { name: 'a dispute that nobody told of', more: { reporting_category: 'dispute' }, reason: 'unknown_dispute' },
    { name: 'a type that is not known', more: { reporting_category: 'tulips' }, reason: 'unknown_type' },
    { name: 'what is not paid out', more: { automatic_payout_id: '' }, reason: 'not_paid_out' },
    {
      name: 'a payment that was voided',
      more: {},
      reason: 'not_captured',
      change: (payment_id) =>
        sql`update payments set status = 'voided', capture_state = 'voided', executed_at = null where payment_id = ${payment_id}`,
    },
    {
      name: 'a payment of another connection',
      more: {},
      reason: 'unknown_transaction',
      change: (payment_id) =>
        sql`update payments set acquirer = ${names.get('adyen')!} where payment_id = ${payment_id}`,
    },
    {
      name: 'a payment of the other mode',
      more: {},
      reason: 'unknown_transaction',
      change: (payment_id) => sql`update payments set mode = 'live' where payment_id = ${payment_id}`,
    },
  ]

  afterEach(async () => {
    await sql`update payments set acquirer_transaction_id = 'over' where acquirer_transaction_id = 'pi_1'`
  })

  test.each(rows)('$name', async ({ more, reason, change }) => {
    const payment_id = await paid('stripe', 'pi_1')
    await change?.(payment_id)
    const result = await take('stripe', file(charge(more)))
    const findings = [{ line: 2, transaction_id: 'txn_1', reason }]
    expect(result).toMatchObject({ lines: 1, matched: 0, known: 0, findings })
    const is_kept = reason !== 'not_paid_out'
    expect(result.payouts).toHaveLength(is_kept ? 1 : 0)
    if (is_kept) expect((await show(result.payouts[0])).lines_with_findings).toMatchObject([{ line: 2, reason }])
    expect(await take('stripe', file(charge(more)))).toMatchObject(is_kept ? { known: 1, findings: [] } : { findings })
  })

  test('a line that comes again with another amount, which is not kept', async () => {
    await paid('stripe', 'pi_1')
    const { payouts } = await take('stripe', file(charge({})))
    const again = await take('stripe', file(charge({ fee: '1.00', net: '41.00' })))
    expect(again).toMatchObject({ known: 0, matched: 0, findings: [{ reason: 'differs_from_earlier' }] })
    expect(await show(payouts[0])).toMatchObject({ fee: 0, net: 4200 })
  })

  test('another sum than the vendor says it paid', async () => {
    const lines = [
      adyen({ Type: 'Fee', 'Modification Reference': 'Fees', 'Net Debit (NC)': '1.00' }),
      adyen({ Type: 'MerchantPayout', 'Modification Reference': 'TX1', 'Net Debit (NC)': '3.00' }),
    ]
    const { payouts, matched } = await take('adyen', fileOf(columnsOf.adyen, lines))
    expect(matched).toBe(2)
    expect(await show(payouts[0])).toMatchObject({ net: -100, paid_amount: 300, findings: 1 })
  })
})

test('what was taken counts, where it is less than was authorised', async () => {
  const payment_id = await paid('stripe', 'pi_part')
  await sql`update payments set captured_amount = 4000 where payment_id = ${payment_id}`
  const part = { payment_intent_id: 'pi_part', gross: '40.00', net: '40.00' }
  expect(await take('stripe', file(charge(part)))).toMatchObject({ matched: 1, findings: [] })
})

test('a payout in another currency has the rate', async () => {
  const payment_id = await paid('stripe', 'pi_fx')
  const told = {
    currency: 'eur',
    gross: '50.40',
    net: '50.40',
    customer_facing_amount: '42.00',
    customer_facing_currency: 'gbp',
  }
  expect(await take('stripe', file(charge({ ...told, payment_intent_id: 'pi_fx' })))).toMatchObject({ matched: 1 })
  const [line] = await sql`select exchange_rate::float8 as rate from payout_lines where payment_id = ${payment_id}`
  expect(line).toEqual({ rate: 1.2 })
})

describe('a file that cannot be read is refused whole', () => {
  const good = charge({ balance_transaction_id: 'txn_0' })
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(file(good, charge({ net: 'x' })), 'utf16le')])
  test.each<[string, string | Uint8Array, string]>([
    ['an amount that is none', file(good, charge({ gross: '4,2,0' })), 'line 3, column "gross": must be an amount'],
    ['an amount with too many digits', file(good, charge({ fee: '0.00000000001' })), 'line 3, column "fee"'],
    ['sums that do not agree', file(good, charge({ net: '41.00' })), 'line 3, column "net": must be gross less fee'],
    ['a currency that is none', file(good, charge({ currency: 'zzz' })), 'line 3, column "currency"'],
    ['a day that is none', file(good, charge({ automatic_payout_effective_at: '2027-02-30' })), 'line 3, column "auto'],
    [
      'an id that is missing',
      file(good, charge({ balance_transaction_id: '' })),
      'line 3, column "balance_transaction_id"',
    ],
    ['a line that is too short', `${file(good)}po_1,2027\n`, 'line 3: has 2 values, and the header 20'],
    ['a quote that is not closed', `${file(good)}"po_1`, 'a quote is not closed'],
    [
      'a file of another vendor',
      fileOf(columnsOf.adyen, [adyen({})]),
      'line 1, column "automatic_payout_id": is missing',
    ],
    ['an empty file', '', 'line 1: the file is empty'],
    [
      'bytes of no encoding',
      Buffer.concat([Buffer.from(file(good)), Buffer.from([0xc3, 0x28])]),
      'line 3: is not written in utf-8',
    ],
    ['UTF-16, which is read', utf16, 'line 3, column "net"'],
  ])('%s', async (_, text, words) => {
    const { status, stdout } = await run('stripe', text, '--json')
    const { error, message } = JSON.parse(stdout)
    expect([status, error]).toEqual([1, 'failed'])
    expect(message).toContain(words)
    expect(message).toContain(report_names.stripe)
    const [count] = await sql`select count(*)::int as payouts from payouts`
    expect(count).toEqual({ payouts: 0 })
  })

  test('of several files none is kept', async () => {
    const [one, two] = ['one.csv', 'two.csv'].map((name) => join(folder, name)) as [string, string]
    writeFileSync(one, file(good))
    writeFileSync(two, file(charge({ net: 'x' })))
    const { status, stderr } = await ripper(args('stripe', one, two), { env })
    expect([status, stderr]).toEqual([1, expect.stringContaining('two.csv, line 2, column "net"')])
    expect(await sql`select 1 from payouts`).toHaveLength(0)
  })
})
