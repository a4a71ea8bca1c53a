// Payment links at the dashboard: who makes and withdraws them, and what their page shows.

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newMember } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { account } = service
const at = `/${account.merchant_id}`
const owner = await newMember(service, { role: 'owner' })
const keyed = () => ({ headers: { 'rip-idempotency-key': randomUUID() } })
const wish = { amount: 4200, currency: 'GBP', description: 'Two cups', max_payments: 1, mode: 'test' }
const make = (person = owner, more: object = {}) => person.post(`${at}/payment_links`, { ...wish, ...more }, keyed())

test('a link is made, shown with its QR code, paid and withdrawn', async () => {
  const { status, body: link } = await make()
  expect([status, link.status, link.mode]).toEqual([201, 'active', 'test'])
  const shown = await owner.get(`${at}/payment_links/${link.id}`)
  expect(shown.body).toMatchObject({ id: link.id, url: link.url, qr: { size: expect.any(Number) } })
  expect(shown.body.qr.path).toMatch(/^(M\d+ \d+h\d+v1h-\d+z)+$/)
  const payments = `${at}/payment_links/${link.id}/payments`
  expect((await owner.get(payments)).body.data).toEqual([])
  const { client_secret } = (await account.client.send('POST', new URL(link.url).pathname, { body: {} })).body
  const session = { id: client_secret.split('_secret_')[0], client_secret }
  await account.client.present(session)
  const paid = await account.client.confirm(session, { customer: { email: 'ada@example.com' } })
  const page = (await owner.get(payments)).body
  expect(page.data).toMatchObject([{ id: paid.body.payment_id, status: 'captured' }])
  const payment = await owner.get(`${at}/payments/${paid.body.payment_id}`)
  expect(payment.body.payment_link_id).toBe(link.id)
  const ended = await owner.post(`${at}/payment_links/${link.id}/disable`, {}, keyed())
  expect([ended.status, ended.body.status]).toEqual([200, 'disabled'])
})

test('the same press twice makes one link', async () => {
  const press = keyed()
  const first = await owner.post(`${at}/payment_links`, wish, press)
  expect((await owner.post(`${at}/payment_links`, wish, press)).body.id).toBe(first.body.id)
})

test.each([
  ['developer', 201],
  ['support', 403],
  ['viewer', 403],
] as const)('%s: %i', async (role, status) => {
  const person = await newMember(service, { role })
  expect((await make(person)).status).toBe(status)
  const { id } = (await make()).body
  const ended = await person.post(`${at}/payment_links/${id}/disable`, {}, keyed())
  expect(ended.status).toBe(status === 201 ? 200 : 403)
  expect((await person.get(`${at}/payment_links?mode=test`)).status).toBe(200)
})

test('live links are not for an account that is not live, nor for developers', async () => {
  expect((await make(owner, { mode: 'live' })).body.error).toBe('key_live_only')
  const developer = await newMember(service, { role: 'developer' })
  expect((await make(developer, { mode: 'live' })).body.error).toBe('permission_denied')
})
