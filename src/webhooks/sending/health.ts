// Shares breakers that opened or closed among processes. A process that starts learns which endpoints are down.

import type { Sql } from '../../database/open.ts'
import type { World } from '../../kernel/world.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'
import type { StoredBreaker } from './breaker.ts'
import { type EndpointHealth, listHealth, saveHealth } from './health-store.ts'
import type { Lanes } from './lanes.ts'

export type Health = {
  /** Notes that a breaker opened or closed; `last_failure` is null if it closed. */
  keep(of: ClaimedDelivery, state: StoredBreaker, last_failure: string | null): void
  /**
   * Writes the noted states and, now and then, reads the states of other processes. A failure is logged, and repeated
   * next time.
   */
  exchange(): Promise<void>
}

const reading_ms = 5_000

export function openHealth({ sql, world }: { sql: Sql; world: Pick<World, 'clock' | 'log'> }, lanes: Lanes): Health {
  const { clock, log } = world
  // The newest state of each endpoint. A state that could not be written is tried again, or replaced by a newer one.
  const states = new Map<string, EndpointHealth>()
  let reads_at_ms = 0

  return {
    keep({ merchant_id, endpoint_id }, { open_until_ms, reopen_count, changed_ms }, last_failure) {
      const health: EndpointHealth = {
        merchant_id,
        endpoint_id,
        reopen_count,
        last_failure,
        state: open_until_ms === null ? 'closed' : 'open',
        open_until: open_until_ms === null ? null : new Date(open_until_ms),
        changed_at: new Date(changed_ms),
      }
      const { state, open_until } = health
      log.warn({ merchant_id, endpoint_id, state, open_until }, 'webhook endpoint breaker')
      states.set(endpoint_id, health)
    },
    async exchange() {
      await orTell(writeAll())
      await orTell(readAll())
    },
  }

  /** Deliveries go on even if the exchange fails. */
  async function orTell(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'webhook endpoint health not exchanged')
    }
  }

  async function writeAll(): Promise<void> {
    for (const [endpoint_id, health] of states) {
      await saveHealth(sql, health)
      if (states.get(endpoint_id) === health) states.delete(endpoint_id)
    }
  }

  async function readAll(): Promise<void> {
    const now_ms = clock.now().getTime()
    if (now_ms >= reads_at_ms - reading_ms && now_ms < reads_at_ms) return
    reads_at_ms = now_ms + reading_ms
    const rows = await listHealth(sql, lanes.listOpen())
    for (const { endpoint_id, open_until, reopen_count, changed_at } of rows) {
      const open_until_ms = open_until?.getTime() ?? null
      lanes.hear(endpoint_id, { open_until_ms, reopen_count, changed_ms: changed_at.getTime() })
    }
  }
}
