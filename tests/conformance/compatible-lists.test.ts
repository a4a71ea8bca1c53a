// The lists of the compatible routes: pages by the object before or after, times, expanded members, and what is refused.

import { describe, expect, test } from 'vitest'
import { type Answer, type Json, visa } from '../support/client.ts'
import { addresses, fault, openCompatible, tea } from '../support/compatible.ts'
import { hold } from '../support/holding.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const account = await service.newAccount()
const { client } = account
const compatible = openCompatible(client, account)

const get = (path: string): Promise<Answer> => client.send('GET', path, { headers: compatible.bearer })
const list = async (query = '', at = '/v1/payment_intents'): Promise<Json> => {
  const answer = await get(`${at}${query && `?${query}`}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const idsOf = ({ data }: Json) => data.map(({ id }: Json) => id) as string[]

const [unpaid, paid, held] = await (async () => {
  const first = (await compatible.create(tea)).body.id as string
  await clock.advance(1000)
  const second = (await client.pay(visa)).body.session_id as string
  await clock.advance(1000)
  const charge_id = (await hold(account)).payment_id.replace('pay_', 'ch_')
  const third = (await get(`/v1/charges/${charge_id}`)).body.payment_intent as string
  await clock.advance(1000)
  return [first, second, third]
})()
const all = [held, paid, unpaid]
const created = (await compatible.read(paid)).body.created as number

describe('payment intents', () => {
  test.each(addresses)('are all sessions, as they are read, at %s', async (at) => {
    const body = await list('', at)
    const read = await Promise.all(all.map(async (id) => (await compatible.read(id)).body))
    expect(body).toEqual({ object: 'list', url: '/v1/payment_intents', has_more: false, data: read })
  })

  test.each([
    ['limit=2', [0, 1], true],
    ['limit=3', [0, 1, 2], false],
    [`limit=1&starting_after=${held}`, [1], true],
    [`starting_after=${paid}`, [2], false],
    [`starting_after=${unpaid}`, [], false],
    [`ending_before=${unpaid}`, [0, 1], false],
    [`limit=1&ending_before=${unpaid}`, [1], true],
    [`ending_before=${held}`, [], false],
    [`created=${created}`, [1], false],
    [`created[gt]=${created}`, [0], false],
    [`created[gte]=${created}`, [0, 1], false],
    [`created[lt]=${created}`, [2], false],
    [`created[lte]=${created}`, [1, 2], false],
    [`created[gte]=${created}&created[lt]=${created + 1}`, [1], false],
    [`created[gt]=${created - 1}&created[gte]=0&created[lte]=${created}&created[lt]=${created + 9}`, [1], false],
    [`created%5Bgt%5D=${created}`, [0], false],
    [`created[gte]=${created}&starting_after=${held}`, [1], false],
    [`created[lte]=${created}&ending_before=${unpaid}`, [1], false],
    ['created[lt]=0', [], false],
    ['created[gt]=99999999999', [], false],
  ] as const)('%s', async (query, expected, has_more) => {
    const body = await list(query)
    expect(idsOf(body)).toEqual(expected.map((at) => all[at]))
    expect(body.has_more).toBe(has_more)
  })

  test.each(['expand[]=latest_charge', 'expand[0]=latest_charge', 'expand[0]=latest_charge&expand[1]=latest_charge'])(
    'with the charge in place of its id: %s',
    async (query) => {
      for (const id of all) {
        const plain = (await compatible.read(id)).body
        const charge = plain.latest_charge && (await get(`/v1/charges/${plain.latest_charge}`)).body
        expect((await get(`/v1/payment_intents/${id}?${query}`)).body).toEqual({ ...plain, latest_charge: charge })
      }
    },
  )

  test('with the charge in each of a list', async () => {
    const { data } = await list('expand[]=data.latest_charge')
    expect(data.map(({ latest_charge }: Json) => latest_charge?.payment_intent ?? null)).toEqual([held, paid, null])
  })

  const elsewhere = 'cs_000000000000000000000000'
  test.each([
    ['limit=0', '400 invalid_request_error parameter_invalid_integer limit invalid_request'],
    ['limit=101', '400 invalid_request_error parameter_invalid_integer limit invalid_request'],
    ['limit=1&limit=2', '400 invalid_request_error parameter_invalid_integer limit invalid_request'],
    ['limit=', '400 invalid_request_error parameter_invalid_empty limit invalid_request'],
    ['starting_after=', '400 invalid_request_error parameter_invalid_empty starting_after invalid_request'],
    [`starting_after=${elsewhere}`, '400 invalid_request_error resource_missing starting_after invalid_request'],
    [`ending_before=${elsewhere}`, '400 invalid_request_error resource_missing ending_before invalid_request'],
    ['ending_before=%00', '400 invalid_request_error invalid_request ending_before invalid_request'],
    [
      `starting_after=${paid}&ending_before=${paid}`,
      '400 invalid_request_error invalid_request ending_before invalid_request',
    ],
    ['created=tomorrow', '400 invalid_request_error invalid_request created invalid_request'],
    ['created[gt]=', '400 invalid_request_error parameter_invalid_empty created[gt] invalid_request'],
    ['created[at]=5', '400 invalid_request_error parameter_unknown created[at] invalid_request'],
    ['created[gt][lt]=5', '400 invalid_request_error parameter_unknown created[gt][lt] invalid_request'],
    ['created=5&created[gt]=5', '400 invalid_request_error parameter_unknown created[gt] invalid_request'],
    ['expand[]=data.customer', '400 invalid_request_error parameter_unknown expand invalid_request'],
    ['expand[]=latest_charge', '400 invalid_request_error parameter_unknown expand invalid_request'],
    ['expand=data.latest_charge', '400 invalid_request_error parameter_unknown expand invalid_request'],
    ['customer=cus_1', '400 invalid_request_error parameter_unknown customer invalid_request'],
    ['__proto__[x]=1', '400 invalid_request_error parameter_unknown __proto__ invalid_request'],
    ['offset=1', '400 invalid_request_error parameter_unknown offset invalid_request'],
  ])('refuses %s', async (query, expected) => {
    expect(fault(await get(`/v1/payment_intents?${query}`))).toBe(expected)
  })

  test('a session of another account is no edge', async () => {
    const other = await service.newAccount()
    const { body } = await openCompatible(other.client, other).create(tea)
    expect(fault(await get(`/v1/payment_intents?starting_after=${body.id}`))).toContain('resource_missing')
  })
})

describe('a look that ends before the rows do', () => {
  test('with none found it says where to go on, since an empty page would be the end', async () => {
    const quiet = await service.newAccount()
    const { bearer, create } = openCompatible(quiet.client, quiet)
    const ask = (query: string) => quiet.client.send('GET', `/v1/payment_intents?${query}`, { headers: bearer })
    const oldest = (await create(tea)).body
    await clock.advance(1000)
    const from = clock.now().getTime()
    await service.sql`
      insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
      select ${quiet.merchant_id}, lpad(to_hex(${from}::bigint + n), 12, '0') || '000000000000', 'x', 'key.created', '{}',
        'operator', ${new Date(from)}
      from generate_series(1, 3000) n`
    await clock.advance(4000)
    const newest = (await create(tea)).body
    const first = (await ask('limit=2')).body
    expect([idsOf(first), first.has_more]).toEqual([[newest.id], true])
    for (const [query, end] of [
      [`starting_after=${newest.id}`, oldest],
      [`ending_before=${oldest.id}`, newest],
    ] as const) {
      const refusal = await ask(query)
      expect(fault(refusal)).toBe('400 invalid_request_error invalid_request created invalid_request')
      const [, bound] = /go on with (\S+)\.$/.exec(refusal.body.error.message) ?? []
      expect(idsOf((await ask(`${query}&${bound}`)).body)).toEqual([end.id])
    }
  })
})
