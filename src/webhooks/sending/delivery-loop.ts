// The loop that delivers: claims as many due deliveries as there is room for, and begins each attempt at once. It keeps
// no transaction and no connection while it waits for a receiver. Any number of loops may run, on any number of
// machines.

import type { InOtherWords } from '../../context.ts'
import type { ClockTrust } from '../../database/clock/clock-trust.ts'
import type { Sql } from '../../database/open.ts'
import type { Metrics } from '../../http/metrics.ts'
import { openBell } from '../../kernel/bell.ts'
import type { Keyring } from '../../kernel/keyring.ts'
import type { Tracing } from '../../kernel/tracing.ts'
import type { GuardedHttp, World } from '../../kernel/world.ts'
import { openAttemptResults } from './attempt-results.ts'
import { openAttempts } from './attempts.ts'
import { openClaims, poll_ms } from './claims.ts'
import type { DeliverySettings } from './deliver.ts'
import { openHealth } from './health.ts'
import { openLanes } from './lanes.ts'
import { atMost } from './patience.ts'
import { logFields } from './run-attempt.ts'
import { openSigningSecrets } from './signing-secrets.ts'

export type DeliveryLoop = {
  /** Wakes the loop after the commit of something that is due now: a first delivery or a replay. */
  wake(what?: 'event' | 'replay'): void
  underWay(): number
  /** Begins no further attempts, and waits for those under way. */
  stop(): Promise<void>
}

export type DeliveryLoopOptions = {
  world: Pick<World, 'clock' | 'random' | 'log'>
  sql: Sql
  keyring: Keyring
  metrics: Metrics
  http: GuardedHttp
  settings: DeliverySettings
  inOtherWords: InOtherWords
  /**
   * While the clock is wrong nothing is claimed, because leases and signatures contain its time. By default the clock
   * is right.
   */
  trust?: ClockTrust
  /** How many processes deliver, including this one; left out, only this one does. */
  processes?: () => number
  /** How many attempts this process has under way in other loops; left out, there are none. */
  elsewhere?: () => number
  /** Left out or null, attempts have no spans. */
  tracing?: Tracing | null
}

/**
 * With few attempts under way, a claim takes nothing from other processes. With many, each claim should find several
 * rows.
 */
const few_under_way = 12
const short_rest_ms = 1
const long_rest_ms = 10
const backoff_max_ms = 2_000
/** The time until a probe's result is written and other processes know it. */
const probe_slack_ms = 10_000
/** A silent database must not keep the process from ending: other processes take over after the leases. */
const stop_slack_ms = 2_000

export function startDeliveries(parts: DeliveryLoopOptions): DeliveryLoop {
  const { sql, metrics, settings, trust } = parts
  const { clock, log } = parts.world
  const lanes = openLanes({
    processes: parts.processes ?? (() => 1),
    probe_ms: settings.timeout_ms + probe_slack_ms,
    elsewhere: parts.elsewhere,
  })
  const health = openHealth(parts, lanes)
  metrics.watchWebhookBreakers(() => lanes.breakers(clock.now().getTime()))
  const attemptResults = openAttemptResults(parts, {
    onFenced(settlement) {
      metrics.webhookFenced()
      log.warn(logFields(settlement), 'webhook attempt outlived its lease')
    },
    onWritten() {
      if (claims.wasCut()) wake('replay')
    },
  })
  const sending = { http: parts.http, settings, secretsOf: openSigningSecrets(parts.keyring) }
  const attempts = openAttempts({
    world: parts.world,
    tracing: parts.tracing ?? null,
    sql,
    metrics,
    sending,
    lanes,
    health,
    attemptResults,
    onEnd({ is_retry, was_full, next_retry_at }) {
      if (next_retry_at) claims.retryAt(next_retry_at.getTime())
      if (was_full || claims.wasCut()) wake(is_retry ? 'replay' : 'event')
    },
  })
  const { begin } = attempts
  const { inOtherWords } = parts
  const claims = openClaims({ sql, clock, settings, lanes, unwritten: attemptResults.unwritten, inOtherWords, begin })
  const bell = openBell()
  let is_stopping = false

  function wake(what: 'event' | 'replay' = 'event'): void {
    if (what === 'replay') claims.retryAt(0)
    bell.ring()
  }

  async function run(): Promise<void> {
    let backoff_ms = 0
    while (!is_stopping) {
      bell.still()
      if (trust && !trust.isRight()) {
        await bell.wait(clock, poll_ms)
        continue
      }
      let is_more = false
      try {
        await health.exchange()
        is_more = await claims.claimDue()
        backoff_ms = 0
      } catch (error) {
        const { message, code } = error as Error & { code?: string }
        log.warn({ error: message, code }, 'webhook deliveries cannot be claimed')
        backoff_ms = Math.min(Math.max(100, backoff_ms * 2), backoff_max_ms)
        await clock.sleep(backoff_ms)
        continue
      }
      await clock.sleep(lanes.underWay() < few_under_way ? short_rest_ms : long_rest_ms)
      if (!is_more && !is_stopping) await bell.wait(clock, claims.untilPoll())
    }
  }

  const completion = run()
  async function ended(): Promise<void> {
    await completion
    await attempts.ended()
  }

  return {
    wake,
    underWay: lanes.underWay,
    async stop() {
      is_stopping = true
      bell.ring()
      await atMost(clock, settings.timeout_ms + stop_slack_ms, ended())
      await attemptResults.close()
      await parts.http.close()
    },
  }
}
