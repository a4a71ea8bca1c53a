// Checkout Sessions of the compatible platform, as a shop's server and a shopper's page have to do with them.

import { openCheckout } from '../../src/payments/checkout-sessions/open-checkout.ts'
import { clientSecretOf } from '../../src/payments/sessions/client-secret.ts'
import type { Answer, Json } from './client.ts'
import type { Account, Service } from './service.ts'

export const checkouts = '/v1/checkout/sessions'

export const cup = { price_data: { currency: 'gbp', unit_amount: 2100, product_data: { name: 'Cup' } }, quantity: 2 }

export const order = {
  mode: 'payment',
  line_items: [cup],
  success_url: 'http://localhost:4242/done?session_id={CHECKOUT_SESSION_ID}',
  customer_email: 'ada@example.com',
}

export function openCheckouts(service: Service, account: Account) {
  const { client, merchant_id } = account
  const bearer = { authorization: `Bearer ${account.secret_key}` }
  const post = (path: string, body: unknown, headers: object = {}): Promise<Answer> =>
    client.send('POST', path, { body, headers: { ...bearer, ...headers } })
  const get = (path: string): Promise<Answer> => client.send('GET', path, { headers: bearer })
  return {
    bearer,
    post,
    get,
    create: (more: object = {}, headers?: object) => post(checkouts, { ...order, ...more }, headers),
    read: async (id: string): Promise<Json> => (await get(`${checkouts}/${id}`)).body,
    expire: (id: string, headers?: object) => post(`${checkouts}/${id}/expire`, {}, headers),
    /** The session to pay by, as the page gets it; null where there is none. */
    async open(checkout_session_id: string) {
      const opened = await openCheckout(service.context, { merchant_id, checkout_session_id }, 'req_1')
      const id = opened?.session_id ?? null
      return id && { id, client_secret: clientSecretOf(service.context.keyring, id) }
    },
  }
}
