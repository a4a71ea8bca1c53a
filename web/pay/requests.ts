// The page's requests to the service: to create a session for a purchase, and to read a session's state.

import type { ConfirmResult } from '../checkout/api.ts'
import { abortAfter } from '../shared/abort-after.ts'
import type { Context, LinkStatus } from './context.ts'
import type { Purchase } from './link.ts'
import type { Item } from './totals.ts'

export type Answer<Body> = { ok: true; body: Body } | { ok: false; refusal: ApiRefusal }

/** `code` is the API's, or `network_error` if no answer came. */
export type ApiRefusal = { code: string; message: string | null; request_id: string | null }

/** Amounts in minor units. */
export type Created = { id: string; client_secret: string; amount: number; currency: string }

export type State = {
  session: {
    id: string
    status: 'requires_payment' | 'processing' | 'succeeded' | 'declined' | 'expired'
    amount: number
    currency: string
    items: Item[] | null
    order_reference: string | null
  }
  /** The decline of the newest attempt; null if it has none yet. */
  result: Pick<ConfirmResult, 'status'> | null
}

/** After no answer the page sends the same key again, and gets the session that the first request created. */
export function createSession(
  { base_url, handle }: Context,
  { purchase, idempotency_key }: { purchase: Purchase; idempotency_key: string },
): Promise<Answer<Created>> {
  return ask(`${base_url}/v1/checkout/handles/${encodeURIComponent(handle)}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'rip-idempotency-key': idempotency_key },
    body: JSON.stringify(bodyOf(purchase)),
  })
}

export function readState({ base_url }: Context, client_secret: string): Promise<Answer<State>> {
  const [session_id] = client_secret.split('_secret_')
  return ask(`${base_url}/v1/checkout/sessions/${session_id}/state`, {
    headers: { 'rip-client-secret': client_secret },
  })
}

/** What became of a Checkout Session; `client_secret` is of the session to pay by, while it is open. */
export type OpenedCheckout = {
  status: 'open' | 'complete' | 'expired'
  client_secret: string | null
  cancel_url: string | null
  success_url: string | null
}

/** Asked again, it gives the same session, as long as that can be paid. */
export function openCheckout(path: string, token: string): Promise<Answer<OpenedCheckout>> {
  return ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
}

/** A session to pay by; without one where the link is over. */
export function openLink(path: string): Promise<Answer<{ status: LinkStatus; client_secret: string | null }>> {
  return ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
}

/** Sends only what the link says, because the service knows the prices. */
export function bodyOf({ amount, currency, items, email, order_reference }: Purchase): object {
  return {
    ...(amount !== null && { amount }),
    ...(currency !== null && { currency }),
    ...(items !== null && { items }),
    ...(email !== null && { customer: { email } }),
    ...(order_reference !== null && { order_reference }),
  }
}

/** Does not use crypto.randomUUID, because pages on plain http lack it. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `page_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const timeout_ms = 20_000

async function ask<Body>(url: string, init: RequestInit): Promise<Answer<Body>> {
  let answer: Response
  let body: unknown
  try {
    const signal = abortAfter(timeout_ms)
    answer = await fetch(url, { ...init, signal, credentials: 'omit', cache: 'no-store' })
    // A gateway answers in plain text.
    body = JSON.parse((await answer.text()) || 'null')
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      return { ok: false, refusal: { code: 'network_error', message: null, request_id: null } }
    }
  }
  if (answer!.ok && body) return { ok: true, body: body as Body }
  return { ok: false, refusal: refusalOf(answer!, body) }
}

function refusalOf(answer: Response, body: unknown): ApiRefusal {
  const { error, message, request_id } = (body ?? {}) as Record<string, unknown>
  return {
    code: answer.status === 429 ? 'rate_limit_exceeded' : (text(error) ?? codeOf(answer)),
    message: text(message),
    request_id: text(request_id) ?? answer.headers.get('rip-request-id'),
  }
}

/** The page itself answers without a code. */
function codeOf({ status }: Response): string {
  return status === 404 ? 'resource_not_found' : 'internal_error'
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
