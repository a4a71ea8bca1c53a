// Payouts at the dashboard: a report in pieces, the list, one payout, a month as a file, and who may do what.

import { describe, expect, test } from 'vitest'
import { createConnection } from '../../src/connections/manage-connections.ts'
import { piece_bytes_max } from '../../src/payouts/pieces.ts'
import { columnsOf, fileOf, stripeCells } from '../payouts/reports.ts'
import { runJob } from '../support/holding.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, sql } = service
const { merchant_id } = account
const at = `/${merchant_id}`
const owner = await newMember(service, { role: 'owner' })
const support = await newMember(service, { role: 'support' })

await createConnection(service.operator, merchant_id, {
  ...({ kind: 'acquirer', connector: 'stripe', label: 'main', mode: 'sandbox' } as const),
  credentials: { secret_key: 'sk_test_a', webhook_secret: 'whsec_a' },
})

const upload_id = 'f0c3a1d28b7e4f6091a2b3c4'
const pieceOf = (piece: number, bytes: Uint8Array, more: object = {}) => ({
  ...{ mode: 'test', upload_id, piece, bytes: Buffer.from(bytes).toString('base64') },
  ...more,
})
const wish = { mode: 'test', upload_id, pieces: 1, file_name: 'report.csv', connection: 'main', paid_on: null }
const send = (piece: object, person = owner) => person.post(`${at}/payouts/pieces`, piece)
const take = (more: object = {}, person = owner) => person.post(`${at}/payouts/import`, { ...wish, ...more })
const rowsOf = (count: number, vendor_id = 'po_1') =>
  Array.from({ length: count }, (_, index) =>
    stripeCells({
      ...{
        automatic_payout_id: vendor_id,
        balance_transaction_id: `txn_${vendor_id}_${index}`,
        payment_intent_id: 'pi_x',
      },
      ...{ gross: '1.00', net: '1.00', description: '=cmd' },
    }),
  )
const pieces = async () => (await sql`select count(*)::int as count from payout_pieces`)[0]!.count

test('a report in several pieces is read once and whole', async () => {
  const bytes = Buffer.from(fileOf(columnsOf.stripe, rowsOf(1200)))
  const count = Math.ceil(bytes.length / piece_bytes_max)
  expect(count).toBeGreaterThan(1)
  for (let piece = 0; piece < count; piece++) {
    const part = bytes.subarray(piece * piece_bytes_max, (piece + 1) * piece_bytes_max)
    expect((await send(pieceOf(piece, part))).status).toBe(204)
    expect((await send(pieceOf(piece, part))).status).toBe(204)
  }
  const { status, body } = await take({ pieces: count })
  expect([status, body]).toMatchObject([200, { lines: 1200, matched: 0, known: 0, findings: 1200 }])
  expect(await pieces()).toBe(0)
  const list = (await owner.get(`${at}/payouts?mode=test`)).body
  expect(list).toMatchObject({ connections: ['main'], data: [{ vendor_id: 'po_1', net: 120_000, findings: 1200 }] })
  expect((await owner.get(`${at}/payouts?mode=live`)).body).toMatchObject({ connections: [], data: [] })
  const one = (await support.get(`${at}/payouts/${body.payouts[0]}`)).body
  expect(one).toMatchObject({ mode: 'test', short_of: null, lines: 1200 })
  expect(one.lines_with_findings).toHaveLength(200)
  expect(one.lines_with_findings[0]).toMatchObject({ line: 2, reason: 'unknown_transaction', payment_id: null })
  const [line] = await sql`select actor from journal where change = 'payout.imported' and subject = ${body.payouts[0]}`
  expect(line).toEqual({ actor: `user ${owner.user_id}` })
})

