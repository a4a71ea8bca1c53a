// A client of the compatible routes, in either encoding and at any of their addresses.

import type { Answer, Client, Target } from './client.ts'

export const described = '/v1/compat/partner/payment_intents'
export const addresses = [
  described,
  '/v1/payment_intents',
  '/v1/compat/stripe/payment_intents',
  '/v1/compat/partner/v1/payment_intents',
  '/v1/compat/stripe/v1/payment_intents',
]

export const formType = { 'content-type': 'application/x-www-form-urlencoded' }

/** A form's text: `{ 'metadata[a]': 'b' }` as `metadata%5Ba%5D=b`. */
export function formOf(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString()
}

export const tea = { amount: 4200, currency: 'gbp', receipt_email: 'ada@example.com' }

type More = { headers?: Record<string, string>; at?: string }

export function openCompatible(client: Pick<Client, 'send'>, { secret_key }: Pick<Target, 'secret_key'>) {
  const bearer = { authorization: `Bearer ${secret_key}` }
  const post = (sent: { body?: unknown; raw?: string | Buffer<ArrayBuffer> }, more: More = {}) =>
    client.send('POST', more.at ?? described, { headers: { ...bearer, ...more.headers }, ...sent })
  return {
    bearer,
    /** As JSON. */
    create: (body: unknown = tea, more?: More): Promise<Answer> => post({ body }, more),
    /** As a form, whose text this is. */
    createForm: (raw: string | Buffer<ArrayBuffer>, more: More = {}): Promise<Answer> =>
      post({ raw }, { ...more, headers: { ...formType, ...more.headers } }),
    read: (id: string, { at = described, headers = {} }: More = {}): Promise<Answer> =>
      client.send('GET', `${at}/${id}`, { headers: { ...bearer, ...formType, ...headers } }),
  }
}

/** A refusal as a row names it: status, type, code, parameter and the API's code. */
export function fault({ status, body }: Answer): string {
  const { type, code, param, ripper_code } = body.error
  return [status, type, code, param ?? '-', ripper_code].join(' ')
}
