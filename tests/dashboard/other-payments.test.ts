// The other payments of an order or session that took money or may yet, as one payment and the list of holds name them.

import { expect, test } from 'vitest'
import { type Json, purchase, visa } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { newMember } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { account, client } = service
const at = `/${account.merchant_id}`
const owner = await newMember(service, { role: 'owner' })

const funds = '4000000000009995'
const pay = async (order: object, number = visa): Promise<string> =>
  (await client.pay(number, { ...purchase, ...order })).body.payment_id
const holdOf = async (order: object): Promise<string> => (await hold(account, visa, order)).payment_id
const refund = async (order: object, amount: number): Promise<string> => {
  const payment_id = await pay(order)
  await client.refund(payment_id, { amount })
  return payment_id
}
const kinds = {
  captured: pay,
  declined: (order: object) => pay(order, funds),
  held: holdOf,
  voided: async (order: object) => {
    const payment_id = await holdOf(order)
    await client.decideHold('void', payment_id)
    return payment_id
  },
  refunded: (order: object) => refund(order, 4200),
  partlyRefunded: (order: object) => refund(order, 4199),
}

const othersOf = async (payment_id: string): Promise<Json> =>
  (await owner.get(`${at}/payments/${payment_id}`)).body.other_payments

const rows: [keyof typeof kinds, keyof typeof kinds, string | null][] = [
  ['held', 'captured', 'captured'],
  ['captured', 'held', 'held'],
  ['held', 'held', 'held'],
  ['captured', 'captured', 'captured'],
  ['declined', 'captured', 'captured'],
  ['captured', 'declined', null],
  ['captured', 'voided', null],
  ['voided', 'captured', 'captured'],
  ['declined', 'refunded', null],
  ['declined', 'partlyRefunded', 'captured'],
]

test.each(rows)(
  'a %s payment, and one of its order that is %s, whichever came first',
  async (kind, other_kind, status) => {
    for (const is_first of [true, false]) {
      const order = { order_reference: `${kind} ${other_kind} ${is_first}` }
      const before = is_first ? await kinds[kind](order) : null
      const other = await kinds[other_kind](order)
      const payment_id = before ?? (await kinds[kind](order))
      await kinds.captured({ order_reference: 'another' })
      expect(await othersOf(payment_id)).toEqual(status === null ? [] : [{ payment_id: other, status }])
    }
  },
)

test('without an order the payments of its session are named, and no other', async () => {
  const session = await client.open()
  const payWith = async (number: string) => {
    await client.present(session, number)
    return (await client.confirm(session)).body.payment_id as string
  }
  const [declined, captured] = [await payWith(funds), await payWith(visa)]
  await client.pay()
  expect(await othersOf(declined)).toEqual([{ payment_id: captured, status: 'captured' }])
  expect(await othersOf(captured)).toEqual([])
})

test('a hold in the list names the captured payment of its order', async () => {
  const order = { order_reference: 'listed' }
  const payment_id = await kinds.held(order)
  const alone = await kinds.held({ order_reference: 'alone' })
  const other = await kinds.captured(order)
  const { data } = (await owner.get(`${at}/holds?mode=test`)).body
  const namedBy = (id: string) => data.find((each: Json) => each.payment_id === id).other_payments
  expect(namedBy(payment_id)).toEqual([{ payment_id: other, status: 'captured' }])
  expect(namedBy(alone)).toEqual([])
})
