// The loop that delivers: claims what is due, as much as there is room for, and begins each attempt at once.
// It holds no transaction and no connection while it waits for a receiver. Any number may run, on any number of machines.

import type { ClockTrust } from '../../database/clock/clock-trust.ts'
import type { Sql } from '../../database/open.ts'
import type { Metrics } from '../../http/metrics.ts'
import { openBell } from '../../kernel/bell.ts'
import type { Keyring } from '../../kernel/keyring.ts'
import type { GuardedHttp, World } from '../../kernel/world.ts'
import { type ClaimOrder, claim, type QueueClass } from '../queue/claim-store.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'
import { endDeliveries } from '../queue/queue-store.ts'
import type { DeliverySettings } from './deliver.ts'
import { openHealth } from './health.ts'
import { openLanes } from './lanes.ts'
import { atMost } from './patience.ts'
import { attemptsMax, patience_ms } from './retry.ts'
import { logFields, runAttempt } from './run-attempt.ts'
import { openSettlements } from './settlements.ts'
import { openSigningSecrets } from './signing-secrets.ts'
import { first_round, nextRound, type Round } from './turn.ts'

export type DeliveryLoop = {
  /** Something was committed that is due now: a first delivery, or a replay. */
  wake(what?: 'event' | 'replay'): void
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>
}

export type DeliveryParts = {
  world: Pick<World, 'clock' | 'random' | 'log'>
  sql: Sql
  keyring: Keyring
  metrics: Metrics
  http: GuardedHttp
  settings: DeliverySettings
  /** While the clock is not right nothing is claimed: leases and signatures bear its time. Left out, it is right. */
  trust?: ClockTrust
}

const endpoints_max = 500
/** What other processes commit is found within this time. */
const poll_ms = 250
const retry_poll_ms = 1_000
/** With few attempts under way a claim costs nothing that anybody needs; with many, each should find several rows. */
const few_under_way = 12
const short_rest_ms = 1
const long_rest_ms = 10
const backoff_max_ms = 2_000
/** A database that hangs must not keep the process from ending: leases bring back what is left. */
const stop_slack_ms = 2_000

