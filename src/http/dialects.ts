// How a refusal looks on the wire. A Refusal has no shape; each family of routes has its own, defined here.

import type { IncomingHttpHeaders } from 'node:http'
import { type CataloguedRefusal, catalogue, type RefusalCode, type RefusalLike } from '../kernel/errors.ts'
import { compatibleError, looksForeign } from './compatible-dialect.ts'

/**
 * A family of routes: checkout and payments, the dashboard's page, the compatible routes, and the three parts of the
 * webhook routes.
 */
export type Dialect =
  | 'checkout'
  | 'dashboard'
  | 'compatible'
  | 'webhook_endpoints'
  | 'webhook_deliveries'
  | 'webhook_replay'

/** The shape of a body. */
export type Shape = 'checkout' | 'compatible' | 'endpoint' | 'guard' | 'key' | 'replay'

const shapes: Record<Dialect, Shape> = {
  checkout: 'checkout',
  dashboard: 'checkout',
  compatible: 'compatible',
  webhook_endpoints: 'endpoint',
  webhook_deliveries: 'guard',
  webhook_replay: 'replay',
}

export function isWebhook(dialect: Dialect): boolean {
  return dialect.startsWith('webhook')
}

export function shapeOf(dialect: Dialect, code: string): Shape {
  return (isWebhook(dialect) && cataloguedAs(code)?.webhook_body) || shapes[dialect]
}

/** The status with which a family answers a refusal. */
export function statusOf(dialect: Dialect, refusal: { code: string; status: number }): number {
  const entry = cataloguedAs(refusal.code)
  const other = isWebhook(dialect) ? entry?.webhook_status : dialect === 'compatible' && entry?.compatible_status
  return other || refusal.status
}

function cataloguedAs(code: string): CataloguedRefusal | undefined {
  return Object.hasOwn(catalogue, code) ? catalogue[code as RefusalCode] : undefined
}

/** The dialect of a path without a route. */
export function dialectOfPath(url: string, headers: IncomingHttpHeaders = {}): Dialect {
  if (/^\/v1\/(compat|payment_intents)\b/.test(url) || looksForeign(url, headers)) return 'compatible'
  if (/^\/dashboard\/api\b/.test(url)) return 'dashboard'
  if (/^\/v1\/webhooks\/deliveries\b/.test(url)) return 'webhook_deliveries'
  return /^\/v1\/webhooks\b/.test(url) ? 'webhook_endpoints' : 'checkout'
}

/** The body of a refusal. An internal_error has no message, so that nothing internal is shown. */
export function renderRefusal(dialect: Dialect, refusal: RefusalLike, request_id: string): object {
  const message = refusal.code === 'internal_error' ? null : refusal.message
  const { field, fault, bound } = refusal
  switch (shapeOf(dialect, refusal.code)) {
    case 'checkout':
      return {
        error: refusal.code,
        message,
        request_id,
        // The page explains the fault at the field, in the reader's language.
        ...(dialect === 'dashboard' && { field, fault, bound }),
        ...refusal.members,
      }
    case 'compatible':
      return { error: compatibleError(refusal, message) }
    case 'endpoint':
      return { error: refusal.code, message, allowed: refusal.members.allowed ?? null }
    case 'guard':
      return { error: refusal.code, message }
    case 'key':
      return { code: refusal.code }
    case 'replay':
      return { error: refusal.code }
  }
}
