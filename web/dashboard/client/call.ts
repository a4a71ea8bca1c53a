// One request to the dashboard's own routes, typed by their records. Nothing of the server reaches the bundle.

import { takeActivity } from './activity.ts'
import { Refused, refusedBy, unreachable } from './refused.ts'
import type { Params, ReplyOf, RouteName, Routes } from './routes.ts'
import { askForProof, lockStore, standingStore, unlocked } from './standing.ts'

/** The parts of a request: the path's parameters by their names, the query, the body. */
export type Sent<Name extends RouteName> = Params<Name> & {
  query?: Routes[Name] extends { query: infer Query } ? Query : never
} & (Routes[Name] extends { body: infer Body } ? { body: Body } : { body?: never })

export type CallOptions = {
  /** Made once for one intent: the same request sent twice with one key acts once. */
  idempotency_key?: string
  signal?: AbortSignal
}

export const api_path = '/dashboard/api'

/**
 * Sends it. Where the service asks for proof or the session is locked, the person is asked, and then the same request
 * is sent again with the same key. Throws Refused.
 */
export async function call<Name extends RouteName>(
  name: Name,
  sent: Sent<Name>,
  options: CallOptions = {},
): Promise<ReplyOf<Name>> {
  return untilMended(() => send(name, sent, options))
}

/** A file of one of our routes, with the name that the service gives it. Throws Refused. */
export async function callFile(address: string): Promise<{ blob: Blob; name: string }> {
  return untilMended(async () => {
    const headers = takeActivity() ? { 'rip-active': '1' } : undefined
    const response = await ask(address, { ...(headers && { headers }) })
    const disposition = response.headers.get('content-disposition') ?? ''
    const [, name = 'export.csv'] = /filename="([^"]+)"/.exec(disposition) ?? []
    return { blob: await response.blob(), name }
  })
}

async function untilMended<Reply>(act: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Refused) || !(await isMended(error))) throw error
    }
  }
}

/** Whether the person did what the refusal asked for, so that the request can be sent again. */
async function isMended(refused: Refused): Promise<boolean> {
  if (refused.code === 'proof_required') {
    return askForProof(acceptedBy(refused))
  }
  if (refused.code === 'session_locked') {
    lockStore.write(acceptedBy(refused))
    standingStore.write('locked')
    await unlocked()
    return standingStore.read() === 'signed_in'
  }
  if (refused.code === 'sign_in_required') standingStore.write('signed_out')
  return false
}

function acceptedBy({ members }: Refused): string[] {
  const { accepted } = members
  return Array.isArray(accepted) && accepted.length > 0 ? accepted : ['passkey', 'one_time_code']
}

/** The same without asking the person for anything: for the requests that sign in, prove and unlock. */
export async function send<Name extends RouteName>(
  name: Name,
  sent: Sent<Name>,
  { idempotency_key, signal }: CallOptions = {},
): Promise<ReplyOf<Name>> {
  const { method, address } = addressOf(name, sent)
  const body = method === 'GET' ? undefined : JSON.stringify(sent.body ?? {})
  const response = await ask(address, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotency_key && { 'rip-idempotency-key': idempotency_key }),
      ...(takeActivity() && { 'rip-active': '1' }),
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  })
  const text = await response.text().catch(lost(signal))
  return (text === '' ? null : JSON.parse(text)) as ReplyOf<Name>
}

async function ask(address: string, request: RequestInit): Promise<Response> {
  const options = { cache: 'no-store', credentials: 'same-origin', ...request } as const
  const response = await fetch(address, options).catch(lost(request.signal))
  if (!response.ok) throw await refusedBy(response)
  return response
}

/** A request that the page itself broke off is no lost answer. */
function lost(signal: AbortSignal | null | undefined): (error: unknown) => never {
  return (error) => {
    throw signal?.aborted ? error : unreachable()
  }
}

/** Where a route is, with its parameters and its query filled in. */
export function addressOf<Name extends RouteName>(name: Name, sent: Sent<Name>): { method: string; address: string } {
  const [method, path] = name.split(' ') as [string, string]
  const params = sent as Record<string, unknown>
  const filled = path.replace(/\{(\w+)\}/g, (_, param) => encodeURIComponent(String(params[param])))
  const query = new URLSearchParams()
  for (const [member, value] of Object.entries((sent.query ?? {}) as Record<string, unknown>)) {
    if (value !== null && value !== undefined && value !== '') query.set(member, String(value))
  }
  return { method, address: `${api_path}${filled}${query.size > 0 ? `?${query}` : ''}` }
}

/** A key for one intent. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID()
}
