// Lists, through the pages as each library turns them.

import type { Json } from '../driver.ts'
import { expectFit, type Scenario } from '../play.ts'
import { intentPaid, purchase } from './purchase.ts'

/** Longer than one page, with pages of 10. */
const many = 23

export const lists: Scenario[] = [
  {
    name: 'intents are listed, page after page',
    async act({ gives }) {
      const made: string[] = []
      for (let count = 0; count < many; count += 1) {
        const { id } = await gives('payment_intents.create', { params: { ...purchase, amount: 100 + count } }, {})
        made.push(id)
      }
      const all = await gives('payment_intents.list', { params: { limit: 10 } }, { length: many })
      expectFit('their order', all.map(idOf), made.toReversed())
      const rest = await gives('payment_intents.list', { params: { limit: 10, starting_after: made[15] } }, {})
      expectFit('those after one', rest.map(idOf), made.slice(0, 15).toReversed())
      const now = Math.floor(Date.now() / 1000)
      const since = (gte: number) => ({ params: { created: { gte } } })
      await gives('payment_intents.list', since(now - 3_600), { length: many })
      await gives('payment_intents.list', since(now + 3_600), { length: 0 })
    },
  },
  {
    name: 'refunds and charges are listed, page after page',
    async act(part) {
      const { gives } = part
      const [first, second] = [await intentPaid(part), await intentPaid(part)]
      const made: string[] = []
      for (const payment_intent of [first, first, first, second]) {
        const { id } = await gives('refunds.create', { params: { payment_intent, amount: 100 } }, {})
        made.push(id)
      }
      const all = await gives(
        'refunds.list',
        { params: { limit: 3 } },
        Array(4).fill({ object: 'refund', amount: 100 }),
      )
      expectFit('their order', all.map(idOf), made.toReversed())
      const ofSecond = { payment_intent: second }
      await gives('refunds.list', { params: ofSecond }, [ofSecond])
      const of = { payment_intent: first, limit: 2 }
      await gives('refunds.list', { params: of }, Array(3).fill({ object: 'refund', payment_intent: first }))
      await gives('charges.list', { params: { limit: 1 } }, [
        { object: 'charge', payment_intent: second, amount_refunded: 100 },
        { object: 'charge', payment_intent: first, amount_refunded: 300 },
      ])
      await gives('charges.list', { params: { payment_intent: first } }, [{ payment_intent: first }])
    },
  },
  {
    name: 'charges of a list are expanded',
    async act({ shop, gives }) {
      await intentPaid({ shop, gives })
      const step = { params: { expand: ['data.latest_charge'] } }
      await gives('payment_intents.list', step, [{ latest_charge: { object: 'charge', paid: true } }])
    },
  },
]

const idOf = ({ id }: Json) => id
