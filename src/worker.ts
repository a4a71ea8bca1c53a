// The loop that runs background jobs, in the service's process or in one of its own.

import type { Job, JobContext } from './jobs.ts'

type Worker = { stop(): Promise<void> }

/** Starts every job's own loop. A job that fails is told of and tried again when it is next due. */
export function startWorker(context: JobContext, jobs: Job[]): Worker {
  const stopping = new AbortController()
  const loops = jobs.map((job) => loop(context, job, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function loop(context: JobContext, job: Job, stopping: AbortSignal): Promise<void> {
  const { clock, log } = context.world
  while (!stopping.aborted) {
    try {
      const count = await job.run({ ...context, stopping })
      if (count > 0) log.info({ job: job.name, count }, 'job done')
    } catch (error) {
      log.error({ job: job.name, error: (error as Error).message }, 'job failed')
    }
    await clock.sleep(job.every_seconds * 1000, stopping).catch(() => {})
  }
}
