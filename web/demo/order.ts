// Creates the order at the shop's own server. Only that server has the prices and the secret key.

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

/** Whether nothing was taken for the order and nothing is about to be. False if the state cannot be read. */
export async function isUnpaid(base_url: string, { client_secret }: Order): Promise<boolean> {
  const [session_id] = client_secret.split('_secret_')
  const answer = await fetch(`${base_url}/v1/checkout/sessions/${session_id}/state`, {
    headers: { 'rip-client-secret': client_secret },
    cache: 'no-store',
  }).catch(() => null)
  if (answer?.status === 401) return true
  const body: { session?: { status: string } } | null = await answer?.json().catch(() => null)
  return /requires_payment|declined|expired/.test(body?.session?.status ?? '')
}
