// The last requests that this process answered, kept in memory, so that a merchant can watch its own live. While
// somebody watches, other processes add theirs.

import { z } from 'zod'
import { type Mode, timestamp } from '../kernel/values.ts'

/** Nothing that could be secret: no query, no body, no header. */
export type LoggedRequest = {
  merchant_id: string
  request_id: string
  /** When it was answered. */
  at: Date
  method: string
  /** With `…` in place of parts that are no ids of ours. */
  path: string
  /** The path with the names of its parameters. */
  route: string
  status: number
  /** The code of the refusal. */
  code: string | null
  duration_ms: number
  /** The mode of its key, or of its answer; null if neither has one. */
  mode: Mode | null
}

export type RequestLog = {
  add(request: LoggedRequest): void
  /** How many were ever added: a position to read on from. */
  count(): number
  /** The requests after a position that are still kept, oldest first. */
  from(place: number): LoggedRequest[]
  /** Notes that requests of other processes are missing. */
  miss(): void
  /** How often some were missing. */
  missed(): number
  /**
   * Calls the listener after each request; it shows requests of this merchant. Returns the function that removes it.
   */
  hear(listener: () => void, merchant_id: string): () => void
}

export const requests_kept = 1_000

export function openRequestLog(): RequestLog {
  const entries: LoggedRequest[] = []
  const listeners = new Set<() => void>()
  let count = 0
  let missed = 0
  const ring = () => {
    for (const listener of listeners) listener()
  }
  return {
    add(request) {
      entries[count % requests_kept] = request
      count += 1
      ring()
    },
    miss() {
      missed += 1
      ring()
    },
    missed: () => missed,
    count: () => count,
    from(place) {
      const first = Math.max(place, count - requests_kept, 0)
      const length = Math.max(0, count - first)
      return Array.from({ length }, (_, index) => entries[(first + index) % requests_kept]!)
    },
    hear(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The members of a request as its merchant sees it. */
export const shownRequest = {
  request_id: z.string(),
  at: z.string().meta({ format: 'date-time' }),
  method: z.string(),
  path: z.string(),
  route: z.string(),
  status: z.int(),
  code: z.string().nullable(),
  duration_ms: z.number(),
}

/** A request as its merchant sees it. */
export function viewRequest({ merchant_id: _, mode: __, at, ...view }: LoggedRequest) {
  return { ...view, at: timestamp(at) }
}
