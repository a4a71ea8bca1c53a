// Payments as a file: what stands in it, who may have it, and that it leaves a line in the journal.

import { expect, test } from 'vitest'
import { linesOf } from '../../src/dashboard/export/export-file.ts'
import { exportedPayments } from '../../src/dashboard/export/export-routes.ts'
import { purchase } from '../support/client.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, client, sql } = service
const path = `/${account.merchant_id}/export?mode=test`
const owner = await newMember(service, { role: 'owner' })
const day_ms = 24 * 3_600_000

const cellsOf = (text: string) => text.split('\r\n').map((line) => line.split(','))

test('what the filters say, as a spreadsheet reads it', async () => {
  await client.pay()
  await clock.advance(1000)
  const order_reference = '=cmd|"/c calc"'
  const { body } = await client.pay(undefined, { ...purchase, amount: 5, currency: 'JPY', order_reference })
  const answer = await owner.get(`${path}&currency=JPY`)
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  const day = clock.now().toISOString().slice(0, 10)
  expect(answer.headers['content-disposition']).toMatch(
    new RegExp(`^attachment; filename="payments-test-[\\d-]{10}-${day}\\.csv"$`),
  )
  const [heading, row, end, ...more] = cellsOf(answer.text)
  expect(heading!.slice(0, 2)).toEqual(['\uFEFFcreated_at', 'payment_id'])
  expect([end, more]).toEqual([[''], []])
  expect(row!.slice(1, 7)).toEqual([...[body.payment_id, body.session_id, 'test', 'captured', '5', 'JPY']])
  expect(row).toContain(`"'=cmd|""/c calc"""`)
  expect(row).toContain('ada@example.com')
  const all = cellsOf((await owner.get(path)).text)
  expect(all).toHaveLength(4)
  expect(all[2]![5]).toBe('42.00')
  const [line] = await sql<{ actor: string; detail: object }[]>`
    select actor, detail from journal
    where change = 'export.made' and detail->'filters'->>'currency' is not null`
  expect(line).toMatchObject({
    actor: `user ${owner.user_id}`,
    detail: { of: 'payments', count: 1, filters: { mode: 'test', currency: 'JPY' } },
  })
})

/** All payments of a merchant that has some. */
async function threePayments() {
  const { merchant_id, client: shop } = await service.newAccount()
  for (let paid = 0; paid < 3; paid++) {
    await clock.advance(1000)
    await shop.pay()
  }
  const span = { created_from: undefined, created_before: undefined }
  const none = { status: undefined, customer_email: undefined, card_last4: undefined }
  const rest = { order_reference: undefined, amount: undefined, currency: undefined }
  return {
    filters: {
      merchant_id,
      mode: 'test' as const,
      ...span,
      ...none,
      ...rest,
      decline_code: undefined,
      refunded: undefined,
    },
    member: { user_id: owner.user_id },
    request_id: 'req_1',
    timeOf: (at: Date) => at.toISOString(),
  }
}

test('nothing leaves before the journal says so, and the end says how much did', async () => {
  const request = await threePayments()
  const { merchant_id } = request.filters
  const linesNow = () => sql<{ change: string; count: number | null }[]>`
    select change, (detail->>'count')::int as count from journal
    where merchant_id = ${merchant_id} and change like 'export.%' order by change`
  const payments = exportedPayments(service.context, request)
  const parts = linesOf(payments, { page_rows: 2, rows_max: 3 })
  expect(await linesNow()).toEqual([])
  expect((await parts.next()).done).toBe(false)
  // A process that is killed here writes no more.
  expect(await linesNow()).toEqual([{ change: 'export.begun', count: null }])
  await parts.return(undefined)
  expect((await linesNow()).at(-1)).toEqual({ change: 'export.made', count: 2 })
})

test('the last line says where there are more rows than the file may have', async () => {
  const request = await threePayments()
  const exported = async (rows_max: number) => {
    let text = ''
    const payments = exportedPayments(service.context, request)
    for await (const part of linesOf(payments, { page_rows: 2, rows_max })) {
      text += part
    }
    return text.split('\r\n').slice(1, -1)
  }
  const [whole, cut] = [await exported(3), await exported(2)]
  expect(whole).toHaveLength(3)
  expect(cut).toEqual([...whole.slice(0, 2), expect.stringMatching(/^NOT ALL: .* 2 payments/)])
  expect(await exported(1)).toHaveLength(2)
})

test('an email that was searched for is not written down', async () => {
  await clock.advance(1000)
  await owner.get(`${path}&customer_email=ada%40example.com`)
  const [line] = await sql<{ detail: object }[]>`
    select detail from journal where change = 'export.made' order by entry_id desc limit 1`
  expect(line!.detail).toMatchObject({ filters: { customer_email: '…' } })
})

test.each([
  ['mode=sandbox', 'mode'],
  ['mode=test&limit=5', 'limit'],
  ['mode=test&status=paid', 'status'],
])('%s is refused, and named', async (query, named) => {
  const answer = await owner.get(`/${account.merchant_id}/export?${query}`)
  expect(refusalIn(answer)).toBe('400 invalid_request')
  expect(answer.body.message).toContain(named)
})

test('a leap year at most', async () => {
  const from = (days: number) => encodeURIComponent(new Date(clock.now().getTime() - days * day_ms).toISOString())
  expect((await owner.get(`${path}&created_from=${from(366)}`)).status).toBe(200)
  const long = await owner.get(`${path}&created_from=${from(368)}`)
  expect(refusalIn(long)).toBe('400 invalid_request')
})

test('it asks for a fresh proof, and for the permission', async () => {
  const support = await newMember(service, { role: 'support' })
  expect(refusalIn(await support.get(path))).toBe('403 permission_denied')
  await clock.advance(6 * 60_000)
  expect(refusalIn(await owner.get(path))).toBe('403 proof_required')
  expect((await owner.prove()).status).toBe(200)
  expect((await owner.get(path)).status).toBe(200)
})
