// The lists of refunds, charges and the price list on the compatible routes.

import { describe, expect, test } from 'vitest'
import { type Answer, type Json, purchase, visa } from '../support/client.ts'
import { addresses, fault, openCompatible } from '../support/compatible.ts'
import { hold } from '../support/holding.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const line = { tax_rate: null, image_url: null }
const price_list = [
  { ...line, sku: 'tea', name: 'Tea', unit_amount: 500, currency: 'EUR' },
  { ...line, sku: 'tea', name: 'Tea', unit_amount: 420, currency: 'GBP' },
  {
    ...line,
    sku: 'Pot, 1½ l',
    name: 'Pot',
    unit_amount: 2500,
    currency: 'EUR',
    image_url: 'https://shop.example/pot.png',
  },
  { ...line, sku: 'cup', name: 'Cup', unit_amount: 900, currency: 'EUR' },
]
const account = await service.newAccount({ integration: { default_currency: 'GBP', default_amount: 1, price_list } })
const { client } = account
const { bearer } = openCompatible(client, account)

const get = (path: string): Promise<Answer> => client.send('GET', path, { headers: bearer })
const list = async (path: string): Promise<Json> => {
  const answer = await get(path)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const idsOf = ({ data }: Json) => data.map(({ id }: Json) => id) as string[]
const at = (noun: string) => addresses.map((address) => address.replace('payment_intents', noun))
const chargeOf = (payment_id: string) => payment_id.replace('pay_', 'ch_')

type Paid = { payment_id: string; session_id: string }
const pay = async (number = visa): Promise<Paid> => {
  await clock.advance(1000)
  return (await client.pay(number, purchase)).body
}
const [first, declined, second] = [await pay(), await pay('4000009105150000'), await pay()]
await clock.advance(1000)
const held = await hold(account)
const refunds: string[] = []
for (const { payment_id } of [first, second, first]) {
  await clock.advance(1000)
  refunds.unshift((await client.refund(payment_id, { amount: 100 })).body.id)
}
const charges = [held, second, first].map(({ payment_id }) => chargeOf(payment_id))
const created = (await get(`/v1/refunds/${refunds[1]}`)).body.created as number
const charged = (await get(`/v1/charges/${charges[1]}`)).body.created as number

const missing = (param: string) => `400 invalid_request_error resource_missing ${param} invalid_request`

describe('refunds', () => {
  test.each(at('refunds'))('as they are read, at %s', async (path) => {
    const data = await Promise.all(refunds.map(async (id) => (await get(`/v1/refunds/${id}`)).body))
    expect(await list(path)).toEqual({ object: 'list', url: '/v1/refunds', has_more: false, data })
  })

  test.each([
    ['limit=2', [0, 1], true],
    [`limit=1&starting_after=${refunds[0]}`, [1], true],
    [`ending_before=${refunds[2]}`, [0, 1], false],
    [`limit=1&ending_before=${refunds[2]}`, [1], true],
    [`created[gte]=${created}`, [0, 1], false],
    [`created[lt]=${created}`, [2], false],
    [`created=${created}`, [1], false],
    [`charge=${chargeOf(first.payment_id)}`, [0, 2], false],
    [`payment_intent=${first.session_id}`, [0, 2], false],
    [`payment_intent=${first.session_id}&limit=1`, [0], true],
    [`payment_intent=${first.session_id}&starting_after=${refunds[1]}`, [2], false],
    [`payment_intent=${held.session.id}`, [], false],
  ] as const)('%s', async (query, expected, has_more) => {
    const body = await list(`/v1/refunds?${query}`)
    expect([idsOf(body), body.has_more]).toEqual([expected.map((place) => refunds[place]), has_more])
  })

  test('none of an intent that nobody paid', async () => {
    const { id } = await client.open()
    expect(await list(`/v1/refunds?payment_intent=${id}`)).toMatchObject({ data: [], has_more: false })
  })

  test.each([
    [`starting_after=ref_${'0'.repeat(24)}`, missing('starting_after')],
    [`charge=ch_${'0'.repeat(24)}`, '404 invalid_request_error resource_missing charge resource_not_found'],
    [`charge=${chargeOf(declined.payment_id)}`, '404 invalid_request_error resource_missing charge resource_not_found'],
    [
      `payment_intent=cs_${'0'.repeat(24)}`,
      '404 invalid_request_error resource_missing payment_intent resource_not_found',
    ],
    [
      `charge=${charges[2]}&payment_intent=${first.session_id}`,
      '400 invalid_request_error invalid_request charge invalid_request',
    ],
    ['status=pending', '400 invalid_request_error parameter_unknown status invalid_request'],
    ['expand[]=data.charge', '400 invalid_request_error parameter_unknown expand invalid_request'],
  ])('refuses %s', async (query, expected) => {
    expect(fault(await get(`/v1/refunds?${query}`))).toBe(expected)
  })
})

describe('charges', () => {
  test.each(at('charges'))('what is captured or held, as it is read, at %s', async (path) => {
    const data = await Promise.all(charges.map(async (id) => (await get(`/v1/charges/${id}`)).body))
    expect(await list(path)).toEqual({ object: 'list', url: '/v1/charges', has_more: false, data })
  })

  test.each([
    ['limit=2', [0, 1], true],
    [`limit=1&starting_after=${charges[0]}`, [1], true],
    [`ending_before=${charges[2]}`, [0, 1], false],
    [`limit=1&ending_before=${charges[2]}`, [1], true],
    [`created[gte]=${charged}`, [0, 1], false],
    [`created=${charged}`, [1], false],
    [`payment_intent=${first.session_id}`, [2], false],
    [`payment_intent=${declined.session_id}`, [], false],
  ] as const)('%s', async (query, expected, has_more) => {
    const body = await list(`/v1/charges?${query}`)
    expect([idsOf(body), body.has_more]).toEqual([expected.map((place) => charges[place]), has_more])
  })

  test.each([
    [`starting_after=${chargeOf(declined.payment_id)}`, missing('starting_after')],
    ['ending_before=ch_x', missing('ending_before')],
    ['customer=cus_1', '400 invalid_request_error parameter_unknown customer invalid_request'],
  ])('refuses %s', async (query, expected) => {
    expect(fault(await get(`/v1/charges?${query}`))).toBe(expected)
  })
})

describe('the price list', () => {
  const skus = ['tea', 'Pot, 1½ l', 'cup']
  const pot = encodeURIComponent(skus[1]!)

  test.each(at('prices'))('as prices, at %s', async (path) => {
    const body = await list(path)
    expect([body.object, body.url, body.has_more, idsOf(body)]).toEqual(['list', '/v1/prices', false, skus])
    for (const price of body.data) expect((await get(`${path}/${encodeURIComponent(price.id)}`)).body).toEqual(price)
    // In the integration's own currency where the list has it, else in the first.
    expect(body.data.map(({ currency, unit_amount }: Json) => `${currency} ${unit_amount}`)).toEqual([
      ...['gbp 420', 'eur 2500', 'eur 900'],
    ])
    expect(body.data[0]).toMatchObject({
      object: 'price',
      product: 'tea',
      type: 'one_time',
      unit_amount_decimal: '420',
      livemode: false,
    })
  })

  test.each(at('products'))('as products, at %s', async (path) => {
    const body = await list(path)
    expect([body.url, idsOf(body)]).toEqual(['/v1/products', skus])
    for (const product of body.data)
      expect((await get(`${path}/${encodeURIComponent(product.id)}`)).body).toEqual(product)
    expect(body.data[1]).toMatchObject({
      name: 'Pot',
      images: ['https://shop.example/pot.png'],
      default_price: skus[1],
    })
  })

  test.each([
    ['prices?limit=2', [0, 1], true],
    [`prices?starting_after=${pot}`, [2], false],
    [`prices?ending_before=${pot}`, [0], false],
    ['prices?currency=eur', [0, 1, 2], false],
    ['prices?currency=gbp', [0], false],
    ['prices?currency=usd', [], false],
    [`prices?product=${pot}`, [1], false],
    ['prices?active=true&type=one_time', [0, 1, 2], false],
    ['prices?active=false', [], false],
    ['prices?type=recurring', [], false],
    ['prices?created[lt]=1', [], false],
    [`products?ids[0]=cup&ids[1]=${pot}`, [1, 2], false],
    ['products?ids[]=cup&ids[]=tea', [0, 2], false],
    ['products?active=false', [], false],
    ['products?limit=1', [0], true],
  ] as const)('%s', async (path, expected, has_more) => {
    const body = await list(`/v1/${path}`)
    expect([idsOf(body), body.has_more]).toEqual([expected.map((place) => skus[place]), has_more])
  })

  test('nothing where there is no list', async () => {
    const other = await service.newAccount()
    const headers = openCompatible(other.client, other).bearer
    expect((await other.client.send('GET', '/v1/prices', { headers })).body.data).toEqual([])
  })

  const notFound = (param: string) => `404 invalid_request_error resource_missing ${param} resource_not_found`
  test.each([
    ['prices/mug', notFound('price')],
    ['products/mug', notFound('product')],
    ['prices/%00', notFound('price')],
    [`prices/${'x'.repeat(300)}`, notFound('price')],
    ['prices?starting_after=mug', missing('starting_after')],
    ['prices?active=yes', '400 invalid_request_error invalid_request active invalid_request'],
    ['prices?recurring[interval]=month', '400 invalid_request_error parameter_unknown recurring invalid_request'],
    ['products?ids=tea', '400 invalid_request_error invalid_request ids invalid_request'],
    ['prices/tea?expand[]=product', '400 invalid_request_error parameter_unknown expand invalid_request'],
  ])('refuses %s', async (path, expected) => {
    expect(fault(await get(`/v1/${path}`))).toBe(expected)
  })
})