export function startDeliveries(parts: DeliveryParts): DeliveryLoop {
  const { sql, metrics, settings, trust } = parts
  const { clock, log } = parts.world
  const lanes = openLanes()
  const health = openHealth(parts, lanes)
  metrics.watchWebhookBreakers(() => lanes.breakers(clock.now().getTime()))
  const settlements = openSettlements(parts, {
    wasFenced(settlement) {
      metrics.webhookFenced()
      log.warn(logFields(settlement), 'webhook attempt outlived its lease')
    },
    wereWritten() {
      if (was_cut) wake('replay')
    },
  })
  const sending = { http: parts.http, settings, secretsOf: openSigningSecrets(parts.keyring) }
  const attempts = { world: parts.world, metrics, sending, lanes, health, settlements }
  const held_back_ms = patience_ms(settings.schedule)
  const under_way = new Set<Promise<void>>()
  const rounds: Record<QueueClass, Round> = { 0: first_round, 1: first_round }
  const bell = openBell()
  let stopping = false
  let retries_due_ms = 0
  /** The last claims took all that they might: whatever ends makes room for more. */
  let was_cut = false

  function wake(what: 'event' | 'replay' = 'event'): void {
    if (what === 'replay') retries_due_ms = 0
    bell.ring()
  }

  /** Claims what is due of a class and begins it. True where more may be due. */
  async function claimAndBegin(queueClass: QueueClass): Promise<boolean> {
    const now = clock.now()
    const now_ms = now.getTime()
    const is_retry = queueClass === 1
    const shares = lanes.shares({ is_retry, held: settlements.held(), now_ms })
    if (shares.slots === 0) {
      was_cut = true
      return false
    }
    const order: ClaimOrder = {
      ...shares,
      ...rounds[queueClass].turn,
      class: queueClass,
      endpoints_max,
      now,
      lease_until: new Date(now_ms + settings.timeout_ms + settings.lease_slack_ms),
      overdue_before: new Date(now_ms - held_back_ms),
    }
    const claimed = await claim(sql, order)
    begin(claimed.deliveries, is_retry)
    const round = nextRound(rounds[queueClass], order, claimed)
    rounds[queueClass] = round
    was_cut ||= round.was_cut
    const isMore = !round.is_over || round.is_again
    if (is_retry) {
      const next_due_ms = round.next_due_at?.getTime() ?? Number.POSITIVE_INFINITY
      retries_due_ms = isMore ? now_ms : Math.min(next_due_ms, now_ms + retry_poll_ms)
    }
    return isMore
  }

  function begin(deliveries: ClaimedDelivery[], isRetry: boolean): void {
    const isOver = (delivery: ClaimedDelivery) =>
      delivery.endpoint_status === 'disabled' ||
      delivery.attempt_number > attemptsMax(settings.schedule)
    for (const delivery of deliveries) {
      if (delivery.was_lost) metrics.webhookLost()
      if (!isOver(delivery)) follow(attempt(delivery, isRetry))
    }
    const over = Object.groupBy(deliveries.filter(isOver), ({ endpoint_id }) => endpoint_id)
    for (const claimed of Object.values(over)) follow(giveUp(claimed!))
  }

  function follow(work: Promise<void>): void {
    const followed = work
      .catch((error: Error) => log.error({ error: error.message }, 'webhook attempt went wrong'))
      .finally(() => under_way.delete(followed))
    under_way.add(followed)
  }

  async function attempt(delivery: ClaimedDelivery, isRetry: boolean): Promise<void> {
    hear(delivery)
    const { was_full, next_retry_at } = await runAttempt(attempts, delivery, isRetry)
    if (next_retry_at) retries_due_ms = Math.min(retries_due_ms, next_retry_at.getTime())
    if (was_full || was_cut) wake(isRetry ? 'replay' : 'event')
  }

  /** Every row brings along what some process saw last of its endpoint. */
  function hear({ endpoint_id, breaker_changed_at, open_until, reopen_count }: ClaimedDelivery) {
    if (!breaker_changed_at) return
    const open_until_ms = open_until?.getTime() ?? null
    const changed_ms = breaker_changed_at.getTime()
    lanes.hear(endpoint_id, { open_until_ms, reopen_count: reopen_count!, changed_ms })
  }

  /** Deliveries of one endpoint, which was deleted, or whose last attempts were lost. The attempts are not made. */
  async function giveUp(claimed: ClaimedDelivery[]): Promise<void> {
    const { merchant_id, endpoint_id, endpoint_status } = claimed[0]!
    const delivery_ids = claimed.map(({ delivery_id }) => delivery_id)
    const count = await endDeliveries(sql, { merchant_id, delivery_ids }, clock.now())
    log.warn({ merchant_id, endpoint_id, count, endpoint_status }, 'webhook deliveries given up')
    // Whatever else waits there need not be claimed first.
    if (endpoint_status === 'disabled') {
      await endDeliveries(sql, { merchant_id, endpoint_id, but_claimed: true }, clock.now())
    } else metrics.webhookDeadLettered(count)
  }

  async function run(): Promise<void> {
    let backoff_ms = 0
    while (!stopping) {
      bell.still()
      was_cut = false
      if (trust && !trust.isRight()) {
        await bell.wait(clock, poll_ms)
        continue
      }
      let isMore = false
      try {
        await health.exchange()
        isMore = await claimAndBegin(0)
        if (areRetriesDue()) isMore = (await claimAndBegin(1)) || isMore
        backoff_ms = 0
      } catch (error) {
        const { message, code } = error as Error & { code?: string }
        log.warn({ error: message, code }, 'webhook deliveries cannot be claimed')
        backoff_ms = Math.min(Math.max(100, backoff_ms * 2), backoff_max_ms)
        await clock.sleep(backoff_ms)
        continue
      }
      await clock.sleep(lanes.underWay() < few_under_way ? short_rest_ms : long_rest_ms)
      if (!isMore && !stopping) await bell.wait(clock, untilPoll())
    }
  }

  /** A clock that was set back must not let retries wait until it is where it was. */
  function areRetriesDue(): boolean {
    const wait_ms = retries_due_ms - clock.now().getTime()
    return wait_ms <= 0 || wait_ms > retry_poll_ms
  }

  const untilPoll = () => Math.max(1, Math.min(poll_ms, retries_due_ms - clock.now().getTime()))

  const running = run()
  async function ended(): Promise<void> {
    await running
    await Promise.all(under_way)
  }

  return {
    wake,
    async stop() {
      stopping = true
      bell.ring()
      await atMost(clock, settings.timeout_ms + stop_slack_ms, ended())
      await settlements.close()
      await parts.http.close()
    },
  }
}
