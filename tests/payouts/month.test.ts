// A month's export adds up to the cent with what the bank got, at each vendor, whatever was paid, refunded, charged and held back.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createConnection } from '../../src/connections/manage-connections.ts'
import { importReports } from '../../src/payouts/import-reports.ts'
import { linesOfMonth } from '../../src/payouts/month.ts'
import { useService } from '../support/use-service.ts'
import {
  adyenCells,
  bytesOf,
  type Cells,
  checkoutCells,
  columnsOf,
  fileOf,
  report_names,
  stripeCells,
  type Vendor,
} from './reports.ts'

const service = await useService()
const { sql, operator } = service

/** What happened to money: signed hundredths of a cent, of which a vendor that bills whole cents has none. */
type Movement = {
  kind: 'payment' | 'refund' | 'dispute' | 'fee' | 'reserve'
  gross: number
  fee: number
  batch: number
}

const movement = (fraction: boolean): fc.Arbitrary<Movement> =>
  fc
    .record({
      kind: fc.constantFrom('payment', 'refund', 'dispute', 'fee', 'reserve'),
      cents: fc.integer({ min: 1, max: 5_000_000 }),
      fee: fc.integer({ min: 0, max: 400_000 }),
      batch: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ kind, cents, fee, batch }) => ({
      kind: kind as Movement['kind'],
      gross: kind === 'fee' ? 0 : kind === 'payment' ? cents * 100 : -cents * 100,
      fee: kind === 'reserve' ? 0 : fraction ? fee : Math.round(fee / 100) * 100,
      batch,
    }))

const major = (units: number) => `${units < 0 ? '-' : ''}${(Math.abs(units) / 10_000).toFixed(4)}`
const sided = (units: number, name: string): Cells =>
  units < 0 ? { [name.replace('*', 'Debit')]: major(-units) } : { [name.replace('*', 'Credit')]: major(units) }

const spell: Record<Vendor, (movement: Movement, index: number) => Cells[]> = {
  stripe: ({ kind, gross, fee, batch }, index) => {
    const category = {
      payment: 'charge',
      refund: 'refund',
      dispute: 'dispute',
      fee: 'fee',
      reserve: 'risk_reserved_funds',
    }[kind]
    const money = kind === 'fee' ? { gross: -fee, fee: 0, net: -fee } : { gross, fee, net: gross - fee }
    const cells = Object.fromEntries(Object.entries(money).map(([name, units]) => [name, major(units)]))
    return [
      stripeCells({
        ...cells,
        balance_transaction_id: `t${index}`,
        automatic_payout_id: `b${batch}`,
        reporting_category: category,
      }),
    ]
  },
  adyen: ({ kind, gross, fee, batch }, index) => {
    const type = {
      payment: 'Settled',
      refund: 'Refunded',
      dispute: 'Chargeback',
      fee: 'Fee',
      reserve: 'ReserveAdjustment',
    }[kind]
    const psp: Cells = kind === 'fee' || kind === 'reserve' ? {} : { 'Psp Reference': `P${index}` }
    const sides = { ...(gross !== 0 && sided(gross, 'Gross * (GC)')), ...sided(gross - fee, 'Net * (NC)') }
    // Lines of costs without a transaction may be all alike.
    return [
      adyenCells({
        ...psp,
        ...sides,
        Type: type,
        'Modification Reference': kind === 'fee' ? 'Fees' : `M${index}`,
        'Batch Number': `b${batch}`,
      }),
    ]
  },
  checkout: ({ kind, gross, fee, batch }, index) => {
    const action = {
      payment: 'Capture',
      refund: 'Refund',
      dispute: 'Chargeback',
      fee: 'Authorization',
      reserve: 'Rolling Reserve',
    }[kind]
    const own = { 'Action ID': `a${index}`, 'Action Type': action, 'Payout ID': `b${batch}` }
    const half = Math.floor(fee / 2)
    // A fee of two equal parts by one name, and what is left.
    const fees = [half, half, fee - 2 * half].filter((each) => each > 0)
    return [
      ...(gross === 0
        ? []
        : [checkoutCells({ ...own, 'Breakdown Type': action, 'Holding Currency Amount': major(gross) })]),
      ...fees.map((each) =>
        checkoutCells({ ...own, 'Breakdown Type': 'Scheme Fixed Fee', 'Holding Currency Amount': major(-each) }),
      ),
    ]
  },
}

/** Rounded as banks do, half away from zero. */
const cents = (units: number) => Math.sign(units) * Math.round(Math.abs(units) / 100)
/** Whole hundredths of a cent of an exact decimal. */
const unitsOf = (text: string) => {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!
  expect(fraction.slice(4).replace(/0+$/, '')).toBe('')
  return Number(`${sign}${whole}${fraction.slice(0, 4).padEnd(4, '0')}`)
}

test.each(['stripe', 'adyen', 'checkout'] as const)('%s', async (vendor) => {
  const { merchant_id } = await service.newAccount()
  const connection = await createConnection(operator, merchant_id, {
    ...({ kind: 'acquirer', connector: vendor, label: 'main', mode: 'sandbox' } as const),
    credentials: {},
  })
  const take = (rows: Cells[]) => {
    const file = {
      name: report_names[vendor],
      open: () => bytesOf(fileOf(columnsOf[vendor], rows)),
      paid_on: '2027-01-31',
    }
    return importReports(service.context, { merchant_id, connection }, [file], { actor: 'operator', request_id: null })
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(movement(vendor !== 'stripe'), { minLength: 1, maxLength: 30 }),
      fc.nat(),
      async (movements, cut) => {
        await sql`delete from payout_lines where merchant_id = ${merchant_id}`
        await sql`delete from payouts where merchant_id = ${merchant_id}`
        const rows = movements.flatMap((each, index) => spell[vendor](each, index))
        // A part first, then all of it, twice.
        await take(rows.slice(0, (cut % rows.length) + 1))
        await take(rows)
        expect(await take(rows)).toMatchObject({ matched: 0, known: rows.length, findings: [] })
        const bank = new Map<string, number>()
        for (const { batch, gross, fee } of movements) bank.set(`b${batch}`, (bank.get(`b${batch}`) ?? 0) + gross - fee)
        const sums = new Map<string, number>()
        for await (const lines of linesOfMonth(sql, { merchant_id, mode: 'test', month: '2027-01' })) {
          for (const { vendor_id, gross, fee, net } of lines) {
            expect(unitsOf(gross) - unitsOf(fee)).toBe(unitsOf(net))
            sums.set(vendor_id, (sums.get(vendor_id) ?? 0) + unitsOf(net))
          }
        }
        expect([...sums].sort()).toEqual([...bank].map(([id, units]) => [id, cents(units) * 100]).sort())
        const payouts = await sql<{ vendor_id: string; net: number }[]>`
        select vendor_id, round(gross - fee)::bigint as net from payouts where merchant_id = ${merchant_id}`
        expect(payouts.map(({ vendor_id, net }) => [vendor_id, net * 100]).sort()).toEqual([...sums].sort())
      },
    ),
    { numRuns: 25 },
  )
})
