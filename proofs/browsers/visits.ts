// What is tried in each browser: a person's way through the dashboard, and a shopper's through the hosted page.

import { button, enter, field, link, within, words } from './find.ts'
import type { Visitor } from './visitor.ts'

export type Shop = {
  /** The first owner's link. */
  owner_link: string
  dashboard_url: string
  /** The hosted page of the demo merchant. */
  pay_url: string
}

export type Visit = { name: string; run(visitor: Visitor, shop: Shop): Promise<void> }

const email = 'jo@shop.example'
const password = 'a teapot of 1842'
const bank = 'Confirm your payment with your bank'
const cards = {
  approved: '4000009100020000',
  asks: '4000009100050072',
  declined: '4000009105150000',
}

export const visits: Visit[] = [
  {
    name: 'become the owner by a password, sign out, sign in',
    async run(visitor, { owner_link, dashboard_url }) {
      // The link says the email.
      await visitor.open(owner_link)
      await visitor.type(field('Name'), 'Jo Marsh')
      await visitor.click(button('Use a password instead'))
      await visitor.type(field('Password'), password)
      await visitor.click(button('Create account'))
      await visitor.click(button('I have kept them'))
      await visitor.see(words('First steps'))
      await visitor.click(button('Jo Marsh'))
      await visitor.click(button('Sign out'))
      await visitor.open(dashboard_url)
      await visitor.type(field('Email'), email)
      await visitor.click(button('Use a password'))
      await visitor.type(field('Password'), password)
      await visitor.click(button('Sign in'))
      await visitor.see(link('Payments'))
    },
  },
  {
    name: 'make a test payment, and find it by its email',
    async run(visitor, { dashboard_url }) {
      await visitor.open(dashboard_url)
      await visitor.click(button('Make a test payment'))
      await visitor.see(words('shopper@example.com paid £42.00.'))
      await visitor.click(link('Payments'))
      await visitor.type(field('Search payments'), `shopper@example.com${enter}`)
      await visitor.see(button('Drop the filter Email'))
      await visitor.see(words('Captured'))
    },
  },
  {
    name: 'capture a hold',
    async run(visitor, { dashboard_url }) {
      await visitor.open(dashboard_url)
      await visitor.click(button('Another outcome'))
      await visitor.click(button('One that is held'))
      await visitor.see(words('It is held until you decide.'))
      await visitor.click(link('Holds'))
      await visitor.click(button('Capture'))
      await visitor.click(button('Capture £42.00'))
      await visitor.see(words('Nothing is held.'))
    },
  },
  {
    name: 'pay on the hosted page',
    async run(visitor, shop) {
      await payWith(visitor, shop, cards.approved)
      await visitor.see(words('Payment complete'))
    },
  },
  {
    name: 'pay by a card whose bank asks for a code',
    async run(visitor, shop) {
      await payWith(visitor, shop, cards.asks)
      await visitor.type(within([bank, bank], field('One-time code')), '1234')
      await visitor.click(within([bank, bank], button('Submit')))
      await visitor.see(words('Payment complete'))
    },
  },
  {
    name: 'be declined, and pay with another card',
    async run(visitor, shop) {
      await payWith(visitor, shop, cards.declined)
      await visitor.see(words('There is not enough money on this card.'))
      await typeCard(visitor, cards.approved)
      await visitor.click(button('Pay £'))
      await visitor.see(words('Payment complete'))
    },
  },
]

let orders = 0

async function payWith(visitor: Visitor, { pay_url }: Shop, number: string): Promise<void> {
  orders += 1
  await visitor.open(`${pay_url}?sku=pot&order_reference=browser-${orders}`)
  await visitor.type(field('Email'), 'ada@example.com')
  await typeCard(visitor, number)
  await visitor.click(button('Pay £'))
}

async function typeCard(visitor: Visitor, number: string): Promise<void> {
  const details = (name: string) => within(['Card details'], field(name))
  await visitor.type(details('Card number'), number)
  await visitor.type(details('Expiry date'), '1239')
  await visitor.type(details('Security code'), '123')
}
