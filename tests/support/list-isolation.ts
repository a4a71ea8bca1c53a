// What the lists of payments, sessions and events take that is a merchant's own, for the test that keeps merchants apart.

import type { Client } from './client.ts'

const cursorNames = {
  '/v1/payments': 'payment_cursor',
  '/v1/checkout/sessions': 'session_cursor',
  '/v1/events': 'event_cursor',
  '/v1/payment_links': 'link_cursor',
  '/v1/payouts': 'payout_cursor',
} as const
const paths = Object.keys(cursorNames) as (keyof typeof cursorNames)[]

export type ListHoldings = Record<(typeof cursorNames)[keyof typeof cursorNames], string> & {
  email: string
  order: string
}

type Asked = { path: string; headers: Record<string, string> }
type ListRow = [route: string, what: string, request: (named: ListHoldings & { payment: string }) => Asked]

/** The cursors of a merchant who has two rows of each list at least. */
export async function listHoldingsOf(
  client: Client,
  own: Pick<ListHoldings, 'email' | 'order'>,
): Promise<ListHoldings> {
  const cursors = paths.map(async (path) => {
    const { body } = await client.send('GET', `${path}?limit=1`, { headers: client.withKey })
    return [cursorNames[path], body.next_cursor as string] as const
  })
  return { ...(Object.fromEntries(await Promise.all(cursors)) as ListHoldings), ...own }
}

/** The same shapes, which nobody has. */
export function nobodysLists(holdings: ListHoldings): ListHoldings {
  const cursors = paths.map((path) => {
    const name = cursorNames[path]
    return [name, holdings[name].replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))]
  })
  const own = { email: 'of-nobody@example.com', order: 'order-of-nobody' }
  return { ...(Object.fromEntries(cursors) as ListHoldings), ...own }
}

export function listRows(headers: () => Record<string, string>): ListRow[] {
  const ask = (path: string, query: string) => ({ path: `${path}?${query}`, headers: headers() })
  return [
    ...paths.map(
      (path): ListRow => [`GET ${path}`, 'cursor', (named) => ask(path, `limit=1&after=${named[cursorNames[path]]}`)],
    ),
    ...['', '&type=payment.captured'].map(
      (more): ListRow => [
        'GET /v1/events',
        `payment${more}`,
        ({ payment }) => ask('/v1/events', `payment_id=${payment}${more}`),
      ],
    ),
    ['GET /v1/disputes', 'payment', ({ payment }) => ask('/v1/disputes', `payment_id=${payment}`)],
    [
      'GET /v1/payments',
      'email and order',
      ({ email, order }) => ask('/v1/payments', `customer_email=${email}&order_reference=${order}`),
    ],
    ['GET /v1/checkout/sessions', 'order', ({ order }) => ask('/v1/checkout/sessions', `order_reference=${order}`)],
  ]
}
