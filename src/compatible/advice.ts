// What a caller should do instead of using a path or method that only the other platform has.

import { type Address, behindAddress, checkoutAddresses, intentAddresses, refundAddresses } from './addresses.ts'

const served_routes =
  'Of this platform Ripper serves only: /v1/checkout/sessions (create, read, list, line_items, expire), /v1/payment_intents (create, read, list, capture, cancel), /v1/refunds (create, read, list), /v1/charges, /v1/prices, /v1/products and /v1/events (read, list), and /v1/webhook_endpoints (create, read, update, list, delete). Ripper’s own routes take the key as X-Service-Api-Key.'

/** The path segments that may follow the id of a payment intent. */
const verbs = new Map<string, string>(
  Object.entries({
    confirm:
      'The checkout in the shopper’s browser confirms the payment: hand it the client_secret, and wait for the webhook.',
  }),
)

/** Advises on any method and path. */
export function adviseOn(method: string, path: string): string {
  const rest = behindAddress(path, intentAddresses)
  if (rest !== null) return adviseOnIntents(method, rest)
  if (/^\/v1(\/.*)?\/customers(\/|$)/.test(path))
    return `There are no stored customers: send the shopper’s email as customer_email or receipt_email. ${served_routes}`
  if (hasIdBehind(path, refundAddresses)) return 'A refund can be neither changed nor cancelled.'
  if (hasIdBehind(path, checkoutAddresses) && method === 'POST')
    return 'A Checkout Session cannot be changed: make a new one, and expire the old one (POST /v1/checkout/sessions/{id}/expire).'
  return served_routes
}

function adviseOnIntents(method: string, rest: string): string {
  if (rest === '/search')
    return 'Payment intents are not searched: list them by GET /v1/payment_intents, or keep the id of each.'
  if (rest === '' || rest === '/') return served_routes
  const [, , verb] = rest.split('/')
  if (verb) return verbs.get(verb) ?? served_routes
  return method === 'POST'
    ? 'A payment intent cannot be changed: make a new one, and cancel the old one (POST /v1/payment_intents/{id}/cancel).'
    : served_routes
}

function hasIdBehind(path: string, addresses: readonly Address[]): boolean {
  const rest = behindAddress(path, addresses)
  return rest !== null && rest !== '' && rest !== '/'
}
