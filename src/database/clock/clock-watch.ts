// Watches the process's clock: compares it with the database's each minute, and checks each second whether it was set. Jobs and
// deliveries do not begin while the clock is wrong or unknown.

import type { World } from '../../kernel/world.ts'
import type { Sql } from '../open.ts'
import { type ClockPair, type ClockSkew, faultWords, hasJumped, isFarOff, judgeSkew, skewOf } from './clock-skew.ts'
import { type ClockTrust, openTrust } from './clock-trust.ts'
import { type Clocks, readClocks } from './read-clocks.ts'

export type ClockWatch = ClockTrust & {
  /** Why jobs and deliveries do not begin, in words for people; null if the clock is right. */
  fault(): string | null
  /** Whether the clock is so wrong that requests must change nothing. */
  isFarOff(): boolean
  /** How far the process's clock was ahead of the database's at the last comparison; null before the first. */
  skewSeconds(): number | null
  /**
   * The database's time, computed from the last comparison by the steady clock; before the first one, the process's own
   * time.
   */
  databaseNow(): Date
  stop(): Promise<void>
}

type ClockWatchOptions = Pick<Clocks, 'steady' | 'offset_seconds'> & {
  sql: Sql
  world: Pick<World, 'clock' | 'log'>
}

const look_ms = 1_000
const compare_ms = 60_000
const no_comparison = "the clock of this process was not compared with the database's since it started or was set"
const consequence = 'No job runs and no webhook is delivered until they agree: have both machines keep time by NTP.'

/** Resolves after the first comparison, even if it failed. The watch then keeps trying each second. */
export async function startClockWatch(parts: ClockWatchOptions): Promise<ClockWatch> {
  const { sql, steady, offset_seconds } = parts
  const { clock, log } = parts.world
  const stopping = new AbortController()
  const trust = openTrust()
  let last: { skew: ClockSkew; at: ClockPair } | null = null
  let is_wrong = false
  let has_told_failure = false
  let comparing: Promise<void> | null = null

  const pair = (): ClockPair => ({
    wall_ms: clock.now().getTime(),
    steady_ms: steady.elapsed_ms(),
  })
  const skewSeconds = () => last && last.skew.ahead_ms / 1000

  /** Runs one comparison at a time. The database's own time limits end one that hangs. */
  function compare(): Promise<void> {
    comparing ??= readAndJudge()
      .catch(tellFailure)
      .finally(() => {
        comparing = null
      })
    return comparing
  }

  async function readAndJudge(): Promise<void> {
    const skew = skewOf(await readClocks(sql, { clock, steady, offset_seconds }))
    const verdict = judgeSkew(skew)
    if (verdict === 'unclear') {
      throw new Error(`the answer took too long, ${Math.round(skew.error_ms * 2)} ms`)
    }
    last = { skew, at: pair() }
    if (is_wrong !== (verdict === 'wrong')) tellChange(skew)
    is_wrong = verdict === 'wrong'
    if (is_wrong) trust.withdraw()
    else trust.give()
  }

  function tellChange(skew: ClockSkew): void {
    const fields = { skew_seconds: skewSeconds() }
    if (is_wrong) log.info(fields, 'the clock is right again')
    else {
      const reason = faultWords(skew)
      log.error({ ...fields, reason }, 'the clock is wrong: no job runs and nothing is delivered')
    }
  }

  /**
   * A clock that was right stays trusted, since jobs need the database as well. Without any comparison so far, one warning is
   * logged.
   */
  function tellFailure(error: Error): void {
    if (last !== null || has_told_failure) return
    has_told_failure = true
    log.warn({ error: error.message }, "the clock cannot be compared with the database's")
  }

  function isRight(): boolean {
    if (trust.is_given && hasJumped(last!.at, pair())) {
      trust.withdraw()
      void compare()
    }
    return trust.is_given
  }

  async function run(): Promise<void> {
    for (;;) {
      await clock.sleep(look_ms, stopping.signal).catch(() => {})
      if (stopping.signal.aborted) return
      const age_ms = last === null ? 0 : steady.elapsed_ms() - last.at.steady_ms
      if (!isRight() || age_ms >= compare_ms) void compare()
    }
  }

  function databaseNow(): Date {
    if (last === null) return new Date(clock.now().getTime() - offset_seconds * 1000)
    const { skew, at } = last
    const compared_ms = at.wall_ms - offset_seconds * 1000 - skew.ahead_ms
    return new Date(Math.round(compared_ms + steady.elapsed_ms() - at.steady_ms))
  }

  await compare()
  const completion = run()
  return {
    isRight,
    untilRight(ending) {
      isRight()
      return trust.untilGiven(ending)
    },
    fault() {
      if (isRight()) return null
      return `${is_wrong ? faultWords(last!.skew) : no_comparison}. ${consequence}`
    },
    isFarOff: () => is_wrong && isFarOff(last!.skew),
    skewSeconds,
    databaseNow,
    async stop() {
      stopping.abort()
      await completion
    },
  }
}
