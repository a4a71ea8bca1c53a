// Loads a simulated cluster with checkouts, and says how long they took.

import { percentile } from './report.ts'
import { type Plan, take } from './scale-checkout.ts'
import { chanceOf, openClock } from './scale-clock.ts'
import { type Cluster, letFall, openCluster, type Parts, type Shape } from './scale-cluster.ts'

export type Offered = {
  seed: number
  plan: Plan
  shape: Shape
  seconds: number
  /** What begins in these is not counted. */
  warm_seconds: number
} & (
  | { per_second: number; arrivals: 'poisson' | 'even' }
  /** So many shoppers, each of whom begins anew when they have paid. */
  | { at_once: number }
) & {
    /** The first database machine goes down, and its cells with it. */
    fall?: { at_s: number; for_s: number }
    /** How long a shopper who is refused waits before pressing again, on average. Left out, nobody presses again. */
    again_ms?: number
    /** So many processes look into each cell, whether or not anybody pays. */
    jobs?: { processes: number; every_ms: number; service_ms: number; postgresql_ms: number }
    /** Cores of the first machine that other programs have, on average. */
    other_cores?: number
  }

export type Taken = {
  began_ms: number
  ended_ms: number
  /** Without bank and acquirer; infinite where nobody paid. */
  own_ms: number
  cell: number
  /** How often it was refused before. */
  refusals: number
}

export type Outcome = {
  /** In the order of their ends. */
  taken: Taken[]
  paid_per_second: number
  p50_ms: number
  p99_ms: number
  /** The share of all cores that was used. */
  service_use: number
  /** Of the machine with the most. */
  database_use: number
  /** The share of the time in which the busiest device of a log was busy. */
  log_use: number
}

export function simulate(offered: Offered): Outcome {
  const clock = openClock()
  const chance = chanceOf(offered.seed)
  const parts = { clock, chance }
  const cluster = openCluster(offered.shape, parts)
  const end_ms = (offered.warm_seconds + offered.seconds) * 1000
  const taken: Taken[] = []
  const begin = (first: Pick<Taken, 'began_ms' | 'cell' | 'refusals'>, ended: () => void) => {
    const { cell } = first
    take(offered.plan.checkout, { cluster, cell, parts }, ({ is_paid, vendor_ms }) => {
      const again = !is_paid && offered.again_ms !== undefined
      const ended_ms = clock.now_ms()
      const own_ms = is_paid ? ended_ms - first.began_ms - vendor_ms : Number.POSITIVE_INFINITY
      taken.push({ ...first, ended_ms, own_ms })
      if (is_paid) take(offered.plan.after, { cluster, cell, parts }, () => {})
      if (!again) return ended()
      clock.after(chance.exponential(offered.again_ms!), () => {
        const { refusals } = first
        begin({ cell, began_ms: clock.now_ms(), refusals: refusals + 1 }, ended)
      })
    })
  }
  const arrive = (ended = () => {}) => {
    const cell = chance.below(cluster.cells.length)
    begin({ cell, began_ms: clock.now_ms(), refusals: 0 }, ended)
  }
  if ('at_once' in offered) {
    const pay = (): void => (clock.now_ms() < end_ms ? arrive(pay) : undefined)
    for (let shopper = 0; shopper < offered.at_once; shopper += 1) pay()
  } else {
    const mean_ms = 1000 / offered.per_second
    const next = (): void => {
      const wait_ms = offered.arrivals === 'even' ? mean_ms : chance.exponential(mean_ms)
      if (clock.now_ms() + wait_ms >= end_ms) return
      clock.after(wait_ms, () => {
        arrive()
        next()
      })
    }
    next()
  }
  if (offered.jobs) runJobs(offered.jobs, { cluster, parts, end_ms })
  if (offered.other_cores) runOthers(offered.other_cores, { cluster, parts, end_ms })
  const { fall } = offered
  if (fall) letFall(cluster.databases[0]!, clock, { at_ms: fall.at_s * 1000, for_ms: fall.for_s * 1000 })
  const from_ms = offered.warm_seconds * 1000
  clock.run(from_ms)
  const before = usedBy(cluster)
  clock.run(end_ms)
  const after = usedBy(cluster)
  // Whoever has begun is waited for, as the benchmarks do.
  clock.run()
  return outcomeOf(offered, { taken, before, after })
}

function runJobs(
  { processes, every_ms, service_ms, postgresql_ms }: NonNullable<Offered['jobs']>,
  { cluster, parts, end_ms }: { cluster: Cluster; parts: Parts; end_ms: number },
): void {
  const { clock, chance } = parts
  for (const { thread, connections } of cluster.processes.slice(0, processes)) {
    for (const statements of connections) {
      const look = () => {
        thread.run(chance.exponential(service_ms), () => {})
        statements({ work_ms: chance.exponential(postgresql_ms), flushes: false }, () => {})
        if (clock.now_ms() < end_ms) clock.after(every_ms, look)
      }
      // Each at a time of its own, as each cell has loops of its own.
      clock.after(chance.even() * every_ms, look)
    }
  }
}

/** In pieces of 5 ms in the mean, which arrive by Poisson. */
function runOthers(
  other_cores: number,
  { cluster, parts, end_ms }: { cluster: Cluster; parts: Parts; end_ms: number },
): void {
  const { clock, chance } = parts
  const piece_ms = 5
  const [cores] = cluster.service_cores
  const next = () => {
    if (clock.now_ms() >= end_ms) return
    cores!.run(chance.exponential(piece_ms), () => {})
    clock.after(chance.exponential(piece_ms / other_cores), next)
  }
  next()
}

/** Milliseconds so far: of each machine's cores, of each log device. */
type Used = { services: number[]; databases: number[]; logs: number[] }

function usedBy({ service_cores, databases }: Cluster): Used {
  return {
    services: service_cores.map((cores) => cores.used_ms()),
    databases: databases.map(({ cores }) => cores.used_ms()),
    logs: databases.map(({ log }) => log.busy_ms()),
  }
}

type Run = { taken: Taken[]; before: Used; after: Used }

function outcomeOf({ shape, ...offered }: Offered, { taken, before, after }: Run): Outcome {
  const from_ms = offered.warm_seconds * 1000
  const counted = taken.filter(({ began_ms }) => began_ms >= from_ms)
  const paid = counted.filter(isPaid)
  const ascending = paid.map(({ own_ms }) => own_ms).sort((a, b) => a - b)
  const last_ms = counted.reduce((last, { ended_ms }) => Math.max(last, ended_ms), 0)
  const usesOf = (what: keyof Used, cores: number) =>
    after[what].map((used, at) => (used - before[what][at]!) / (offered.seconds * 1000 * cores))
  const service_uses = usesOf('services', shape.services.cores)
  return {
    taken: counted,
    paid_per_second: (paid.length * 1000) / Math.max(offered.seconds * 1000, last_ms - from_ms),
    p50_ms: percentile(ascending, 0.5),
    p99_ms: percentile(ascending, 0.99),
    service_use: service_uses.reduce((sum, use) => sum + use, 0) / service_uses.length,
    database_use: Math.max(...usesOf('databases', shape.databases.cores)),
    log_use: Math.max(...usesOf('logs', 1)),
  }
}

export function isPaid({ own_ms }: Taken): boolean {
  return own_ms < Number.POSITIVE_INFINITY
}