test.each([
  [
    'a line that cannot be read',
    `${fileOf(columnsOf.stripe, rowsOf(1, 'po_bad'))}x\n`,
    {},
    'file',
    'report.csv, line 3: has 1 values',
  ],
  [
    'a piece that is missing',
    fileOf(columnsOf.stripe, rowsOf(1, 'po_bad')),
    { pieces: 2 },
    'pieces',
    'The piece 1 is missing',
  ],
  [
    'a connection that is none',
    fileOf(columnsOf.stripe, rowsOf(1, 'po_bad')),
    { connection: 'other' },
    'connection',
    'connection must be',
  ],
  [
    'a connection of the other mode',
    fileOf(columnsOf.stripe, rowsOf(1, 'po_bad')),
    { mode: 'live' },
    'connection',
    'connection must be',
  ],
  [
    'a day that is none',
    fileOf(columnsOf.stripe, rowsOf(1, 'po_bad')),
    { paid_on: '2027-02-30' },
    'paid_on',
    'paid_on must be a day',
  ],
])('%s: nothing is kept', async (_, text, more, field, words) => {
  await send(pieceOf(0, Buffer.from(text)))
  const answer = await take(more)
  expect([answer.status, answer.headers['rip-error-field']]).toEqual([400, field])
  expect(answer.body.message).toContain(words)
  expect(await sql`select 1 from payouts where vendor_id = 'po_bad'`).toHaveLength(0)
})

test('who sends and reads reports: owners and admins, each their own pieces', async () => {
  const piece = pieceOf(0, Buffer.from(fileOf(columnsOf.stripe, rowsOf(1, 'po_mine'))))
  for (const role of ['support', 'developer', 'viewer'] as const) {
    const person = await newMember(service, { role })
    expect(refusalIn(await send(piece, person))).toBe('403 permission_denied')
    expect(refusalIn(await take({}, person))).toBe('403 permission_denied')
  }
  const admin = await newMember(service, { role: 'admin' })
  await send(piece)
  expect((await take({}, admin)).headers['rip-error-field']).toBe('pieces')
  expect((await take()).body).toMatchObject({ lines: 1 })
})

describe('a month as a file', () => {
  test('has each line, without formulas, and leaves lines in the journal', async () => {
    await sql`delete from payout_lines`
    await sql`delete from payouts`
    await send(pieceOf(0, Buffer.from(fileOf(columnsOf.stripe, rowsOf(2)))))
    await take()
    const answer = await owner.get(`${at}/export/payouts?mode=test&month=2027-01`)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-disposition']).toBe('attachment; filename="payouts-test-2027-01.csv"')
    const [heading, ...lines] = answer.text.split('\r\n')
    expect(heading).toMatch(/^\uFEFFpaid_on,payout_id,connection,vendor_id,kind/)
    expect(lines).toHaveLength(3)
    expect(lines[0]).toContain(
      ',main,po_1,payment,charge,txn_po_1_0,,,,1.00,0.00,1.00,GBP,1.00,GBP,unknown_transaction',
    )
    for (const month of ['2026-12', '2027-02']) {
      expect((await owner.get(`${at}/export/payouts?mode=test&month=${month}`)).text.split('\r\n')).toHaveLength(2)
    }
    const written =
      await sql`select change, detail from journal where detail->>'of' = 'payouts' and detail->'filters'->>'month' = '2027-01' order by change`
    expect(written).toMatchObject([{ change: 'export.begun' }, { change: 'export.made', detail: { count: 2 } }])
  })

  test.each(['', '2027-13', '2027-1', "2027-01'"])('of %j is refused', async (month) => {
    const answer = await owner.get(`${at}/export/payouts?mode=test&month=${month}`)
    expect([answer.status, answer.headers['rip-error-field']]).toEqual([400, 'month'])
  })

  test('is for those who may export', async () => {
    expect(refusalIn(await support.get(`${at}/export/payouts?mode=test&month=2027-01`))).toBe('403 permission_denied')
  })
})

// It locks the sessions of the people above.
test('what nobody reads is gone within an hour', async () => {
  await send(pieceOf(0, Buffer.from('x')))
  await clock.advance(3_590_000)
  await runJob(service, 'purge_payout_pieces')
  expect(await pieces()).toBe(1)
  await clock.advance(20_000)
  await runJob(service, 'purge_payout_pieces')
  expect(await pieces()).toBe(0)
})
