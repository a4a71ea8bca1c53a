// The loop that runs background jobs, in the service's process or in one of its own.

import type { ClockTrust } from '../database/clock/clock-trust.ts'
import type { Job, JobContext } from '../jobs.ts'

type Worker = { stop(): Promise<void> }

/**
 * Starts each job's own loop. A job that fails is logged and tried again when it is next due. None begins while the
 * clock is wrong; by default it is right.
 */
export function startWorker(context: JobContext, jobs: Job[], trust?: ClockTrust): Worker {
  const stopping = new AbortController()
  const loops = jobs.map((job) => loop(context, job, { trust, stopping: stopping.signal }))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

type Bounds = { trust: ClockTrust | undefined; stopping: AbortSignal }

async function loop(context: JobContext, job: Job, { trust, stopping }: Bounds): Promise<void> {
  const { clock, log } = context.world
  while (!stopping.aborted) {
    const trusted = trust && (await trust.untilRight(stopping))
    if (stopping.aborted) return
    try {
      const ending = trusted ? AbortSignal.any([stopping, trusted]) : stopping
      const count = await job.run({ ...context, stopping: ending })
      if (count > 0) log.info({ job: job.name, count }, 'job done')
    } catch (error) {
      log.error({ job: job.name, error: (error as Error).message }, 'job failed')
    }
    await clock.sleep(job.every_seconds * 1000, stopping).catch(() => {})
  }
}
