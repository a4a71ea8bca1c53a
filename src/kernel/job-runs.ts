// The last run of each background job of this process, for operators.

export type JobRun = {
  name: string
  every_seconds: number
  began_at: Date
  ended_at: Date
  /** How many rows it processed; null if it failed. */
  count: number | null
  /** Why it failed; null if it did not. */
  failure: string | null
}

export type JobRuns = {
  note(run: JobRun): void
  /** By name. */
  list(): JobRun[]
}

export function openJobRuns(): JobRuns {
  const runs = new Map<string, JobRun>()
  return {
    note: (run) => void runs.set(run.name, run),
    list: () => [...runs.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}
