// The loop that runs background jobs, in the service's process or in one of its own.

import type { ClockTrust } from '../database/clock/clock-trust.ts'
import type { Job, JobContext } from '../jobs.ts'
import type { JobRun, JobRuns } from '../kernel/job-runs.ts'

export type Worker = { stop(): Promise<void> }

/**
 * Starts each job's own loop. A job that fails is logged and tried again when it is next due. None begins while the
 * clock is wrong; by default it is right.
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
