// One process of the service in a simulated world: begun, asked, stopped or killed.

import { isFarOff } from '../../src/database/clock/clock-skew.ts'
import { isLockTimeout, isRetriable, isStoreUnavailable } from '../../src/database/failures.ts'
import { jobs } from '../../src/jobs.ts'
import type { DeliveryLoop } from '../../src/webhooks/sending/delivery-loop.ts'
import { assembleProcess } from './assemble-process.ts'
import { mayWork } from './clocks.ts'
import type { JobName } from './job-names.ts'
import type { Owner } from './scheduler.ts'
import type { Process, Surroundings } from './surroundings.ts'

class Died extends Error {}

/** Starts a process; it can be asked as soon as it has a service. */
export function startProcess(around: Surroundings, name: string): Process {
  const { scheduler, plant, log } = around
  const death = Promise.withResolvers<never>()
  death.promise.catch(() => {})
  const listeners: (() => void)[] = []
  const running = new Set<JobName>()
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
    isFarOff: () => !process.mayWork() && isFarOff({ ahead_ms: process.skew.ahead_ms, error_ms: 0 }),
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
    run(job: JobName) {
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
    if (![isStoreUnavailable, isLockTimeout, isRetriable, isCancelled].some((is) => is(error))) throw error
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
