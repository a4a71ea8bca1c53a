// Runs work without requests next to its rows: deliveries have a loop for each cell, jobs one for each node.

import { type Cell, cellOf, cellsOf, nodesOf } from '../database/cells/cells.ts'
import type { ClockTrust } from '../database/clock/clock-trust.ts'
import type { Sql } from '../database/open.ts'
import type { Job, JobContext } from '../jobs.ts'
import type { JobRun, JobRuns } from '../kernel/job-runs.ts'
import type { DeliveryLoop } from '../webhooks/sending/delivery-loop.ts'

export type Deliveries = {
  /** Wakes the delivery in the cell of this merchant, or everywhere; see DeliveryLoop. */
  wake(what: 'event' | 'replay', merchant_id?: string): void
  /** See DeliveryLoop. */
  stop(): Promise<void>
}

/**
 * `start` begins the loop of one cell. All loops together have as many attempts under way as a single one would have.
 */
export function deliverInCells(sql: Sql, start: (sql: Sql, elsewhere: () => number) => DeliveryLoop): Deliveries {
  const loops = new Map<Sql, DeliveryLoop>()
  const elsewhereThan = (own: Sql) => () => {
    let count = 0
    for (const [cell, loop] of loops) if (cell !== own) count += loop.underWay()
    return count
  }
  for (const cell of cellsOf(sql)) loops.set(cell.sql, start(cell.sql, elsewhereThan(cell.sql)))
  const wakeAll = (what: 'event' | 'replay') => {
    for (const loop of loops.values()) loop.wake(what)
  }
  return {
    wake(what, merchant_id) {
      if (loops.size === 1 || merchant_id === undefined) return wakeAll(what)
      Promise.resolve(cellOf(sql, merchant_id)).then(
        (own) => loops.get(own)!.wake(what),
        () => wakeAll(what),
      )
    },
    async stop() {
      await Promise.all([...loops.values()].map((loop) => loop.stop()))
    },
  }
}

/** Starts the jobs: those of the whole database, and on each of its nodes those of its cells. */
export function workInCells(
  context: JobContext,
  jobs: Job[],
  { trust, runs }: { trust: ClockTrust; runs: JobRuns | undefined },
): Worker {
  const start = (some: Job[]) => startWorker(context, some, trust, runs)
  const nodes = nodesOf(context.sql)
  if (nodes.length === 0) return start(jobs)
  const common = jobs.filter(({ where }) => where === 'whole')
  const own = jobs.filter(({ where }) => where !== 'whole')
  const workers = [
    start(common),
    ...nodes.map(({ node, cells }) =>
      start(own.map((job) => ({ ...inEach(cells, job), name: `${job.name} on ${node}` }))),
    ),
  ]
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}

const failures_told_max = 3

/** Runs the job for some cells, one after the other. A failure in one does not stop the others. */
function inEach(cells: readonly Cell[], job: Job): Job {
  return {
    ...job,
    async run(context) {
      const failures: string[] = []
      let count = 0
      for (const { name, sql } of cells) {
        if (context.stopping?.aborted) break
        try {
          count += await job.run({ ...context, sql })
        } catch (error) {
          failures.push(`${name}: ${(error as Error).message}`)
        }
      }
      if (failures.length === 0) return count
      throw new Error(failures.slice(0, failures_told_max).join('; '))
    },
  }
}

type Worker = { stop(): Promise<void> }

/**
 * Starts each job's own loop. A failed job is logged and tried again when it is next due. While the clock is wrong, no
 * job begins; by default it is right.
 */
export function startWorker(context: JobContext, jobs: Job[], trust?: ClockTrust, runs?: JobRuns): Worker {
  const stopping = new AbortController()
  const loops = jobs.map((job) => loop(context, job, { trust, runs, stopping: stopping.signal }))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

type Bounds = {
  trust: ClockTrust | undefined
  /** Where each run is noted. */
  runs: JobRuns | undefined
  stopping: AbortSignal
}

async function loop(context: JobContext, job: Job, { trust, runs, stopping }: Bounds): Promise<void> {
  const { clock, log } = context.world
  while (!stopping.aborted) {
    const trusted = trust && (await trust.untilRight(stopping))
    if (stopping.aborted) return
    const began_at = clock.now()
    const note = (end: Pick<JobRun, 'count' | 'failure'>) => {
      const { name, every_seconds } = job
      runs?.note({ name, every_seconds, began_at, ended_at: clock.now(), ...end })
    }
    try {
      const ending = trusted ? AbortSignal.any([stopping, trusted]) : stopping
      const count = await job.run({ ...context, stopping: ending })
      note({ count, failure: null })
      if (count > 0) log.info({ job: job.name, count }, 'job done')
    } catch (error) {
      note({ count: null, failure: (error as Error).message })
      log.error({ job: job.name, error: (error as Error).message }, 'job failed')
    }
    await clock.sleep(job.every_seconds * 1000, stopping).catch(() => {})
  }
}
