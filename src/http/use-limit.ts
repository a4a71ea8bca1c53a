// Limits of routes whose answers all say how much of the limit is used.

import type { FastifyReply } from 'fastify'
import { Refusal } from '../kernel/errors.ts'

/** The count of a limit, including this request. */
export type Use = { limit: number; used: number; resets_at: Date }

export type CountUse<Context, Holder> = (context: Context, holder: Holder, now: Date) => Promise<Use>

/** The headers of every answer and their meaning. */
export const limitHeaders = {
  'X-RateLimit-Limit': 'How many such requests an account may make a minute.',
  'X-RateLimit-Remaining': 'How many of them are left.',
  'X-RateLimit-Reset': 'When the minute ends, in Unix seconds.',
}

/** Writes the headers. Throws `rate_limit_exceeded` if the request is one too many. */
export function applyLimit(reply: FastifyReply, { limit, used, resets_at }: Use, now: Date): void {
  reply.headers({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - used)),
    'x-ratelimit-reset': String(Math.ceil(resets_at.getTime() / 1000)),
  })
  if (used <= limit) return
  const wait_seconds = Math.max(1, Math.ceil((resets_at.getTime() - now.getTime()) / 1000))
  throw new Refusal(
    'rate_limit_exceeded',
    `Only ${limit} such requests are taken a minute. Try again in ${wait_seconds} seconds.`,
    { retry_after_seconds: wait_seconds },
  )
}
