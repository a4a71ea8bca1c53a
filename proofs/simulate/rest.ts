// Moves a world on where nothing can happen before some time: to what is due next, whose job is then begun.

import { poll_ms } from '../../src/webhooks/sending/claims.ts'
import type { Bank } from './bank/bank.ts'
import type { Chance } from './chance.ts'
import type { Due, WorldDatabase } from './database.ts'
import type { JobName } from './job-names.ts'
import type { Scheduler } from './scheduler.ts'
import type { Process } from './surroundings.ts'
import { openSweeps } from './sweeps.ts'
import type { Town } from './town.ts'

export type Rest = {
  /** For the scheduler: the time to go on to. */
  look(timer_at_ms: number | null): Promise<number>
  /** Nothing is due and nobody waits for anything. */
  isOver(): boolean
  /** From here on it is not known whether there is rest. */
  begin(): void
}

/** What runs now and then. Partitions are left alone: they would outlive the world. */
const others: JobName[] = [
  'watch_database',
  'sweep_orphans',
  'seal_journal',
  'compare_books',
  'watch_settlements',
  'watch_webhook_backlog',
  'purge_cards',
  'purge_limits',
  'rewrap_cards',
]

/** A notice is never put off for longer: what is due later was written by a wrong clock, and its job takes it at once. */
const longest_wait_ms = 2 * 3_600_000
const asJobsSee = (due: Due, now_ms: number): Due =>
  due.notices && due.notices.getTime() > now_ms + longest_wait_ms ? { ...due, notices: new Date(now_ms) } : due

/** Between two looks for deliveries, where what is due waits for a breaker or for another process. */
const pause_max_ms = 8_000
const day_ms = 24 * 3_600_000

export function openRest(parts: {
  scheduler: Scheduler
  database: WorldDatabase
  town: Town
  chance: Chance
  bank: Bank
  /** Somebody looks why what is due is not done. */
  hurry(): void
  /** Once a day somebody looks at what a vendor will not take back, or has done otherwise than it was asked. */
  despair(): void
}): Rest {
  const { scheduler, database, town, chance } = parts
  const sweeps = openSweeps(parts)
  let is_over = false
  /** What was found to be due, and how often that had changed by then. */
  let known: { due: Due; swept_until: Date | null; changes: number } | null = null
  const polled = new WeakMap<Process, { at_ms: number; changes: number; pause_ms: number }>()
  let in_vain = 0
  let looked_ms = scheduler.now().getTime()

  function start(due: Due, swept_until: Date | null, now_ms: number): void {
    const is = (at: Date | null) => at !== null && at.getTime() <= now_ms
    const some = (act: (process: Process) => void) => {
      for (let times = chance.often(0.3) ? 2 : 1; times > 0; times--) {
        const process = town.anyProcess()
        if (process?.mayWork()) act(process)
      }
    }
    const run = (job: JobName) => some((process) => process.run(job))
    if (is(due.operations)) run('reconcile')
    if (is(due.notices)) run('handle_notices')
    if (is(due.holds)) run('apply_hold_rules')
    // To a process whose clock is ahead it is due already.
    for (const process of town.processes()) {
      const ahead_ms = process.service ? process.skew.ahead_ms : 0
      if (due.holds && ahead_ms > 0 && due.holds.getTime() <= now_ms + ahead_ms) {
        process.run('apply_hold_rules')
      }
    }
    if (is(due.orphans)) run('reverse_orphans')
    // A notice may wait for what a person knows of another refund, and is given up a week after it came.
    if ((due.orphans || due.holds || due.notices) && now_ms - looked_ms > day_ms) {
      looked_ms = now_ms
      parts.despair()
    }
    if (is(due.deliveries)) some((process) => pollAt(process, now_ms))
    for (const job of ['sweep_orphans', 'compare_books'] as const) {
      if ((sweeps[job].dueAt(swept_until) ?? now_ms + 1) > now_ms) continue
      sweeps[job].begin()
      run(job)
    }
    if (chance.often(0.05)) run(chance.pick(others))
  }

  /** Nobody looks for deliveries more often than the service does by itself, and more seldom where it was in vain. */
  function pollAt(process: Process, now_ms: number): void {
    const changes = town.changesOfDue()
    const last = polled.get(process) ?? { at_ms: 0, changes: -1, pause_ms: 0 }
    const was_in_vain = last.changes === changes
    const pause_ms = was_in_vain ? Math.min(2 * last.pause_ms, pause_max_ms) : poll_ms
    if (now_ms < last.at_ms + pause_ms) return
    polled.set(process, { at_ms: now_ms, changes, pause_ms })
    scheduler.poll(process)
  }

  async function findDue(): Promise<{ due: Due; swept_until: Date | null }> {
    const changes = town.changesOfDue()
    if (known?.changes === changes) return known
    const { swept_until, ...due } = await database.due()
    known = { due, swept_until, changes }
    return known
  }

  async function look(timer_at_ms: number | null): Promise<number> {
    const { due: written, swept_until } = await findDue()
    const now_ms = scheduler.now().getTime()
    const due = asJobsSee(written, now_ms)
    const times = Object.values(due).flatMap((at) => (at ? [at.getTime()] : []))
    start(due, swept_until, now_ms)
    const never_ms = Number.POSITIVE_INFINITY
    const rounds_ms = Object.values(sweeps).map((each) => each.dueAt(swept_until) ?? never_ms)
    const soonest_ms = Math.min(...rounds_ms, timer_at_ms ?? never_ms)
    const due_ms = Math.min(...times, soonest_ms)
    if (due_ms === Number.POSITIVE_INFINITY) {
      is_over = true
      return now_ms + 1_000
    }
    if (due_ms > now_ms) {
      in_vain = 0
      return due_ms
    }
    // It is due, and nobody could do it: a breaker is open, or a lease of somebody who died goes on.
    in_vain += 1
    // A brake may be pulled.
    if (in_vain % 10 === 0 && (due.orphans?.getTime() ?? now_ms + 1) <= now_ms) parts.hurry()
    const wait_ms = in_vain < 3 ? 0 : Math.min(250 * 2 ** (in_vain - 3), 600_000)
    return Math.min(now_ms + wait_ms, soonest_ms)
  }

  return {
    look,
    isOver: () => is_over,
    begin() {
      is_over = false
    },
  }
}
