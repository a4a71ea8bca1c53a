// How much the sessions of pages may carry, and that the ones which carry much are counted as several.

import { beforeAll, expect, test } from 'vitest'
import { inCell } from '../../src/database/cells/cells.ts'
import { Refusal } from '../../src/kernel/errors.ts'
import { createIntegration } from '../../src/merchants/manage.ts'
import { limitSessionCreates } from '../../src/payments/limits/card-testing.ts'
import { purchase, refusal } from '../support/client.ts'
import { drivenClock, shop } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service

beforeAll(async () => {
  const page = { name: 'page', is_hosted_page: true, handle: 'tea', allowed_origins: [shop] }
  await createIntegration(service.operator, service.account.merchant_id, page)
})

const create = (more: object) => {
  const { publishable_key: public_key } = service.account
  return client.createFrom(shop, { public_key, ...purchase, ...more })
}
const createHosted = (more: object) => client.createFrom(shop, { ...purchase, ...more }, { handle: 'tea' })

/** As shops have them: names of two hundred letters would be none. */
const cart = (name: string) =>
  Array.from({ length: 100 }, (_, index) => ({
    kind: 'product',
    sku: `4006381-${index}-XL-NAVY`,
    name,
    quantity: 2,
    type: 'clothing',
    unit_amount: 4_999,
    tax_amount: 1_666,
    tax_rate: 2_000,
  }))

test.each([
  ['English', 'Organic cotton T-shirt with round neck, regular fit, navy blue, size XL, pack of two'],
  ['German', 'Bio-Baumwoll-T-Shirt für Damen, Rundhalsausschnitt, dunkelblau, Größe XL, 2er-Pack'],
  ['Japanese', 'オーガニックコットン丸首半袖Tシャツ レディース レギュラーフィット ネイビー XLサイズ 2枚組'],
  ['Thai', 'เสื้อยืดผ้าฝ้ายออร์แกนิกคอกลม ทรงปกติ สีกรมท่า ไซส์ XL แพ็กสองตัว'],
])('a cart of a hundred lines, with all metadata: %s', async (_, name) => {
  const metadata = { note: 'x'.repeat(8_000) }
  const more = { amount: 999_800, items: cart(name), metadata, customer: { metadata } }
  expect((await create(more)).status).toBe(201)
  expect((await createHosted(more)).status).toBe(201)
})

test('lines of too many letters, counted in bytes, and a server may send them', async () => {
  const items = cart('茶'.repeat(200))
  for (const answer of [await create({ items }), await createHosted({ items })]) {
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toBe('items must have at most 24576 bytes of sku, name and type in all.')
  }
  expect((await client.create({ ...purchase, items })).status).toBe(201)
})

test('opens fewer sessions that carry much: one counts for each 8 KB', async () => {
  const { merchant_id } = service.account
  const asked = { merchant_id, public_key: 'rip_pk_e', address: '192.0.2.1', mode: 'live' as const }
  const context = await inCell(service.context, merchant_id)
  const from = (text_bytes: number) =>
    limitSessionCreates(context, { ...asked, text_bytes, now: clock.now() }).then(
      () => 'made',
      (error) => (error instanceof Refusal ? `${error.retry_after_seconds} ${error.message}` : ''),
    )
  for (let count = 0; count < 3; count++) expect(await from(40_960)).toBe('made')
  await clock.advance(20_000)
  expect(await from(8_193)).toBe('made')
  for (let count = 0; count < 3; count++) expect(await from(8_192)).toBe('made')
  const words = 'Too many sessions were created from this address. Try again in'
  expect(await from(1)).toBe(`40 ${words} 40 seconds.`)
  // Fifteen places fall free at first, which is too few.
  expect(await from(16 * 8_192)).toBe(`60 ${words} 60 seconds.`)
  await clock.advance(40_000)
  expect(await from(15 * 8_192)).toBe('made')
})
