// Keeps refused requests of merchants' servers: they wait in memory, bounded, and are written together once a second.

import { cellOf } from '../database/cells/cells.ts'
import type { Sql } from '../database/open.ts'
import { idsFrom } from '../kernel/ids.ts'
import type { World } from '../kernel/world.ts'
import type { Metrics } from './metrics.ts'
import { insertRefusedRequests, type RefusedRequest } from './refusal-log-store.ts'

export type RefusalLog = {
  /** Costs the request nothing. Where too many wait, this one is only counted. */
  add(request: Omit<RefusedRequest, 'entry_id'>): void
  /** Writes what waits. */
  close(): Promise<void>
}

/** For each merchant, so that one whose server goes wild does not crowd out others. */
const waiting_of_merchant_max = 100
const waiting_max = 2_000
export const linger_ms = 1_000

export function openRefusalLog({
  sql,
  world: { clock, log },
  metrics,
}: {
  sql: Sql
  world: Pick<World, 'clock' | 'log'>
  metrics: Pick<Metrics, 'refusalsNotKept'>
}): RefusalLog {
  let waiting = new Map<string, RefusedRequest[]>()
  let count = 0
  let writing: Promise<void> | null = null
  const closing = new AbortController()

  async function writeLater(): Promise<void> {
    await clock.sleep(linger_ms, closing.signal).catch(() => {})
    const batches = [...waiting.values()]
    waiting = new Map()
    count = 0
    for (const batch of batches) {
      try {
        await insertRefusedRequests(await cellOf(sql, batch[0]!.merchant_id), batch)
      } catch (error) {
        metrics.refusalsNotKept(batch.length)
        log.warn({ count: batch.length, error: (error as Error).message }, 'refused requests not kept')
      }
    }
  }

  function start(): void {
    writing ??= writeLater().finally(() => {
      writing = null
      if (count > 0) start()
    })
  }

  return {
    add(request) {
      const { merchant_id, at, request_id } = request
      const batch = waiting.get(merchant_id) ?? []
      if (count >= waiting_max || batch.length >= waiting_of_merchant_max) {
        metrics.refusalsNotKept(1)
        return
      }
      batch.push({ ...request, entry_id: idsFrom(at) + request_id.slice(-20) })
      waiting.set(merchant_id, batch)
      count += 1
      start()
    },
    async close() {
      closing.abort()
      while (writing) await writing
    },
  }
}
