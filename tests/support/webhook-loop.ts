// A delivery loop on a database of rows: nothing is really posted, and polls end when a test lets them.

import { randomBytes } from 'node:crypto'
import { inOtherWords } from '../../src/compatible/events/event-words.ts'
import type { InOtherWords } from '../../src/context.ts'
import type { ClockTrust } from '../../src/database/clock/clock-trust.ts'
import type { Sql } from '../../src/database/open.ts'
import { openMetrics } from '../../src/http/metrics.ts'
import { type Keyring, openKeyring } from '../../src/kernel/keyring.ts'
import type { Clock, GuardedAnswer, GuardedHttp } from '../../src/kernel/world.ts'
import { sealSecret } from '../../src/webhooks/endpoint.ts'
import { type DeliveryLoop, startDeliveries } from '../../src/webhooks/sending/delivery-loop.ts'
import { delivery_settings } from './service.ts'
import { at, merchant_id, noon } from './webhook-rows.ts'
import { quiet } from './world.ts'

export type PollClock = Clock & {
  /** Waits until somebody sleeps for longer than a rest, and lets that time pass. */
  poll(): Promise<void>
}

/** The longest rest between two claims, and whatever is shorter. */
const rest_max_ms = 10

/** A clock on which only rests end by themselves. */
export function pollClock(): PollClock {
  let now_ms = noon.getTime()
  const asleep = new Set<{ duration_ms: number; wake(): void }>()
  let noticed: () => void = () => {}

  async function sleep(duration_ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (duration_ms <= rest_max_ms) {
      now_ms += duration_ms
      return turn()
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper = { duration_ms, wake: resolve }
    asleep.add(sleeper)
    noticed()
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    await promise.finally(() => asleep.delete(sleeper))
  }

  return {
    now: () => new Date(now_ms),
    sleep,
    async poll() {
      while (asleep.size === 0) {
        await new Promise<void>((resolve) => {
          noticed = resolve
        })
      }
      const [sleeper] = asleep
      now_ms += sleeper!.duration_ms
      sleeper!.wake()
      asleep.delete(sleeper!)
    },
  }
}

/** Answers each post with 200, a turn of the event loop later, or when it is let go. */
export type Posts = GuardedHttp & {
  /** The addresses, in the order of their coming. */
  came: string[]
  hold(): void
  release(): void
}

export function openPosts(): Posts {
  const came: string[] = []
  let held = Promise.withResolvers<void>()
  held.resolve()
  return {
    came,
    async post({ url }): Promise<GuardedAnswer> {
      came.push(url)
      await held.promise
      await turn()
      return { status: 200, retry_after_seconds: null, body: '' }
    },
    hold() {
      held = Promise.withResolvers()
    },
    release: () => held.resolve(),
    async close() {},
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const random = { bytes: randomBytes }

export function startLoop(
  sql: Sql,
  parts: {
    clock: Clock
    http: GuardedHttp
    keyring: Keyring
    trust?: ClockTrust
    processes?: () => number
    words?: InOtherWords
  },
): DeliveryLoop {
  const { clock, http, keyring, trust, processes, words = inOtherWords } = parts
  return startDeliveries({
    ...(processes && { processes }),
    sql,
    http,
    keyring,
    trust,
    metrics: openMetrics(),
    settings: delivery_settings,
    inOtherWords: words,
    world: { clock, random, log: quiet },
  })
}

export const newKeyring = () => openKeyring([randomBytes(32)], random)

/** Writes endpoints of the merchant `m_a` that want all events: `e0000`, `e0001` and on. Returns their ids. */
export async function addEndpoints(sql: Sql, keyring: Keyring, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, n) => {
    const endpoint_id = `e${String(n).padStart(4, '0')}`
    const sealed = sealSecret(keyring, { merchant_id, endpoint_id }, 'secret').toString('hex')
    return { endpoint_id, url: urlOf(endpoint_id), sealed }
  })
  await sql`
    insert into webhook_endpoints (merchant_id, endpoint_id, url, event_filter, status, sealed_secret, created_at)
    select ${merchant_id}, endpoint_id, url, '{}', 'active', decode(sealed, 'hex'), ${at(-3_600)}
    from json_to_recordset(${rows as never}::json) as r (endpoint_id text, url text, sealed text)`
  return rows.map(({ endpoint_id }) => endpoint_id)
}

export const urlOf = (endpointId: string) => `https://${endpointId}.example/`
