// Claims due deliveries, with separate rounds for first attempts and for retries, and remembers how far each round has
// come.

import type { InOtherWords } from '../../context.ts'
import type { Sql } from '../../database/open.ts'
import type { Clock } from '../../kernel/world.ts'
import { type ClaimOrder, claim, type QueueClass } from '../queue/claim-store.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'
import type { DeliverySettings } from './deliver.ts'
import type { Lanes } from './lanes.ts'
import { breakerPatienceMs } from './retry-schedule.ts'
import { firstRound, nextRound, type Round } from './turn.ts'

const endpoints_max = 500
/** Deliveries that other processes commit are found within this time. */
export const poll_ms = 250
const retry_poll_ms = 1_000

export type Claims = {
  /** Claims first attempts, and retries if some are due, and begins them. True if more may be due. */
  claimDue(): Promise<boolean>
  /** Whether the last claims were full: then each attempt that ends makes room for more. */
  wasCut(): boolean
  /** Notes that a retry is due by that time. */
  retryAt(at_ms: number): void
  untilPoll(): number
}

type ClaimsOptions = {
  sql: Sql
  clock: Clock
  settings: DeliverySettings
  lanes: Lanes
  /** Attempts that hold a slot until their result is written. */
  unwritten(): number
  inOtherWords: InOtherWords
  begin(deliveries: ClaimedDelivery[], is_retry: boolean): void
}

export function openClaims({ sql, clock, settings, lanes, unwritten, inOtherWords, begin }: ClaimsOptions): Claims {
  const held_back_ms = breakerPatienceMs(settings.schedule)
  const rounds: Record<QueueClass, Round> = { 0: firstRound, 1: firstRound }
  let retries_due_ms = 0
  let was_cut = false

  async function claimClass(queue_class: QueueClass): Promise<boolean> {
    const now = clock.now()
    const now_ms = now.getTime()
    const is_retry = queue_class === 1
    const shares = lanes.shares({ is_retry, unwritten: unwritten(), now_ms })
    if (shares.slots === 0) {
      was_cut = true
      return false
    }
    const order: ClaimOrder = {
      ...shares,
      ...rounds[queue_class].turn,
      class: queue_class,
      endpoints_max,
      now,
      lease_until: new Date(now_ms + settings.timeout_ms + settings.lease_slack_ms),
      overdue_before: new Date(now_ms - held_back_ms),
    }
    const batch = await claim(sql, order)
    await beginAll(batch.deliveries, is_retry)
    const round = nextRound(rounds[queue_class], order, batch)
    rounds[queue_class] = round
    was_cut ||= round.was_cut
    const is_more = !round.is_over || round.is_again
    if (is_retry) {
      const next_due_ms = round.next_due_at?.getTime() ?? Number.POSITIVE_INFINITY
      retries_due_ms = is_more ? now_ms : Math.min(next_due_ms, now_ms + retry_poll_ms)
    }
    return is_more
  }

  /** Those in our own words do not wait for what the others read, nor do they fail with it. */
  async function beginAll(deliveries: ClaimedDelivery[], is_retry: boolean): Promise<void> {
    const { ripper: own = [], stripe: others = [] } = Object.groupBy(deliveries, ({ event_format }) => event_format)
    begin(own, is_retry)
    if (others.length > 0) begin(await inWordsOfEndpoints(others), is_retry)
  }

  /** They are leased: where the read fails, each attempt does, and is retried as any other. */
  async function inWordsOfEndpoints(deliveries: ClaimedDelivery[]): Promise<ClaimedDelivery[]> {
    const words = await inOtherWords(sql, deliveries).catch((error: unknown) => {
      const fail = () => {
        throw error
      }
      return deliveries.map(() => fail)
    })
    return deliveries.map((delivery, at) => ({ ...delivery, inOtherWords: words[at]! }))
  }

  /** After the clock was set back, retries must not wait until it is where it was. */
  function areRetriesDue(): boolean {
    const wait_ms = retries_due_ms - clock.now().getTime()
    return wait_ms <= 0 || wait_ms > retry_poll_ms
  }

  return {
    async claimDue() {
      was_cut = false
      const are_more_firsts = await claimClass(0)
      return (areRetriesDue() && (await claimClass(1))) || are_more_firsts
    },
    wasCut: () => was_cut,
    retryAt(at_ms) {
      retries_due_ms = Math.min(retries_due_ms, at_ms)
    },
    untilPoll: () => Math.max(1, Math.min(poll_ms, retries_due_ms - clock.now().getTime())),
  }
}
