// Sends a request to the service. All requests are safe to repeat, so it tries again after a lost connection or a failure.

import { abortAfter } from '../shared/abort-after.ts'
import { RipperError } from './failure.ts'
import { origin } from './origin.ts'
import { sleep } from './sleep.ts'
import type { RefusalBody } from './wire.ts'

const backoff_ms = [500, 1500, 4000]
const timeout_ms = 60_000

/** POST if there is a body, else GET. Throws RipperError with the API's code, or `network_error`. */
export async function ask<Reply>(path: string, headers: Record<string, string>, body?: object): Promise<Reply> {
  for (let tries = 0; ; tries++) {
    const response = await fetch(origin + path, {
      method: body ? 'POST' : 'GET',
      headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
      body: body && JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
      signal: abortAfter(timeout_ms),
    }).catch(() => null)
    const reply: (Reply & RefusalBody) | null = await response?.json().catch(() => null)
    if (response?.ok && reply) return reply
    const status = response?.status ?? 0
    // We never use a key for another body, so its first request must still be running.
    const final = status > 399 && status < 500 && reply?.error !== 'idempotency_key_reused'
    if (final || tries === backoff_ms.length) throw failureOf(response, reply)
    await sleep(backoff_ms[tries]!)
  }
}

function failureOf(response: Response | null | undefined, reply: RefusalBody | null): RipperError {
  const code = response?.status === 429 ? 'rate_limit_exceeded' : (reply?.error ?? 'network_error')
  return new RipperError(
    code,
    reply?.message ?? 'The service cannot be reached.',
    reply ?? {},
    Number(response?.headers.get('retry-after')),
  )
}
