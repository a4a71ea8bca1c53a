// Keeps refused requests of merchants' servers and of shoppers: they wait in bounded memory, and are written together
// once a second.

import { cellOf } from '../database/cells/cells.ts'
import type { Sql } from '../database/open.ts'
import { idsFrom } from '../kernel/ids.ts'
import type { World } from '../kernel/world.ts'
import type { Metrics } from './metrics.ts'
import { insertRefusedRequests, type RefusedRequest } from './refusal-log-store.ts'

export type RefusalLog = {
  /** Costs the request nothing. If too many wait, this one is only counted; a shopper's is dropped. */
  add(request: Omit<RefusedRequest, 'entry_id'>): void
  /** Writes the waiting requests. */
  close(): Promise<void>
}

/** For each merchant, so that one with a runaway server does not crowd out others. */
const waiting_of_merchant_max = 100
const waiting_max = 2_000
/**
 * Strangers may be shoppers, so each session has a limit, and a merchant keeps fewer requests of shoppers than of
 * servers.
 */
const of_session_max = 20
const waiting_of_shoppers_max = 20
const of_shoppers_a_minute_max = 60
/** The counts of kept requests are known for this many sessions, the last ones. */
const sessions_counted_max = 10_000
/** It says only that the bank's check goes on, which is no news to the shopper. */
const unsaid_code = 'authentication_incomplete'
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
  const ofSession = new Map<string, number>()
  /** How many shoppers' requests were kept in this minute, by merchant. */
  const ofShoppers = new Map<string, number>()
  let minute = 0
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

  /** Whether there is room for one more request of this shopper, which is then counted. */
  function countShopper({
    merchant_id,
    asker_id,
    at,
  }: Pick<RefusedRequest, 'merchant_id' | 'asker_id' | 'at'>): boolean {
    const this_minute = Math.floor(at.getTime() / 60_000)
    if (this_minute !== minute) ofShoppers.clear()
    minute = this_minute
    const of_session = ofSession.get(asker_id) ?? 0
    const of_shoppers = ofShoppers.get(merchant_id) ?? 0
    if (of_session >= of_session_max || of_shoppers >= of_shoppers_a_minute_max) return false
    // The session that was counted last moves to the end.
    ofSession.delete(asker_id)
    if (ofSession.size >= sessions_counted_max) ofSession.delete(ofSession.keys().next().value!)
    ofSession.set(asker_id, of_session + 1)
    ofShoppers.set(merchant_id, of_shoppers + 1)
    return true
  }

  return {
    add(request) {
      const { merchant_id, asker_id, at, request_id } = request
      const is_shopper = isSession(asker_id)
      const place = is_shopper ? `${merchant_id} shoppers` : merchant_id
      const batch = waiting.get(place) ?? []
      if (is_shopper) {
        if (request.code === unsaid_code || batch.length >= waiting_of_shoppers_max || count >= waiting_max / 2) return
        if (!countShopper(request)) return
      } else if (count >= waiting_max || batch.length >= waiting_of_merchant_max) {
        metrics.refusalsNotKept(1)
        return
      }
      batch.push({ ...request, entry_id: idsFrom(at) + request_id.slice(-20) })
      waiting.set(place, batch)
      count += 1
      start()
    },
    async close() {
      closing.abort()
      while (writing) await writing
    },
  }
}

/** Whether the asker is a shopper, who has a session instead of a key. */
function isSession(asker_id: string): boolean {
  return asker_id.startsWith('cs_')
}
