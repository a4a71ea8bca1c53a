// One process of the service in a simulated world: begun, asked, stopped or killed.

import { isFarOff } from '../../src/database/clock/clock-skew.ts'
import { isLockTimeout, isRetriable, isStoreUnavailable } from '../../src/database/failures.ts'
import type { MarkMemory } from '../../src/database/high-water/high-water-file.ts'
import type { Sql } from '../../src/database/open.ts'
import { type JobContext, jobs } from '../../src/jobs.ts'
import type { Http, Log } from '../../src/kernel/world.ts'
import type { Service } from '../../src/service/assemble.ts'
import type { DeliverySettings } from '../../src/webhooks/sending/deliver.ts'
import type { DeliveryLoop } from '../../src/webhooks/sending/delivery-loop.ts'
import { assembleProcess } from './assemble-process.ts'
import type { Bank } from './bank/bank.ts'
import type { Chance } from './chance.ts'
import { type Clocks, mayWork, type Skew } from './clocks.ts'
import type { Faults } from './faults.ts'
import type { Plant } from './plants.ts'
import type { Receivers } from './receivers.ts'
import type { Owner, Scheduler } from './scheduler.ts'

export type Surroundings = {
  scheduler: Scheduler
  chance: Chance
  faults: Faults
  bank: Bank
  receivers: Receivers
  outside: Owner
  /** The database as it really is. */
  sql: Sql
  master_key: Buffer
  plant: Plant
  log: Log
  /** Posts to the Directory Server. */
  http(process: Owner, die: () => never): Http
  settings: DeliverySettings
  clocks: Clocks
  /** What processes remember of the database, beside it. */
  marks: MarkMemory
  crashed(process: Process): void
  /** Told of every statement that may have changed what is due. */
  changedDue(): void
}

/** The background jobs that worlds run. */
export type Jobs =
  | 'reconcile'
  | 'watch_database'
  | 'apply_hold_rules'
  | 'sweep_orphans'
  | 'reverse_orphans'
  | 'seal_journal'
  | 'compare_books'
  | 'watch_settlements'
  | 'watch_webhook_backlog'
  | 'purge_cards'
  | 'purge_limits'
  | 'rewrap_cards'

export type Process = Owner & {
  service: Service | null
  skew: Skew
  /** Rejects when the process dies. */
  died: Promise<never>
  context(): JobContext
  /** Whether it found out that its clock is so wrong that requests must change nothing by it. */
  isFarOff(): boolean
  /** False where it found out that its clock is wrong: it answers requests, and begins nothing by itself. */
  mayWork(): boolean
  /** Begins a job, unless it is under way in this process or may not begin. */
  run(job: Jobs): void
  /** Requests that it has not answered yet. */
  under_way: number
  /** Ends where it is. */
  kill(): void
  /** Ends in order, once its requests are answered. */
  stop(): Promise<void>
  /** What it has heard of others' changes of settings counts no more. */
  hearSettings(): void
}

class Died extends Error {}

/** Starts a process; it can be asked as soon as it has a service. */
export function startProcess(around: Surroundings, name: string): Process {
  const { scheduler, plant, log } = around
  const death = Promise.withResolvers<never>()
  death.promise.catch(() => {})
  const listeners: (() => void)[] = []
  const running = new Set<Jobs>()
  let deliveries: DeliveryLoop | null = null

  const end = () => {
    scheduler.bury(process)
    death.reject(new Died(name))
  }
  const die = (): never => {
    end()
    around.crashed(process)
    throw new Died(name)
  }

  const process: Process = Object.assign({ name, alive: true } as Owner, {
    service: null,
    skew: around.clocks.begin(),
    mayWork: () => plant.trusts_clock ?? mayWork(process.skew, scheduler.now().getTime()),
    isFarOff: () =>
      !process.mayWork() && isFarOff({ ahead_ms: process.skew.ahead_ms, error_ms: 0 }),
    under_way: 0,
    died: death.promise,
    context: () => ({
      ...process.service!.context,
      ...(!plant.forgets_marks && { marks: around.marks }),
      unknown_authorisations: plant.unknown_authorisations ?? ('hold' as const),
    }),
    kill: end,
    async stop() {
      await process.service?.close()
      await deliveries?.stop()
      end()
    },
    hearSettings() {
      for (const heard of listeners) heard()
    },
    run(job: Jobs) {
      if (running.has(job) || plant.stops_job === job || !process.mayWork()) return
      running.add(job)
      const ended = around.clocks.work(process)
      const found = jobs.find((each) => each.name === job)!
      // A job that began under faults may fail by one of them after the faults have stopped.
      const level = around.faults.are_on() ? 'warn' : 'error'
      const told = (error: Error) => log[level]({ job, error: error.message }, 'job failed')
      scheduler.spawn(
        found
          .run(process.context())
          .catch(told)
          .finally(() => {
            running.delete(job)
            ended()
          }),
      )
    },
  })

  async function begin(): Promise<void> {
    const wake: DeliveryLoop['wake'] = (what) => deliveries?.wake(what)
    const begun = await assembleProcess(around, { process, die, listeners, wake })
    deliveries = begun.deliveries
    process.service = begun.service
  }

  // Whoever cannot start ends, and is started again.
  const failed = (error: unknown) => {
    if (![isStoreUnavailable, isLockTimeout, isRetriable, isCancelled].some((is) => is(error)))
      throw error
    end()
    around.crashed(process)
  }
  scheduler.spawn(begin().catch(failed))
  return process
}

/** It met its statement_timeout. */
function isCancelled(error: unknown): boolean {
  return (error as { code?: unknown }).code === '57014'
}
