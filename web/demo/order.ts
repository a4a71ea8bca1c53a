// The order at the shop's own server, which alone knows the prices and the secret key.

import type { BasketLine } from './basket.ts'
import type { Order } from './kept.ts'

/** Throws an Error whose message can be shown. */
export async function placeOrder(base_url: string, lines: BasketLine[]): Promise<Order> {
  const items = lines.map(({ good, quantity }) => ({ sku: good.sku, quantity }))
  const answer = await fetch(`${base_url}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
  }).catch(() => null)
  if (!answer) throw new Error('The shop could not be reached. Check your network and try again.')
  const body: (Order & { message?: string }) | null = await answer.json().catch(() => null)
  if (answer.ok && body) return body
  const request_id = answer.headers.get('rip-request-id')
  throw new Error(
    [
      body?.message ?? 'The shop could not take the order. Try again in a moment.',
      request_id && `Request id: ${request_id}`,
    ]
      .filter(Boolean)
      .join(' '),
  )
}
