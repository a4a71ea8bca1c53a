// How many requests of a kind an account may make a minute. Commands of an operator do not count.

import type { Context } from '../context.ts'
import type { CountUse } from '../http/use-limit.ts'
import { countRequest, type RequestKind } from './rate-limit-store.ts'

const minute_ms = 60_000

/** A write creates or deletes an endpoint. */
const limits: Record<RequestKind, number> = { read: 500, write: 100, replay: 10 }

export function limitTo(kind: RequestKind): CountUse<Context, { merchant_id: string }> {
  return async ({ sql }, { merchant_id }, now) => {
    const minute = new Date(now.getTime() - (now.getTime() % minute_ms))
    const usage = await countRequest(sql, { merchant_id, kind, minute })
    const resets_at = new Date(usage.minute.getTime() + minute_ms)
    return { limit: limits[kind], used: usage.used, resets_at }
  }
}
