// The work without a request, where the rows are that it is about: deliveries have a loop for each cell, jobs one for each node.

import { type Cell, cellOf, cellsOf, nodesOf } from '../database/cells/cells.ts'
import type { ClockTrust } from '../database/clock/clock-trust.ts'
import type { Sql } from '../database/open.ts'
import type { Job, JobContext } from '../jobs.ts'
import type { JobRuns } from '../kernel/job-runs.ts'
import type { DeliveryLoop } from '../webhooks/sending/delivery-loop.ts'
import { startWorker, type Worker } from './worker.ts'

export type Deliveries = {
  /** Wakes the delivery where this merchant's rows are, or everywhere; see DeliveryLoop. */
  wake(what: 'event' | 'replay', merchant_id?: string): void
  /** See DeliveryLoop. */
  stop(): Promise<void>
}

/** `start` begins the loop of one cell. All of them together have as many attempts under way as one would have. */
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

/** The job for some cells, one after the other. What fails in one does not keep it from the others. */
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
