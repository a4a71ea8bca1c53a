// What a caller should do instead of using a path or method that only the other platform has.

import { behindAddress, intentAddresses, refundAddresses } from './addresses.ts'

const served_routes =
  'Of this platform Ripper serves only: Checkout Sessions (create, read, list and expire them below /v1/checkout/sessions); create a payment intent (POST /v1/payment_intents), read one (GET /v1/payment_intents/{id}), list them (GET /v1/payment_intents), capture and cancel one (POST /v1/payment_intents/{id}/capture, …/cancel); refund one (POST /v1/refunds) and read a refund (GET /v1/refunds/{id}); read a charge (GET /v1/charges/{id}); list and read events (GET /v1/events[/{id}]); create, read, change, list and delete webhook endpoints (/v1/webhook_endpoints[/{id}]). Ripper’s own routes take the key as X-Service-Api-Key.'

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
  if (rest === null) return adviseOnRefunds(path)
  if (rest === '/search')
    return 'Payment intents are not searched: list them by GET /v1/payment_intents, or keep the id of each.'
  if (rest === '' || rest === '/') return served_routes
  const [, , verb] = rest.split('/')
  if (verb) return verbs.get(verb) ?? served_routes
  return method === 'POST'
    ? 'A payment intent cannot be changed: make a new one, and cancel the old one (POST /v1/payment_intents/{id}/cancel).'
    : served_routes
}

function adviseOnRefunds(path: string): string {
  const rest = behindAddress(path, refundAddresses)
  if (rest === null) return served_routes
  if (rest === '' || rest === '/') {
    return 'The refunds of a payment are listed by GET /v1/payments/{payment_id}/refunds, with X-Service-Api-Key.'
  }
  return 'A refund can be neither changed nor cancelled.'
}
