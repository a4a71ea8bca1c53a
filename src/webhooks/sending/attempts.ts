// The attempts under way in this process. A claimed delivery's attempt begins at once; if it may have none, the
// delivery waits for its endpoint or is given up.

import type { Sql } from '../../database/open.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'
import { endDeliveries, keepDeliveries } from '../queue/queue-store.ts'
import { attemptsMax } from './retry-schedule.ts'
import { type AttemptContext, runAttempt } from './run-attempt.ts'

export type Attempts = {
  begin(deliveries: ClaimedDelivery[], is_retry: boolean): void
  /** Resolves when all attempts that have begun are over. */
  ended(): Promise<void>
}

type AttemptEnd = { is_retry: boolean; was_full: boolean; next_retry_at: Date | null }

export function openAttempts(parts: AttemptContext & { sql: Sql; onEnd(end: AttemptEnd): void }): Attempts {
  const { sql, metrics, lanes } = parts
  const { clock, log } = parts.world
  const { schedule } = parts.sending.settings
  const underWay = new Set<Promise<void>>()

  function follow(work: Promise<void>): void {
    const completion = work
      .catch((error: Error) => log.error({ error: error.message }, 'webhook attempt went wrong'))
      .finally(() => underWay.delete(completion))
    underWay.add(completion)
  }

  async function attempt(delivery: ClaimedDelivery, is_retry: boolean): Promise<void> {
    hear(delivery)
    const end = await runAttempt(parts, delivery, is_retry)
    parts.onEnd({ ...end, is_retry })
  }

  /** Every row carries the newest stored state of its endpoint's breaker. */
  function hear({ endpoint_id, breaker_changed_at, open_until, reopen_count }: ClaimedDelivery) {
    if (!breaker_changed_at) return
    const open_until_ms = open_until?.getTime() ?? null
    const changed_ms = breaker_changed_at.getTime()
    lanes.hear(endpoint_id, { open_until_ms, reopen_count: reopen_count!, changed_ms })
  }

  /** Gives up deliveries of a deleted endpoint, or whose last attempts were lost. Their attempts are not made. */
  async function giveUp(deliveries: ClaimedDelivery[]): Promise<void> {
    const { merchant_id, endpoint_id, endpoint_status } = deliveries[0]!
    const delivery_ids = deliveries.map(({ delivery_id }) => delivery_id)
    const count = await endDeliveries(sql, { merchant_id, delivery_ids }, clock.now())
    log.warn({ merchant_id, endpoint_id, count, endpoint_status }, 'webhook deliveries given up')
    // The endpoint's other deliveries are ended without being claimed first.
    if (endpoint_status === 'disabled') {
      await endDeliveries(sql, { merchant_id, endpoint_id, but_claimed: true }, clock.now())
    } else metrics.webhookDeadLettered(count)
  }

  /** Whoever enables the endpoint makes them due. */
  async function keep(deliveries: ClaimedDelivery[]): Promise<void> {
    const { merchant_id, endpoint_id } = deliveries[0]!
    const delivery_ids = deliveries.map(({ delivery_id }) => delivery_id)
    const attempt_ids = deliveries.map(({ attempt_id }) => attempt_id)
    await keepDeliveries(sql, { merchant_id, endpoint_id, delivery_ids, attempt_ids }, clock.now())
  }

  return {
    begin(deliveries, is_retry) {
      const isOver = (delivery: ClaimedDelivery) =>
        delivery.endpoint_status === 'disabled' || delivery.attempt_number > attemptsMax(schedule)
      for (const delivery of deliveries) {
        if (delivery.was_lost) metrics.webhookLost()
        if (!isOver(delivery)) follow(attempt(delivery, is_retry))
      }
      const over = Object.groupBy(deliveries.filter(isOver), ({ endpoint_id }) => endpoint_id)
      for (const endpointDeliveries of Object.values(over)) {
        follow(endpointDeliveries![0]!.may_return ? keep(endpointDeliveries!) : giveUp(endpointDeliveries!))
      }
    },
    async ended() {
      await Promise.all(underWay)
    },
  }
}
