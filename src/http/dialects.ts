// How a refusal looks on the wire. A Refusal knows no shape; each family of routes has one, written here.

import type { Refusal } from '../errors.ts'

/** Checkout and payment routes, the compatible routes, and the four parts of the webhook family. */
export type Dialect =
  | 'checkout'
  | 'compatible'
  | 'webhook_endpoint'
  | 'webhook_guard'
  | 'webhook_key'
  | 'webhook_replay'

export type RefusalLike = Pick<Refusal, 'status' | 'message' | 'field' | 'members'> & {
  code: string
}

/** The body of a refusal. An internal_error carries no message: nothing of the inside is shown. */
export function renderRefusal(dialect: Dialect, refusal: RefusalLike, requestId: string): object {
  const message = refusal.code === 'internal_error' ? null : refusal.message
  switch (dialect) {
    case 'checkout':
      return { error: refusal.code, message, request_id: requestId, ...refusal.members }
    case 'compatible':
      return { error: compatibleError(refusal, message) }
    case 'webhook_endpoint':
      return { error: refusal.code, message, allowed: refusal.members.allowed ?? null }
    case 'webhook_guard':
      return { error: refusal.code, message }
    case 'webhook_key':
      return { code: refusal.code }
    case 'webhook_replay':
      return { error: refusal.code }
  }
}

function compatibleError(refusal: RefusalLike, message: string | null): object {
  return {
    type: compatibleType(refusal.status),
    code: platformCodes[refusal.code] ?? refusal.code,
    message,
    ...(refusal.field === null ? {} : { param: refusal.field }),
    ripper_code: refusal.code,
  }
}

// The codes that the compatible platform spells its own way.
const platformCodes: Record<string, string> = {
  resource_not_found: 'resource_missing',
  rate_limit_exceeded: 'rate_limit',
}

function compatibleType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  return status === 429 || status >= 500 ? 'api_error' : 'invalid_request_error'
}
