// Announces a committed event to this process's delivery loop, its open streams and the other processes.

import type { Context } from '../context.ts'
import { openRequestLog, type RequestLog } from '../http/request-log.ts'
import { type Bells, openBells } from '../kernel/bell.ts'
import type { Deliveries } from './cell-work.ts'
import { type NeighbourOptions, type Neighbours, openNeighbours } from './neighbours.ts'
import { openTails } from './request-listeners.ts'

export type News = {
  /** Bells by merchant, rung for the commits of every process. */
  events: Bells
  /** The requests of this process, and those of others while a stream of them is open. */
  requests: RequestLog
  /** Sets the loop that is woken. Until then events wait in the database. */
  deliverBy(loop: Pick<Deliveries, 'wake'>): void
  /** For a context whose own commits already ring `events`. */
  wakeDeliveries: Context['wakeDeliveries']
  /** For the commits of jobs. */
  committed(merchant_id: string): void
  stop(): Promise<void>
}

export async function openNews(parts: Pick<NeighbourOptions, 'database' | 'world' | 'isAlone'>): Promise<News> {
  const events = openBells()
  let wake: Deliveries['wake'] = () => {}
  const tails = openTails(
    {
      ...parts,
      say: async (message) => neighbours.say(message),
    },
    openRequestLog(),
  )
  const neighbours: Neighbours = await openNeighbours({
    ...parts,
    heardTail: tails.heard,
    delivers: true,
    heard({ merchant_ids, is_undelivered }) {
      if (merchant_ids === null) events.ringAll()
      else for (const merchant_id of merchant_ids) events.ring(merchant_id)
      // A replay is due among the retries, which the loop looks for less often.
      if (!is_undelivered) return
      if (merchant_ids === null) wake('replay')
      else for (const merchant_id of merchant_ids) wake('replay', merchant_id)
    },
  })
  return {
    events,
    requests: tails.requests,
    deliverBy(loop) {
      wake = loop.wake
    },
    wakeDeliveries(what, merchant_id) {
      wake(what, merchant_id)
      neighbours.tell(merchant_id)
    },
    committed(merchant_id) {
      events.ring(merchant_id)
      neighbours.tell(merchant_id)
    },
    stop() {
      tails.stop()
      return neighbours.stop()
    },
  }
}
