// One request to the service. All of them are safe to repeat, so a lost connection or a failing service is tried again.

import { RipperError } from './failure.ts'
import { origin } from './origin.ts'
import { sleep } from './sleep.ts'
import type { Refused } from './wire.ts'

const backoff_ms = [500, 1500, 4000]
const timeout_ms = 60_000

/** POST where there is a body, else GET. Throws RipperError: the API's code, or `network_error`. */
export async function ask<Reply>(
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Reply> {
  for (let tries = 0; ; tries++) {
    const response = await fetch(origin + path, {
      method: body ? 'POST' : 'GET',
      headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
      body: body && JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(timeout_ms),
    }).catch(() => null)
    const reply: (Reply & Refused) | null = await response?.json().catch(() => null)
    if (response?.ok && reply) return reply
    const status = response?.status ?? 0
    // A key of ours is never used for another body: its first request is still running.
    const final = status > 399 && status < 500 && reply?.error !== 'idempotency_key_reused'
    if (final || tries === backoff_ms.length) throw failureOf(response, reply)
    await sleep(backoff_ms[tries]!)
  }
}

function failureOf(response: Response | null | undefined, reply: Refused | null): RipperError {
  const code = response?.status === 429 ? 'rate_limit_exceeded' : (reply?.error ?? 'network_error')
  return new RipperError(
    code,
    reply?.message ?? 'The service cannot be reached.',
    reply ?? {},
    Number(response?.headers.get('retry-after')),
  )
}
