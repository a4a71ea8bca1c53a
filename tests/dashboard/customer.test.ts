// The payments of a customer together: which ones, what they come to, and who may see them.

import { expect, test } from 'vitest'
import { type Json, purchase } from '../support/client.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const { account, client } = service
const at = `/${account.merchant_id}`
const support = await newMember(service, { role: 'support' })
const viewer = await newMember(service, { role: 'viewer' })

const pay = async (email: string, card?: string, more: object = {}): Promise<string> => {
  await clock.advance(1000)
  const { body } = await client.pay(card, { ...purchase, ...more, customer: { email } })
  return body.payment_id
}
const customerOf = (payment_id: string, query = '', person = support) =>
  person.get(`${at}/payments/${payment_id}/customer${query}`)

test('all payments of the address, however it was written, in every state, with refunds, first and last', async () => {
  const first = await pay('Grace@example.com')
  const refunded = await pay('grace@example.com')
  await pay('grace@example.com', undefined, { currency: 'EUR', amount: 700 })
  const declined = await pay('grace@example.com', '4000000000009995')
  await pay('other@example.com')
  await client.refund(refunded, { amount: 1200 })
  const { status, body, text } = await customerOf(first)
  expect(status, text).toBe(200)
  expect(body).toMatchObject({ email: 'grace@example.com', is_whole: true, has_more: false })
  const sums = body.sums.map(({ first_at: _, last_at: __, ...sum }: Json) => sum)
  expect(sums).toEqual([
    { currency: 'EUR', status: 'captured', count: 1, amount: 700, refunded_amount: 0 },
    { currency: 'GBP', status: 'captured', count: 2, amount: 8400, refunded_amount: 1200 },
    { currency: 'GBP', status: 'declined', count: 1, amount: 4200, refunded_amount: 0 },
  ])
  expect(body.data).toHaveLength(4)
  expect(body.data[0].id).toBe(declined)
  expect(body.sums[1].first_at).toBe(body.data[3].created_at)
  expect(body.sums[1].last_at).toBe(body.data[2].created_at)
})

test('page by page, with a cursor of this customer alone', async () => {
  const mine = await pay('page@example.com')
  await pay('page@example.com')
  const other = await pay('else@example.com')
  await pay('else@example.com')
  const { next_cursor, data } = (await customerOf(mine, '?limit=1')).body
  expect(data).toHaveLength(1)
  const second = (await customerOf(mine, `?limit=1&after=${next_cursor}`)).body
  expect(second.data.map(({ id }: Json) => id)).toEqual([mine])
  expect(refusalIn(await customerOf(other, `?after=${next_cursor}`))).toBe('400 invalid_pagination')
})

test('a payment without an address has no customer, and whoever sees masked addresses sees none', async () => {
  const without = await pay('gone@example.com')
  await service.sql`update payments set customer_email = null where payment_id = ${without}`
  expect(refusalIn(await customerOf(without))).toBe('404 resource_not_found')
  expect(refusalIn(await customerOf(await pay('m@example.com'), '', viewer))).toBe('403 permission_denied')
})
