// What the service's answer to a card means for the shopper.

import type { ApiFault, Fault, Field } from '../shared/protocol.ts'

export type CreatedReference = {
  card_reference: string
  brand: string
  last4: string
  /** Our page that nests the bank's 3-D Secure method. */
  method_url: string | null
}

export type Answer =
  | ({ kind: 'made' } & CreatedReference)
  /** A field that the shopper must correct. */
  | { kind: 'refused'; fault: Fault }
  /** `quiet_s`: for how long the service wants no request. */
  | { kind: 'error'; error: ApiFault; quiet_s: number | null }
  /** No answer, or one that another try may improve. */
  | { kind: 'unreachable'; request_id: string | null }

export type Response = { status: number; retry_after: string | null; body: unknown }

export function readAnswer(response: Response, mode: 'test' | 'live'): Answer {
  const { status } = response
  const body = objectOf(response.body)
  const request_id = textOf(body.request_id)
  const made = status === 201 ? madeOf(body) : null
  if (made) return { kind: 'made', ...made }
  const code = textOf(body.error) ?? (status === 429 ? 'rate_limit_exceeded' : null)
  if (status < 400 || status >= 500 || code === null) return { kind: 'unreachable', request_id }
  const message = textOf(body.message)
  const fault = status === 400 ? faultOf(message, mode) : null
  if (fault) return { kind: 'refused', fault }
  const quiet_s = status === 429 ? Number(response.retry_after) || 60 : null
  return { kind: 'error', error: { code, message, request_id }, quiet_s }
}

function madeOf(body: Record<string, unknown>): CreatedReference | null {
  const card_reference = textOf(body.card_reference)
  const brand = textOf(body.brand)
  const last4 = textOf(body.last4)
  if (card_reference === null || brand === null || last4 === null) return null
  return { card_reference, brand, last4, method_url: textOf(objectOf(body.three_ds_method).url) }
}

// A refusal names its field first: `number: This is not a valid card number.`
function faultOf(message: string | null, mode: 'test' | 'live'): Fault | null {
  const [, named] = /^(number|exp_month|exp_year|cvc|cardholder_name)\b/.exec(message ?? '') ?? []
  const faults: Record<string, [Field, Fault['code']]> = {
    number: ['number', mode === 'test' ? 'not_a_test_card' : 'card_refused'],
    // Other faults of a date are found before it is sent.
    exp_month: ['expiry', 'expiry_past'],
    exp_year: ['expiry', 'expiry_past'],
    cvc: ['code', 'code_incomplete'],
    cardholder_name: ['name', 'name_is_number'],
  }
  const found = named === undefined ? undefined : faults[named]
  return found ? { field: found[0], code: found[1] } : null
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
